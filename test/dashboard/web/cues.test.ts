import { cuesOf } from '../../../src/dashboard/web/dashboard/videos/cues.js';

test('reads times and text, with and without hours and identifiers, and leaves other blocks out', () => {
  const file = [
    'WEBVTT',
    'NOTE no cue',
    '1\n00:00:01.500 --> 00:00:03.000\n<i>Good evening</i>\nand welcome',
    '02:05.250 --> 02:06.000 line:0\nFish &amp; chips &lt;3',
    '01:00:00.000 --> 01:00:01.000\nlast',
  ].join('\n\n');
  expect(cuesOf(file)).toEqual([
    { fromMs: 1_500, text: 'Good evening\nand welcome' },
    { fromMs: 125_250, text: 'Fish & chips <3' },
    { fromMs: 3_600_000, text: 'last' },
  ]);
  expect(cuesOf('')).toEqual([]);
});
