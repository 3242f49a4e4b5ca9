/** The second video track of a stream as a quality of its own, with a real child and real sockets. */
import { expect, test } from '@jest/globals';
import { Taps } from '../../src/broadcasts/taps.js';
import { SliceList } from '../../src/bytes/slices.js';
import type { MediaTap } from '../../src/ports/index.js';
import { payloadBuffers } from '../support/payload-buffers.js';
import { FlvViewer, HandStream, type PlaybackHarness, playbackHarness } from '../support/playback-harness.js';
import { until } from '../support/store-harness.js';
import type { SynthMessage } from '../support/synth-stream.js';
import { twoTracks } from '../support/two-tracks.js';

let harness: PlaybackHarness;
beforeAll(async () => {
  harness = await playbackHarness();
});
afterAll(() => harness.close());

/** Splits tracks as a publication does. */
class TrackStream extends HandStream {
  readonly #all = new Taps(payloadBuffers());

  override send(messages: Iterable<SynthMessage>): void {
    for (const { kind, timestampMs, payload } of messages) this.#all.packet(kind, timestampMs, SliceList.of(payload));
  }

  override attach(tap: MediaTap): void {
    this.taps.add(tap);
    this.#all.attach(tap);
  }
}

const MAIN = { width: 640, height: 360, levelIdc: 30, videoKbps: 400, durationMs: 6_000 };
const sizes = (viewer: FlvViewer) => viewer.frames.reduce((sum, { payload }) => sum + payload.length, 0);

test('each viewer gets the track of its path, both count as viewers of the broadcast, and both end with it', async () => {
  const id = '71';
  const stream = new TrackStream();
  harness.streams.set(id, stream);
  const first = new FlvViewer(harness.flvUrl(id));
  const second = new FlvViewer(harness.flvUrl(id).replace('.flv', '.1.flv'));
  await until(() => stream.taps.size === 2);
  stream.send(twoTracks(MAIN, { ...MAIN, videoKbps: 100 }));
  await first.until(() => first.frames.length >= 170);
  await second.until(() => second.frames.length >= 170);
  expect(sizes(first)).toBeGreaterThan(3 * sizes(second));
  // In FLV's own form, which every player reads.
  expect(new Set(second.frames.map(({ payload }) => (payload[0] ?? 0) & 0x8f))).toEqual(new Set([7]));
  expect(harness.playback.viewers(id)).toEqual({ now: 2, peak: 2 });
  harness.playback.ended(id);
  await until(() => harness.playback.viewers(id).now === 0);
});

test('a ticket of another broadcast opens no track', async () => {
  const [, query = ''] = harness.flvUrl('72').split('?');
  const response = await fetch(`${harness.origin}/playback/71.1.flv?${query}`);
  expect(response.status).toBe(403);
  expect((await fetch(`${harness.origin}/playback/71.1/index.m3u8?${query}`)).status).toBe(403);
});

test('HLS of another track is a preview of its own, whose player counts as a viewer of the broadcast', async () => {
  const id = '73';
  const stream = new TrackStream();
  harness.streams.set(id, stream);
  const main = harness.origin + harness.playback.links(id).hls;
  const other = main.replace(`/${id}/`, `/${id}.1/`);
  const asked = [main, other].map((url) => fetch(url));
  await until(() => stream.taps.size === 2);
  stream.send(twoTracks(MAIN, { ...MAIN, videoKbps: 100 }));
  const sizesOf = await Promise.all(
    asked.map(async (answer, at) => {
      const text = await (await answer).text();
      const segment = text.split('\n').find((line) => line.includes('.ts?')) ?? '';
      const url = new URL(segment, at === 0 ? main : other);
      return (await (await fetch(url)).arrayBuffer()).byteLength;
    }),
  );
  expect(sizesOf[0]).toBeGreaterThan(2 * (sizesOf[1] ?? 0));
  expect(sizesOf[1]).toBeGreaterThan(10_000);
  expect(harness.playback.viewers(id).now).toBe(2);
  harness.playback.ended(id);
});
