import { FlvViewer, type PlaybackWorld, playbackWorld } from '../support/playback-world.js';
import { until } from '../support/store-world.js';
import { synthStream } from '../support/synth-stream.js';

let world: PlaybackWorld;
beforeAll(async () => {
  world = await playbackWorld();
});
afterAll(() => world.close());

/** In pieces of so many milliseconds. */
function* pieces(durationMs: number, byMs: number, options: Parameters<typeof synthStream>[0] = {}) {
  let piece: ReturnType<typeof Array.from<import('../support/synth-stream.js').SynthMessage>> = [];
  let endMs = byMs;
  for (const message of synthStream({ durationMs, ...options })) {
    if (message.timestampMs >= endMs) {
      yield piece;
      piece = [];
      endMs += byMs;
    }
    piece.push(message);
  }
  yield piece;
}

test('a viewer gets the stream from the next key frame on, from time 0', async () => {
  const stream = world.begin('1');
  const parts = [...pieces(8_000, 1_000)];
  stream.send(parts[0]!);
  const viewer = new FlvViewer(world.flvUrl('1'));
  await until(() => world.playback.relayed.length === 1);
  stream.send(parts[1]!);
  await viewer.until(() => viewer.status === 200);
  expect(viewer.frames).toEqual([]);
  stream.send(parts[2]!);
  stream.send(parts[3]!);
  await viewer.until(() => viewer.frames.length >= 60);
  expect(viewer.tags.map(({ kind }) => kind).slice(0, 3)).toEqual(['data', 'video', 'audio']);
  expect(viewer.frames[0]).toMatchObject({ timestampMs: 0 });
  expect(viewer.frames[0]!.payload[0]).toBe(0x17);
  viewer.leave();
  world.skip(5_000);
  await until(() => world.streams.get('1')!.taps.size === 0);
  expect(world.playback.relayed).toEqual([]);
});
