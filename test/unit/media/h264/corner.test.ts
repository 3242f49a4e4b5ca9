/** The brightness of the corner of key frames that x264 writes, compared with the pixels that ffmpeg decodes. */
import { execFileSync } from 'node:child_process';
import { SliceList } from '../../../../src/bytes/slices.js';
import { FlvFileReader } from '../../../../src/media/flv/file-reader.js';
import { TagParser } from '../../../../src/media/flv/tag-parser.js';

const SIZE = 64;
const FRAMES = 8;
const FRAME_BYTES = (SIZE * SIZE * 3) / 2;
/** From black to white, each with noise. */
const SOURCE = `nullsrc=s=${SIZE}x${SIZE}:r=25,geq=lum='16+28*N+24*random(1)-12':cb=128:cr=128`;
const ffmpeg = (input: Uint8Array | undefined, ...args: string[]) =>
  execFileSync('ffmpeg', ['-v', 'error', ...args, 'pipe:1'], { input, maxBuffer: 2 ** 24 });

function encode(...options: string[]): Buffer {
  const source = ['-f', 'lavfi', '-i', SOURCE, '-frames:v', String(FRAMES)];
  return ffmpeg(undefined, ...source, '-c:v', 'libx264', '-g', '1', '-bf', '0', ...options, '-f', 'flv');
}

function corners(flv: Uint8Array, change = (payload: Uint8Array): Uint8Array => payload): number[] {
  const parser = new TagParser({ analysis: true, isFile: true });
  const found: number[] = [];
  const reader = new FlvFileReader(
    {
      tag(kind, timestampMs, payload) {
        if (kind !== 'video') return;
        const bytes = change(payload.copy(0, payload.length));
        parser.parseVideo(SliceList.of(bytes), timestampMs);
        if (parser.video.type === 'coded') found.push(parser.video.cornerLuma);
      },
    },
    0,
  );
  reader.push(flv);
  return found;
}

/** Means of the first 4x4, 8x8 and 16x16 pixels: the encoder chooses. */
function means(luma: Uint8Array): number[] {
  return [4, 8, 16].map((size) => {
    let sum = 0;
    for (let at = 0; at < size * size; at++) sum += luma[Math.trunc(at / size) * SIZE + (at % size)] as number;
    return sum / (size * size);
  });
}

const x264 = (params: string) => ['-x264-params', `no-deblock=1:${params}`];

test.each([
  ['CAVLC', ['-profile:v', 'baseline', ...x264('qp=24')]],
  ['CAVLC with a fine quantizer', ['-profile:v', 'baseline', ...x264('qp=8')]],
  ['CAVLC and 8x8 blocks', [...x264('cabac=0:8x8dct=1:partitions=i8x8:qp=20')]],
  ['CABAC', ['-profile:v', 'main', ...x264('qp=24')]],
  ['CABAC with a fine quantizer', ['-profile:v', 'main', ...x264('qp=10')]],
  ['CABAC and 8x8 blocks', [...x264('8x8dct=1:partitions=i8x8:qp=20')]],
  ['CABAC with a coarse quantizer', [...x264('8x8dct=1:qp=44')]],
  ['a deblocking filter of its own', ['-x264-params', 'deblock=-6,-6:cabac=0:8x8dct=0:qp=16']],
])('with %s, the corner of a key frame is as bright as it is decoded', (_what, options) => {
  const flv = encode(...options);
  const decoded = ffmpeg(flv, '-f', 'flv', '-i', 'pipe:0', '-f', 'rawvideo', '-pix_fmt', 'yuv420p');
  const found = corners(flv);
  expect(found).toHaveLength(FRAMES);
  found.forEach((luma, i) => {
    const apart = means(decoded.subarray(i * FRAME_BYTES)).map((mean) => Math.abs(mean - luma));
    expect(Math.min(...apart)).toBeLessThan(2);
  });
});

test.each([
  ['fields', ['-flags', '+ildct', ...x264('tff=1')]],
  ['4:4:4', ['-pix_fmt', 'yuv444p']],
  ['scaling lists', [...x264('cqm=jvt')]],
  ['inter pictures', ['-g', '250', ...x264('keyint=250:scenecut=0')]],
])('it is not known for %s', (what, options) => {
  const found = corners(encode(...options)).slice(what === 'inter pictures' ? 1 : 0);
  expect(found.every(Number.isNaN)).toBe(true);
});

test('the luma of damaged key frames is a number from 0 to 255, or not known', () => {
  const flv = encode(...x264('qp=24'));
  for (const seed of [1, 7, 29, 101]) {
    const damage = (payload: Uint8Array) =>
      payload[1] === 0 ? payload : payload.map((byte, at) => (at > 12 && (at * seed) % 31 === 0 ? byte ^ seed : byte));
    const cut = (payload: Uint8Array) => (payload[1] === 0 ? payload : payload.subarray(0, 12 + (seed % 23)));
    for (const luma of [...corners(flv, damage), ...corners(flv, cut)]) expect(luma < 0 || luma > 255).toBe(false);
  }
});
