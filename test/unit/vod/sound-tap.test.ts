/** Samples of the sound of a broadcast: continuous, bounded, and readable by ffmpeg's FLV demuxer. */
import { SliceList } from '../../../src/bytes/slices.js';
import { FlvFileReader } from '../../../src/media/flv/file-reader.js';
import { SOUND_SAMPLE } from '../../../src/vod/copyright/limits.js';
import { type SoundSample, SoundTap } from '../../../src/vod/copyright/sound-tap.js';

const HEADER = Uint8Array.of(0xaf, 0, 0x11, 0x90);
const STEP_MS = 21;

interface Taken extends SoundSample {
  /** Time stamps and sizes of the tags, without the header. */
  readonly tags: readonly { readonly stamp: number; readonly size: number }[];
}

function tapped(isOn = () => true) {
  const taken: Taken[] = [];
  const tap = new SoundTap({
    liveVideoId: 'live',
    session: 's',
    isOn,
    submit: (sample, flv) => taken.push({ ...sample, tags: tagsOf(flv) }),
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
    expect(last - first).toBeGreaterThanOrEqual(SOUND_SAMPLE.lengthMs);
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

function fail(): never {
  throw new Error('a sample without a header');
}
