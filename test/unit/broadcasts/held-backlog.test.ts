/** An encoder whose publish was held sends what it captured meanwhile, with a hole: what is judged of it. */
import { SliceList } from '../../../src/bytes/slices.js';
import { IngestHarness, type Stay } from '../../support/ingest-harness.js';
import { until } from '../../support/store-harness.js';
import { synthStream } from '../../support/synth-stream.js';

const HELD_MS = 4_500;
const SMALL = { videoKbps: 300, width: 640, height: 360, levelIdc: 30 };

let harness: IngestHarness;
beforeEach(async () => {
  harness = await IngestHarness.open();
});
afterEach(() => harness.close());

const resumed = (heldMs: number): Promise<Stay> => {
  const liveSinceMs = harness.clock.wallMs() - 60_000;
  return harness.publish({ status: 'LIVE', stream: 'interrupted', liveSinceMs }, heldMs);
};

/** The first frames, then those from the end of the wait on: as GStreamer, whose pipeline stands still during the wait. */
function sendAfterWait({ publication }: Stay, options: { channels?: number; keyFrameIntervalMs?: number } = {}): void {
  const acceptedMs = harness.clock.monotonicMs();
  let messageNumber = 0;
  const frames = synthStream({
    ...SMALL,
    ...options,
    durationMs: HELD_MS + 20_000,
    edit: (frame) => (frame.role !== 'config' && frame.atMs > 100 && frame.atMs < HELD_MS ? [] : [frame]),
  });
  for (const { kind, timestampMs, payload } of frames) {
    const dueMs = acceptedMs + Math.max(0, timestampMs - HELD_MS);
    for (; harness.clock.monotonicMs() + 100 <= dueMs; harness.tick()) harness.clock.advance(100);
    const atMs = harness.clock.monotonicMs();
    const message = {
      payload: SliceList.of(payload),
      timestampMs,
      messageNumber: ++messageNumber,
      byteOffset: 0,
      atMs,
    };
    if (kind === 'video') publication.video(message);
    if (kind === 'audio') publication.audio(message);
  }
}

test('raises no record for the wait', async () => {
  sendAfterWait(await resumed(HELD_MS));
  expect(harness.changes()).toEqual([]);
});

test.each([
  ['of a broadcast that goes LIVE with its first frame', { goLiveOnData: true }, 'LIVE'],
  ['of a preview', { goLiveOnData: false }, 'UNPUBLISHED'],
] as const)('raises no record for the wait %s', async (_what, over, status) => {
  const stay = await harness.publish(over, HELD_MS);
  const startedMs = harness.clock.wallMs();
  sendAfterWait(stay, { channels: 1 });
  // Judged after the wait.
  expect(harness.changes()).toEqual(['raised 6304']);
  await until(async () => (await harness.data(stay)).status === status);
  // LIVE from the first frame on, not from the end of the wait on.
  const { broadcastStartMs } = await harness.data(stay);
  expect(broadcastStartMs).toBe(status === 'LIVE' ? startedMs : undefined);
});

test('reports the hole of the same stream without a wait', async () => {
  sendAfterWait(await harness.publish({}, 0));
  expect(harness.changes()).toContain('raised 6208');
  harness.entries.length = 0;
  sendAfterWait(await resumed(0));
  expect(harness.changes()).toContain('raised 6208');
});

test('faults behind the wait are reported', async () => {
  sendAfterWait(await resumed(HELD_MS), { channels: 1, keyFrameIntervalMs: 6_000 });
  expect(harness.changes()).toEqual(expect.arrayContaining(['raised 6304', 'raised 6208']));
});

test('a stream that never has a key frame again is judged nevertheless', async () => {
  sendAfterWait(await resumed(HELD_MS), { keyFrameIntervalMs: 60_000 });
  expect(harness.changes()).toEqual(['raised 6208']);
});
