/** Samples of the sound of a broadcast: continuous, bounded, and readable by ffmpeg's FLV demuxer. */
import { SliceList } from '../../../src/bytes/slices.js';
import { PRINT } from '../../../src/copyright/limits.js';
import { KEY_FRAMES, SOUND_SAMPLE, sampleMs, TURNS } from '../../../src/detection/limits.js';
import { type SoundSample, SoundTap } from '../../../src/detection/sound-tap.js';
import { type Checked, SoundTaps } from '../../../src/detection/sound-taps.js';
import { shiftedSample } from '../../../src/detection/stream-detector.js';
import { FlvFileReader } from '../../../src/media/flv/file-reader.js';
import type { Store } from '../../../src/ports/index.js';
import { memoryLog } from '../../support/store-harness.js';
import { tappedStream } from '../../support/tapped-stream.js';

const HEADER = Uint8Array.of(0xaf, 0, 0x11, 0x90);
const STEP_MS = 21;

interface Taken extends SoundSample {
  /** Time stamps and sizes of the tags, without the header. */
  readonly tags: readonly { readonly stamp: number; readonly size: number }[];
  /** Times of the key frames. */
  readonly pictures: readonly number[];
}

function tapped(isOn = () => true) {
  const taken: Taken[] = [];
  const tap = new SoundTap({
    liveVideoId: 'live',
    session: 's',
    isOn,
    submit: ({ sample, flv, keyFrames }) => {
      taken.push({ ...sample, tags: tagsOf(flv), pictures: keyFrames.map(({ atMs }) => atMs) });
    },
  });
  const send = (stamp: number, size = 100) => tap.packet('audio', stamp, SliceList.of(sound(size)));
  tap.packet('audio', 0, SliceList.of(HEADER));
  return { tap, taken, send };
}

function sound(size: number): Uint8Array {
  const payload = new Uint8Array(size).fill(7);
  payload.set([0xaf, 1]);
  return payload;
}

function tagsOf(flv: Uint8Array): { stamp: number; size: number }[] {
  const tags: { stamp: number; size: number }[] = [];
  const reader = new FlvFileReader({
    tag: (_kind, stamp, payload) => {
      if (payload.byteAt(1) === 1) tags.push({ stamp, size: payload.length });
    },
  });
  reader.push(flv);
  expect(reader.wrongBackPointers).toBe(0);
  return tags;
}

test('samples follow each other at the step, and overlap by what a print needs before its first item', () => {
  const { taken, send } = tapped();
  for (let stamp = 5_000; stamp < 35_000; stamp += STEP_MS) send(stamp);
  expect(taken.length).toBeGreaterThan(3);
  for (const [index, { startMs, tags }] of taken.entries()) {
    const first = tags[0]?.stamp ?? 0;
    expect(first - 5_000).toBe(startMs);
    expect(Math.abs(startMs - index * SOUND_SAMPLE.stepMs)).toBeLessThan((index + 1) * STEP_MS);
    const last = tags.at(-1)?.stamp ?? 0;
    expect(last - first).toBeGreaterThanOrEqual(sampleMs(1));
    expect(tags.every(({ stamp }, at) => stamp === first + at * STEP_MS)).toBe(true);
  }
});

test('a gap, a step back and a new header start a new sample; the time goes on', () => {
  const { tap, taken, send } = tapped();
  for (let stamp = 0; stamp < 4_000; stamp += STEP_MS) send(stamp);
  for (let stamp = 60_000; stamp < 72_000; stamp += STEP_MS) send(stamp);
  expect(taken[0]?.tags[0]?.stamp).toBe(60_000);
  expect(taken[0]?.startMs).toBe(60_000);
  const before = taken.length;
  tap.packet('audio', 72_000, SliceList.of(Uint8Array.of(0xaf, 0, 0x12, 0x10)));
  for (let stamp = 72_000; stamp < 81_000; stamp += STEP_MS) send(stamp);
  expect(taken[before]?.tags[0]?.stamp).toBe(72_000);
  expect(taken[before]?.startMs ?? 0).toBeGreaterThan(70_000);
});

test('crosses the end of 32-bit time stamps', () => {
  const { taken, send } = tapped();
  for (let at = 0; at < 20_000; at += STEP_MS) send((2 ** 32 - 4_000 + at) % 2 ** 32);
  expect(taken.length).toBe(3);
  expect(taken.map(({ startMs }) => startMs)).toEqual([...taken.map(({ startMs }) => startMs)].sort((a, b) => a - b));
});

test('a stream of any rate is held within the bound', () => {
  const { taken, send } = tapped();
  for (let stamp = 0; stamp < 20_000; stamp += STEP_MS) send(stamp, 40_000);
  expect(taken).toEqual([]);
  for (let stamp = 20_000; stamp < 40_000; stamp += STEP_MS) send(stamp, 1_000);
  expect(taken.length).toBeGreaterThan(0);
});

test('collects nothing while there is nothing to compare with, nor without a header', () => {
  let isOn = false;
  const { tap, taken, send } = tapped(() => isOn);
  expect(tap.isIdle).toBe(true);
  for (let stamp = 0; stamp < 20_000; stamp += STEP_MS) send(stamp);
  expect(taken).toEqual([]);
  isOn = true;
  expect(tap.isIdle).toBe(false);
  for (let stamp = 20_000; stamp < 30_000; stamp += STEP_MS) send(stamp);
  expect(taken).toHaveLength(1);
  const bare = new SoundTap({ liveVideoId: 'live', session: 's', isOn: () => true, submit: () => fail() });
  for (let stamp = 0; stamp < 20_000; stamp += STEP_MS) bare.packet('audio', stamp, SliceList.of(sound(10)));
});

test('a longer sample has more windows, and a pause leaves sound out without changing the time', () => {
  const { tap, taken, send } = tapped();
  tap.lengthen(TURNS.windowsMax);
  for (let stamp = 0; stamp < 26_000; stamp += STEP_MS) send(stamp);
  expect(taken.map(({ windows }) => windows)).toEqual([TURNS.windowsMax]);
  const { tags } = taken[0] as Taken;
  expect((tags.at(-1)?.stamp ?? 0) - (tags[0]?.stamp ?? 0)).toBeGreaterThanOrEqual(sampleMs(TURNS.windowsMax));
  tap.pause(3_600_000);
  expect(tap.isIdle).toBe(true);
  for (let stamp = 26_000; stamp < 90_000; stamp += STEP_MS) send(stamp);
  expect(taken).toHaveLength(1);
  tap.resume();
  tap.lengthen(1);
  for (let stamp = 90_000; stamp < 99_000; stamp += STEP_MS) send(stamp);
  expect(taken).toHaveLength(2);
  expect(taken[1]?.startMs).toBe(90_000);
  expect(taken[1]?.tags[0]?.stamp).toBe(90_000);
});

test('the last key frames come with a sample: few, not too near, none too large', () => {
  const { tap, taken, send } = tapped();
  const video = (stamp: number, first: number, size = 50) => {
    const payload = new Uint8Array(size);
    payload.set([first, 1]);
    tap.packet('video', stamp, SliceList.of(payload));
  };
  tap.packet('video', 0, SliceList.of(Uint8Array.of(0x17, 0, 0, 0, 0, 1)));
  for (let stamp = 0; stamp < 20_000; stamp += STEP_MS) {
    send(stamp);
    video(stamp, 0x27);
    if (stamp % (12 * STEP_MS) === 0) video(stamp, 0x17);
    if (stamp % (100 * STEP_MS) === 0) video(stamp + 1, 0x17, KEY_FRAMES.bytes + 1);
  }
  expect(taken.length).toBeGreaterThan(1);
  for (const { startMs, pictures } of taken) {
    expect(pictures).toHaveLength(KEY_FRAMES.kept);
    for (const [at, ms] of pictures.entries()) {
      if (at > 0) expect(ms - (pictures[at - 1] ?? 0)).toBeGreaterThanOrEqual(KEY_FRAMES.everyMs);
    }
    expect((pictures.at(-1) ?? 0) - startMs).toBeGreaterThan(5_000);
  }
});

function fail(): never {
  throw new Error('a sample without a header');
}

test('sends the start of a sample at a wanted time, once, and the samples as without it', () => {
  const [plain, hurried] = [tapped(), tapped()];
  const wanted = 2 * SOUND_SAMPLE.stepMs + SOUND_SAMPLE.leadMs + 700;
  for (let stamp = 0; stamp < 30_000; stamp += STEP_MS) {
    plain.send(stamp);
    hurried.send(stamp);
    if (hurried.taken.length === 2) hurried.tap.want(wanted);
  }
  const parts = hurried.taken.filter(({ isPart }) => isPart);
  expect(parts).toHaveLength(1);
  expect(hurried.taken.indexOf(parts[0] as Taken)).toBe(2);
  const last = parts[0]?.tags.at(-1)?.stamp ?? 0;
  expect(last).toBeGreaterThanOrEqual(wanted);
  expect(last).toBeLessThan(wanted + STEP_MS);
  expect(parts[0]?.startMs).toBe(plain.taken[2]?.startMs);
  expect(hurried.taken.filter(({ isPart }) => !isPart)).toEqual(plain.taken);
});

test('a wanted time that is over, or that a gap lets pass, sends nothing', () => {
  const { tap, taken, send } = tapped();
  for (let stamp = 0; stamp < 9_000; stamp += STEP_MS) send(stamp);
  tap.want(SOUND_SAMPLE.stepMs);
  send(9_009);
  tap.want(11_000);
  for (let stamp = 40_000; stamp < 46_000; stamp += STEP_MS) send(stamp);
  expect(taken.map(({ isPart }) => isPart)).toEqual([undefined]);
});

test('a shifted sample lacks the sound of half the distance of two items, and no header', () => {
  const samples: Uint8Array[] = [];
  const submit = ({ flv }: { readonly flv: Uint8Array }) => void samples.push(flv);
  const tap = new SoundTap({ liveVideoId: 'live', session: 's', isOn: () => true, submit });
  tap.packet('audio', 0, SliceList.of(HEADER));
  for (let stamp = 0; stamp < 9_000; stamp += STEP_MS) tap.packet('audio', stamp, SliceList.of(sound(100)));
  const [flv = new Uint8Array()] = samples;
  const shifted = shiftedSample(flv);
  expect(Math.abs((shifted?.byMs ?? 0) - PRINT.itemMs / 2)).toBeLessThan(STEP_MS / 2 + 1);
  expect(tagsOf(shifted?.flv ?? new Uint8Array())).toEqual(
    tagsOf(flv).filter(({ stamp }) => stamp >= (shifted?.byMs ?? 0)),
  );
  expect(Buffer.from(shifted?.flv ?? []).includes(Buffer.from(HEADER))).toBe(true);
  for (const end of [0, 13, 20, 40]) expect(shiftedSample(flv.subarray(0, end))).toBeUndefined();
});

test('a broadcast whose samples find no place sends longer ones, until it is told otherwise', async () => {
  const comparer = {
    hasRoom: false,
    asked: [] as SoundSample[],
    check: (sample: SoundSample): Promise<Checked> => {
      comparer.asked.push(sample);
      return Promise.resolve({ matches: [], next: { windows: 1, pauseMs: 0 } });
    },
    witness: () => Promise.reject(new Error('no match')),
  };
  const store = {
    volatile: { get: () => Promise.resolve({ state: 'on' }) },
    bus: { subscribe: () => () => undefined },
  } as unknown as Store;
  const taps = new SoundTaps({ store, log: memoryLog(), comparer, blocks: false });
  const tap = taps.open(tappedStream('live'), 'live') as SoundTap;
  // The state of the detector is read.
  await new Promise((resolve) => setImmediate(resolve));
  tap.packet('audio', 0, SliceList.of(HEADER));
  let stamp = 0;
  const send = async (ms: number) => {
    for (const end = stamp + ms; stamp < end; stamp += STEP_MS) tap.packet('audio', stamp, SliceList.of(sound(100)));
    await new Promise((resolve) => setImmediate(resolve));
  };
  await send(sampleMs(1) + STEP_MS);
  expect(taps.counts).toEqual({ sent: 0, skipped: 1 });
  comparer.hasRoom = true;
  await send(sampleMs(TURNS.windowsMax) + STEP_MS);
  await send(SOUND_SAMPLE.stepMs);
  expect(comparer.asked.map(({ windows }) => windows)).toEqual([TURNS.windowsMax, 1]);
  taps.close();
});
