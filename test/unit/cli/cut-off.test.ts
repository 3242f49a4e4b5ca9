/** Truncated files of every container: each reports what is missing, and a complete file reports nothing. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { cutOff } from '../../../src/cli/validate/cut-off.js';
import { runCli } from '../../support/cli.js';
import { folderOfFile } from '../../support/folders.js';
import { casesNow } from '../../support/in-full.js';
import { type MediaFile, makeMedia } from '../../support/media-files.js';

const folder = folderOfFile('airlock-cut-off-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TS_BYTES = 188;
const whole = (name: string, file: MediaFile = {}): Buffer => readFileSync(makeMedia(join(folder, name), file));
const told = (name: string, bytes: Uint8Array): Promise<string | undefined> => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return cutOff(path, 'ffmpeg');
};

/** Noise, since frames of silence have only a few bytes. */
const SOUND = { video: null, options: ['-af', 'aeval=random(0)-0.5:c=same'] };
const PROGRAM_STREAM = { video: ['-c:v', 'mpeg2video'], audio: ['-c:a', 'mp2'] };
const WINDOWS = { video: ['-c:v', 'wmv2'], audio: ['-c:a', 'wmav2'] };
const DV = {
  size: '720x576',
  rate: 25,
  video: ['-c:v', 'dvvideo', '-pix_fmt', 'yuv420p'],
  audio: ['-c:a', 'pcm_s16le'],
};

describe.each<[string, MediaFile, RegExp]>([
  ['end.mp4', {}, /^truncated file: the “mdat” box has \d+ of \d+ bytes$/],
  ['pieces.mp4', { options: ['-movflags', 'frag_keyframe+empty_moov'] }, /the “mdat” box has/],
  ['index.mov', {}, /the “mdat” box has/],
  ['matroska.mkv', {}, /the segment has \d+ of \d+ bytes/],
  ['live.mkv', { options: ['-live', '1'] }, /the last element has \d+ of \d+ bytes/],
  ['riff.avi', {}, /the list of frames has \d+ of \d+ bytes/],
  ['windows.wmv', WINDOWS, /the data object has \d+ of \d+ bytes/],
  ['live.wmv', { ...WINDOWS, options: ['-f', 'asf', '-seekable', '0'] }, /the last packet has \d+ of \d+ bytes/],
  ['transport.ts', {}, /the last packet has \d+ of 188 bytes/],
  ['blu-ray.m2ts', { options: ['-mpegts_m2ts_mode', '1'] }, /the last packet has \d+ of 192 bytes/],
  ['program.mpg', PROGRAM_STREAM, /the last packet has \d+ of \d+ bytes/],
  ['dvd.vob', { ...PROGRAM_STREAM, options: ['-f', 'vob'] }, /the last packet has \d+ of \d+ bytes/],
  ['sound.aac', SOUND, /the last frame has \d+ of \d+ bytes/],
  ['theora.ogv', { video: ['-c:v', 'libtheora'], audio: ['-c:a', 'libvorbis'] }, /truncated file: ends inside a page/],
  ['camera.dv', DV, /the last frame has \d+ of 144000 bytes/],
  ['moving.gif', { audio: null, video: [], rate: 10 }, /the GIF trailer is missing/],
])('%s', (name, file, words) => {
  test('reports what is missing when truncated, and nothing when complete', async () => {
    const bytes = whole(name, file);
    expect(await told(name, bytes)).toBeUndefined();
    // Shortly after two thirds, at no boundary of a packet, page or sector.
    const cut = Math.floor((2 * bytes.length) / 3 / 2048) * 2048 + 78;
    expect(await told(`cut-${name}`, bytes.subarray(0, cut))).toMatch(words);
  });
});

describe('a transport stream truncated at a packet boundary', () => {
  const isVideo = (bytes: Buffer, at: number) => (bytes.readUInt16BE(at + 1) & 0x1fff) === 256;
  const begins = (bytes: Buffer, at: number) => ((bytes[at + 1] ?? 0) & 0x40) !== 0;
  /** Offsets of the first packets of video frames. */
  const frames = (bytes: Buffer) =>
    Array.from({ length: bytes.length / TS_BYTES }, (_none, packet) => packet * TS_BYTES).filter(
      (at) => isVideo(bytes, at) && begins(bytes, at),
    );

  test('is detected inside a video frame, whose length is not signaled', async () => {
    const bytes = whole('frames.ts', { audio: null });
    const start = frames(bytes)[45] ?? 0;
    expect(await told('in-frame.ts', bytes.subarray(0, start + 6 * TS_BYTES))).toBe(
      'truncated file: ends inside the last video frame',
    );
  });

  test('is not detected between two frames, even if the last frame fills its packets completely', async () => {
    const bytes = whole('long.ts', { audio: null, seconds: 20 });
    const starts = frames(bytes);
    expect(await told('between.ts', bytes.subarray(0, starts[45]))).toBeUndefined();
    const full = starts.slice(40).find((at) => {
      const before = at - TS_BYTES;
      return isVideo(bytes, before) && ((bytes[before + 3] ?? 0) & 0x20) === 0;
    });
    if (full === undefined) throw new Error('no frame fills its packets');
    expect(await told('full.ts', bytes.subarray(0, full))).toBeUndefined();
  });

  test('is detected inside an audio packet, whose length is signaled', async () => {
    const bytes = whole('sound.ts', SOUND);
    const last = bytes.lastIndexOf(Buffer.from([0, 0, 1, 0xc0]));
    const packet = Math.floor(last / TS_BYTES) * TS_BYTES;
    expect(await told('in-sound.ts', bytes.subarray(0, packet + 2 * TS_BYTES))).toMatch(
      /the last PES packet of track 256 has \d+ of \d+ bytes/,
    );
  });
});

test('reports the missing index of an unfinished recording', async () => {
  const bytes = whole('ended.mp4');
  const index = bytes.indexOf('moov') - 4;
  expect(await told('not-ended.mp4', bytes.subarray(0, index))).toMatch(/the index \(“moov” box\) is missing$/);
  const avi = whole('ended.avi');
  avi.writeUInt32LE(0, 4);
  expect(await told('not-ended.avi', avi)).toMatch(/unfinished recording: the length in the header is 0/);
  const ogg = whole('ended.ogv', { video: null, audio: ['-c:a', 'libvorbis'], options: ['-f', 'ogg'] });
  const lastPage = ogg.lastIndexOf('OggS');
  ogg.writeUInt8((ogg[lastPage + 5] ?? 0) & ~4, lastPage + 5);
  expect(await told('not-ended.ogv', ogg)).toMatch(/the last page has no end-of-stream flag/);
});

test('does not take a tag after the last audio frame for a frame', async () => {
  const tag = Buffer.alloc(128);
  tag.write('TAG');
  const sound = whole('tagged.aac', SOUND);
  expect(await told('tagged.aac', Buffer.concat([sound, tag]))).toBeUndefined();
  expect(await told('cut-tagged.aac', Buffer.concat([sound.subarray(0, -9), tag]))).toMatch(/the last frame has/);
});

test('malformed lengths never cause an internal error', async () => {
  const starts = [
    'end.mp4',
    'live.mkv',
    'riff.avi',
    'windows.wmv',
    'program.mpg',
    'sound.aac',
    'theora.ogv',
    'camera.dv',
    'moving.gif',
  ];
  const heads = starts.map((name) => readFileSync(join(folder, name)).subarray(0, 400));
  const sync = Buffer.alloc(TS_BYTES * 6);
  for (let at = 0; at < sync.length; at += TS_BYTES) sync[at] = 0x47;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...heads, sync),
      fc.nat(400),
      fc.uint8Array({ maxLength: 600 }),
      async (head, kept, rest) => {
        const told = await cutOffOf(Buffer.concat([head.subarray(0, kept), rest]));
        expect(['string', 'undefined']).toContain(typeof told);
      },
    ),
    { numRuns: 400 },
  );
});

function cutOffOf(bytes: Buffer): Promise<string | undefined> {
  writeFileSync(join(folder, 'claims.bin'), bytes);
  return cutOff(join(folder, 'claims.bin'), 'ffmpeg');
}

const JUDGED = ['transport.ts', 'windows.wmv', 'sound.aac', 'end.mp4', 'program.mpg'];

test.each(casesNow(JUDGED, (name) => name === 'windows.wmv'))(
  'validate reports cut-%s as truncated under both specifications and exits with 2',
  async (name) => {
    for (const spec of ['live', 'upload']) {
      const run = await runCli(['validate', `cut-${name}`, '--spec', spec], { cwd: folder });
      expect([spec, run.code, run.stderr]).toEqual([spec, 2, '']);
      expect([spec, run.stdout]).toEqual([spec, expect.stringMatching(/: truncated file: the /)]);
    }
  },
);

test('remarks that truncation of raw H.264 cannot be detected', async () => {
  const bytes = whole('raw.h264', { audio: null });
  writeFileSync(join(folder, 'cut-raw.h264'), bytes.subarray(0, 50_000));
  const run = await runCli(['validate', 'cut-raw.h264'], { cwd: folder });
  expect(run.stdout).toMatch(/Truncation cannot be detected\./);
});
