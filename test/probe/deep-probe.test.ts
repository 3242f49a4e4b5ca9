import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SliceList } from '../../src/bytes/slices.js';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import type { StreamHealth } from '../../src/ports/index.js';
import { DeepProbe, type Disagreement } from '../../src/probe/deep-probe.js';
import { MediaTools } from '../../src/probe/media-tools.js';
import { DEEP_PROBE } from '../../src/probe/sampling-tap.js';
import { strongCage } from '../support/cage.js';
import { makeMedia } from '../support/media-files.js';
import { handClock, memoryLog, temporaryFolderOfFile, until } from '../support/store-harness.js';
import { tappedStream } from '../support/tapped-stream.js';

const folder = temporaryFolderOfFile();
const log = memoryLog();
let tools: MediaTools;

beforeAll(async () => {
  tools = await MediaTools.open({ cage: await strongCage(join(folder.path, 'tools')), log });
  for (const size of ['320x180', '640x360']) makeMedia(join(folder.path, `${size}.flv`), { size, seconds: 5 });
});
afterAll(() => folder.remove());

const TRUTH: StreamHealth = {
  atMs: 0,
  connected: true,
  encoder: '',
  streamTimeMs: 4_000,
  videoCodec: 'H.264',
  levelIdc: 13,
  width: 320,
  height: 180,
  audioCodec: 'AAC LC',
  sampleRate: 48_000,
  channels: 2,
  bytesReceived: 0,
  openErrors: [],
};

/** Before the judge has seen a header. */
const UNKNOWN: StreamHealth = {
  atMs: 0,
  connected: true,
  encoder: '',
  streamTimeMs: 0,
  bytesReceived: 0,
  openErrors: [],
};

function harness(health: StreamHealth | (() => StreamHealth), hasRoom = () => tools.hasRoomForSample) {
  const told: Disagreement[] = [];
  const clock = handClock();
  const probe = new DeepProbe({
    probe: {
      get hasRoomForSample() {
        return hasRoom();
      },
      sample: (flv) => tools.sample(flv),
    },
    volatile: { set: async (_key, disagreement) => void told.push(disagreement as Disagreement) },
    clock,
    log,
  });
  const stream = tappedStream('1', { health: () => (typeof health === 'function' ? health() : health) });
  const tap = probe.open(stream, 'publish');
  const play = (size: string, offsetMs = 0) => {
    const reader = new FlvFileReader({
      tag: (kind, timestampMs, payload) =>
        tap?.packet(kind, timestampMs + offsetMs, SliceList.of(payload.copy(0, payload.length))),
    });
    reader.push(readFileSync(join(folder.path, `${size}.flv`)));
  };
  return { probe, tap, told, clock, play };
}

const done = (probe: DeepProbe, samples: number) =>
  until(() => probe.counts.samples === samples && tools.hasRoomForSample);

test('ffprobe and the judge agree on a valid stream', async () => {
  const { probe, told, play } = harness(TRUTH);
  play('320x180');
  await done(probe, 1);
  await tools.sample(readFileSync(join(folder.path, '320x180.flv')));
  expect(told).toEqual([]);
  expect(probe.counts).toEqual({ samples: 1, disagreements: 0, skipped: 0, failed: 0 });
});

test('a disagreement is counted and reported field by field', async () => {
  const { probe, told, play } = harness({ ...TRUTH, width: 1920, channels: 1 });
  play('320x180');
  await until(() => told.length === 1);
  expect(told[0]).toMatchObject({
    liveVideoId: '1',
    differences: [
      { what: 'width', judge: 1920, ffprobe: 320 },
      { what: 'channels', judge: 1, ffprobe: 2 },
    ],
  });
  expect(probe.counts.disagreements).toBe(1);
});

test('a value that the judge does not know is no disagreement', async () => {
  const { videoCodec, levelIdc, width, height, ...heard } = TRUTH;
  const { probe, told, play } = harness({ ...heard, channels: 1 });
  play('320x180');
  await done(probe, 1);
  expect(told.map(({ differences }) => differences)).toEqual([[{ what: 'channels', judge: 1, ffprobe: 2 }]]);
});

test('a stream whose first seconds are not judged is compared after the interval', async () => {
  let health = UNKNOWN;
  const { probe, tap, told, clock, play } = harness(() => health);
  play('320x180');
  expect(probe.counts.samples + probe.gathering).toBe(0);
  expect(tap?.isIdle).toBe(true);
  health = { ...TRUTH, width: 1920 };
  clock.advance(DEEP_PROBE.againMs);
  expect(tap?.isIdle).toBe(false);
  play('320x180', 40_000);
  await until(() => told.length > 0);
  expect(told[0]?.differences).toEqual([{ what: 'width', judge: 1920, ffprobe: 320 }]);
});

test('a change of settings is sampled again, but not before the interval has passed', async () => {
  const { probe, told, play, clock } = harness(TRUTH);
  play('320x180');
  await done(probe, 1);
  play('640x360', 5_000);
  expect(probe.counts.samples).toBe(1);
  clock.advance(DEEP_PROBE.againMs);
  play('640x360', 10_000);
  await until(() => told.length > 0);
  expect(probe.counts.samples).toBe(2);
});

test('collects no sample without a free slot, and discards a sample that is too short', () => {
  const busy = harness(TRUTH, () => false);
  busy.play('320x180');
  expect(busy.probe.counts).toMatchObject({ samples: 0, skipped: 1 });
  const short = harness(TRUTH);
  short.tap?.packet('video', 0, SliceList.of(Uint8Array.of(0x17, 1, 0, 0, 0, 0)));
  short.tap?.close();
  short.tap?.packet('video', 5_000, SliceList.of(Uint8Array.of(0x17, 1, 0, 0, 0, 0)));
  expect(short.probe.counts.samples).toBe(0);
  expect(short.probe.open(tappedStream('1'), 'live')).toBeUndefined();
});

test('bounds concurrent samples when many streams start at once', () => {
  const { probe } = harness(TRUTH);
  const begin = (id: string) => {
    const tap = probe.open(tappedStream(id), 'publish');
    tap?.packet('video', 0, SliceList.of(Uint8Array.of(0x17, 0, 0, 0, 0, 1)));
    return tap;
  };
  const taps = Array.from({ length: DEEP_PROBE.gatheredAtOnce + 5 }, (_, i) => begin(String(i)));
  expect(probe.gathering).toBe(DEEP_PROBE.gatheredAtOnce);
  expect(probe.counts.skipped).toBe(5);
  expect(taps.map((tap) => tap?.isIdle)).toEqual([false, false, false, true, true, true, true, true]);
  for (const tap of taps) tap?.close();
  expect(probe.gathering).toBe(0);
});

test('a sample that ffprobe cannot read is counted, not reported', async () => {
  const { probe, told } = harness(TRUTH);
  await probe.judge('1', Buffer.from('no FLV'), TRUTH);
  expect(probe.counts.failed).toBe(1);
  expect(told).toEqual([]);
});
