import { pieces } from '../../../src/dashboard/web/shared/pieces.js';

const options = (text: string): string[] => pieces(text).flatMap((piece) => (piece.isOption ? [piece.text] : []));

test.each([
  ['With ffmpeg: -ac 2.', ['-ac 2']],
  ['-g 60 at 30 fps (-g 120 at 60 fps)', ['-g 60', '-g 120']],
  ['With ffmpeg: -b:v 2500k -maxrate 2500k.', ['-b:v 2500k', '-maxrate 2500k']],
  ['gst: --rate 30 and a well-known 16-bit - or', ['--rate 30']],
  ['With ffmpeg: -vf "scale=1280:720,setsar=1".', ['-vf "scale=1280:720,setsar=1"']],
  ['With ffmpeg: -vf scale=1280:720, or another', ['-vf scale=1280:720']],
  ['leave -level out, or -level 4.1 (4.2 at 60 fps)', ['-level', '-level 4.1']],
  ['With ffmpeg: -c:v libx264 -pix_fmt yuv420p.', ['-c:v libx264', '-pix_fmt yuv420p']],
  ['map one of each (-map 0:v:0 -map 0:a:0); -f lavfi', ['-map 0:v:0', '-map 0:a:0', '-f lavfi']],
  ['nothing', []],
])('%s', (text, expected) => {
  expect(options(text)).toEqual(expected);
  expect(
    pieces(text)
      .map((piece) => piece.text)
      .join(''),
  ).toBe(text);
});
