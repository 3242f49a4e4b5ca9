import { pieces } from '../../../src/dashboard/web/shared/pieces.js';

const options = (text: string): string[] => pieces(text).flatMap((piece) => (piece.isOption ? [piece.text] : []));

test.each([
  ['With ffmpeg: -ac 2.', ['-ac 2']],
  ['-g 60 at 30 fps (-g 120 at 60 fps)', ['-g 60', '-g 120']],
  ['With ffmpeg: -b:v 2500k -maxrate 2500k.', ['-b:v 2500k', '-maxrate 2500k']],
  ['gst: --rate 30 and a well-known 16-bit - or', ['--rate 30']],
  ['nothing', []],
])('%s', (text, expected) => {
  expect(options(text)).toEqual(expected);
  expect(
    pieces(text)
      .map((piece) => piece.text)
      .join(''),
  ).toBe(text);
});
