import { Timeline, type Track } from '../../src/recording/timeline.js';

function placed(timeline: Timeline, packets: readonly (readonly [Track, number])[]): number[] {
  return packets.map(([track, at]) => timeline.place(track, at));
}

test('the first packet is at 0, regardless of the encoder’s clock', () => {
  expect(
    placed(new Timeline(), [
      ['video', 500_000],
      ['audio', 500_010],
      ['video', 500_033],
    ]),
  ).toEqual([0, 10, 33]);
});

test('time continues across the 32-bit wrap and past 2^24', () => {
  const timeline = new Timeline();
  const start = 2 ** 32 - 50;
  expect(
    placed(timeline, [
      ['video', start],
      ['video', (start + 33) >>> 0],
      ['audio', (start + 60) >>> 0],
      ['video', (start + 66) >>> 0],
    ]),
  ).toEqual([0, 33, 60, 66]);
  const long = new Timeline();
  for (let at = 0; at <= 28_800_000; at += 1_000) expect(long.place('video', at)).toBe(at);
});

test('a later connection continues after the earlier one', () => {
  const timeline = new Timeline();
  placed(timeline, [
    ['video', 0],
    ['audio', 5],
    ['video', 1_000],
    ['audio', 990],
  ]);
  timeline.nextSegment();
  expect(
    placed(timeline, [
      ['audio', 7_000_000],
      ['video', 7_000_020],
      ['video', 7_001_000],
    ]),
  ).toEqual([1_033, 1_053, 2_033]);
});

test('continues after a clock reset, both tracks together', () => {
  const timeline = new Timeline();
  placed(timeline, [
    ['video', 100_000],
    ['audio', 100_000],
    ['video', 100_033],
    ['audio', 100_023],
  ]);
  expect(
    placed(timeline, [
      ['video', 0],
      ['audio', 0],
      ['video', 33],
      ['audio', 23],
    ]),
  ).toEqual([66, 66, 99, 89]);
});

test('closes a pause of the whole stream, but not of a single track', () => {
  const timeline = new Timeline();
  placed(timeline, [
    ['video', 0],
    ['audio', 0],
  ]);
  expect(
    placed(timeline, [
      ['video', 60_000],
      ['audio', 60_010],
      ['video', 60_033],
    ]),
  ).toEqual([33, 43, 66]);
  const oneTrack = new Timeline();
  placed(oneTrack, [
    ['video', 0],
    ['audio', 0],
  ]);
  for (let at = 1_000; at <= 20_000; at += 1_000) oneTrack.place('audio', at);
  expect(oneTrack.place('video', 20_000)).toBe(20_000);
});

test('preserves a large offset between the tracks', () => {
  const timeline = new Timeline();
  placed(timeline, [
    ['video', 0],
    ['audio', 0],
  ]);
  for (let at = 100; at <= 8_000; at += 100) timeline.place('video', at);
  expect(
    placed(timeline, [
      ['audio', 100],
      ['video', 8_100],
      ['audio', 200],
      ['video', 8_200],
    ]),
  ).toEqual([100, 8_100, 200, 8_200]);
});

test('time never decreases within a track', () => {
  const timeline = new Timeline();
  expect(
    placed(timeline, [
      ['video', 0],
      ['video', 66],
      ['video', 33],
      ['video', 99],
    ]),
  ).toEqual([0, 66, 66, 99]);
});
