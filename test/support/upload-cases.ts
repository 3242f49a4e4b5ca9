/** Files that are meant as uploads: one that conforms in each container that is read without ffprobe, and one for each fault. */
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FileOptions, type FileResult, validateFile } from '../../src/library/index.js';
import { runCli } from './cli.js';
import { makeContainer } from './container-files.js';
import { type MediaFile, makeMedia, runFfmpeg } from './media-files.js';

export interface UploadCase {
  /** Its ending is that of the container. */
  readonly name: string;
  /** Codes that it must have. */
  readonly codes: readonly number[];
  readonly make: (path: string, folder: string) => void;
  /** Fields that may differ, for a reason that docs/readers.md gives. */
  readonly differs?: RegExp;
}

const media = (name: string, codes: readonly number[], file: MediaFile = {}, differs?: RegExp): UploadCase => ({
  name,
  codes,
  make: (path) => void makeMedia(path, file),
  ...(differs === undefined ? {} : { differs }),
});

const NOISE = ['-f', 'lavfi', '-i', 'aevalsrc=random(0)*2-1|random(1)*2-1:s=48000'];
const PICTURES = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=30'];
const LOUD = ['-c:a', 'aac', '-ac', '2', '-b:a', '400k', '-aac_pns', '0', '-aac_is', '0', '-aac_ms', '0'];

const loud = (name: string): UploadCase => ({
  name,
  codes: [6706],
  make: (path) =>
    runFfmpeg([...NOISE, ...PICTURES, '-t', '4', '-c:v', 'libx264', '-preset', 'ultrafast', ...LOUD, path]),
});

/** ffmpeg turns a file by its header alone. */
const turned = (name: string, codes: readonly number[], degrees: number, size = '320x180'): UploadCase => ({
  name,
  codes,
  make(path, folder) {
    const upright = makeMedia(join(folder, `upright-${name}`), { size });
    runFfmpeg(['-i', upright, '-c', 'copy', '-metadata:s:v:0', `rotate=${degrees}`, path]);
  },
});

const bytes = (name: string, codes: readonly number[], content: Uint8Array): UploadCase => ({
  name,
  codes,
  make: (path) => writeFileSync(path, content),
});

const cut = (name: string, codes: readonly number[], keep: (size: number) => number, differs?: RegExp): UploadCase => ({
  name,
  codes,
  make(path) {
    makeMedia(path);
    truncateSync(path, keep(readFileSync(path).length));
  },
  ...(differs === undefined ? {} : { differs }),
});

/** The words in which a reader says that it cannot read a file. */
const REASON = /^problem$|^rules\.\d\.observed$|^errors\.0\.(description|observed|worst)$/;
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(2_000)]);

export const UPLOAD_CASES: readonly UploadCase[] = [
  media('good.mp4', []),
  media('good.mov', []),
  media('good.mkv', []),
  media('good.ts', []),
  media('good.flv', [], { options: ['-f', 'flv'] }),
  media('good.3gp', []),
  media('good.m4v', [], { options: ['-f', 'ipod'] }),
  media('good.f4v', [], { options: ['-f', 'f4v'] }),
  media('good.m2ts', [], { options: ['-mpegts_m2ts_mode', '1'] }),
  media('fragmented.mp4', [], { options: ['-movflags', 'frag_keyframe+empty_moov'] }),
  media('portrait.mp4', [], { size: '180x320' }),
  media('square.mp4', [6702], { size: '240x240' }),
  media('square.mkv', [6702], { size: '240x240' }),
  media('square.ts', [6702], { size: '240x240' }),
  media('square.flv', [6702], { size: '240x240', options: ['-f', 'flv'] }),
  turned('turned.mp4', [], 90),
  turned('turned.mov', [], 270),
  turned('upside-down.mp4', [6702], 180, '240x180'),
  media('anamorphic.mp4', [], { size: '240x180', options: ['-aspect', '16:9'] }),
  media('anamorphic.mkv', [], { size: '240x180', options: ['-aspect', '16:9'] }),
  media('anamorphic.ts', [], { size: '240x180', options: ['-aspect', '16:9'] }),
  media('anamorphic.flv', [], { size: '240x180', options: ['-aspect', '16:9', '-f', 'flv'] }),
  media('narrow.mov', [6702], { size: '320x180', options: ['-aspect', '4:3'] }),
  media('narrow.mkv', [6702], { size: '320x180', options: ['-aspect', '4:3'] }),
  media('mpeg2.ts', [6703, 6706], {
    size: '240x180',
    video: ['-c:v', 'mpeg2video'],
    audio: ['-c:a', 'mp2'],
    options: ['-aspect', '16:9'],
  }),
  media('mp3.mp4', [6703], { audio: ['-c:a', 'libmp3lame'] }),
  media('mp3.flv', [6703, 6704], {
    audio: ['-c:a', 'libmp3lame'],
    sampleRate: 44_100,
    options: ['-f', 'flv'],
  }),
  media('opus.mkv', [6703], { audio: ['-c:a', 'libopus'] }),
  media('pcm.mov', [6703, 6706], { audio: ['-c:a', 'pcm_s16le'] }),
  media('44100.mp4', [6704], { sampleRate: 44_100 }),
  media('44100.mkv', [6704], { sampleRate: 44_100 }),
  media('44100.ts', [6704], { sampleRate: 44_100 }),
  media('44100.flv', [6704], { sampleRate: 44_100, options: ['-f', 'flv'] }),
  media('surround.mp4', [6705], { layout: '5.1' }),
  media('surround.mkv', [6705], { layout: '5.1' }),
  media('surround.ts', [6705], { layout: '5.1' }),
  loud('loud.mp4'),
  loud('loud.mkv'),
  loud('loud.ts'),
  loud('loud.flv'),
  media('silent.mp4', [], { audio: null }),
  media('tone.mp4', [6707], { video: null }),
  media('vp8.webm', [6701, 6703], { video: ['-c:v', 'libvpx'], audio: ['-c:a', 'libvorbis'] }),
  media('hevc.mp4', [], { video: ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none'] }),
  media('mpeg4.mov', [], { video: ['-c:v', 'mpeg4'] }),
  bytes('picture.mp4', [6701, 6707], PNG),
  bytes('playlist.mp4', [6701, 6707], Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/hostname\n')),
  bytes('words.mp4', [6707], Buffer.from('just words, and many of them. '.repeat(100))),
  bytes('empty.mp4', [6707], Buffer.alloc(0)),
  cut('no-index.mp4', [6707], () => 3_000, REASON),
  cut('cut.mkv', [], (size) => size - 2_000),
  cut('cut.ts', [], (size) => size - 100),
  {
    name: 'cut-faststart.mp4',
    codes: [],
    make(path) {
      makeMedia(path, { options: ['-movflags', '+faststart'] });
      truncateSync(path, readFileSync(path).length - 5_000);
    },
  },
  {
    name: 'named.gif',
    codes: [],
    make(path, folder) {
      const whole = join(folder, 'of-gif.mp4');
      makeMedia(whole);
      copyFileSync(whole, path);
    },
  },
];

/** Published containers that have no reader here. */
export const UNREAD_CONTAINERS = ['asf', 'avi', 'dat', 'divx', 'dv', 'mod', 'mpg', 'nsv', 'ogv', 'vob', 'wmv'] as const;

export function makeUnread(name: (typeof UNREAD_CONTAINERS)[number], folder: string): string {
  return makeContainer(name, folder);
}

export async function uploadByValidate(path: string): Promise<FileResult> {
  const { stdout } = await runCli(['validate', path, '--spec', 'upload', '--format', 'json']);
  return JSON.parse(stdout).files[0];
}

/** As JSON has it. */
export async function uploadByLibrary(path: string, options: FileOptions = {}): Promise<FileResult> {
  return JSON.parse(JSON.stringify(await validateFile(path, { ...options, meantAs: 'upload' })));
}

/** Length by the container, and by the frames. */
const LENGTH_SLACK_MS = 200;

/** Fields in which both results of the file differ. */
export async function uploadDifferences(path: string): Promise<string[]> {
  const [theirs, ours] = [await uploadByValidate(path), await uploadByLibrary(path)];
  const [their, our] = [fieldsOf(theirs), fieldsOf(ours)];
  return [...new Set([...their.keys(), ...our.keys()])]
    .filter((name) => !isEqual(name, their.get(name), our.get(name)))
    .map((name) => `${name}: ffprobe ${JSON.stringify(their.get(name))}, own ${JSON.stringify(our.get(name))}`);
}

function isEqual(name: string, theirs: unknown, ours: unknown): boolean {
  if (name !== 'stream.streamTimeMs') return theirs === ours;
  return Math.abs(Number(theirs) - Number(ours)) <= LENGTH_SLACK_MS;
}

function fieldsOf(value: unknown, name = '', found = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) fieldsOf(inner, name === '' ? key : `${name}.${key}`, found);
  } else found.set(name, value);
  return found;
}

/** @throws if both differ in more than the case allows, or if it has other codes */
export async function expectEqualUpload({ name, codes, make, differs }: UploadCase, folder: string): Promise<string> {
  const path = join(folder, name);
  make(path, folder);
  const found = await uploadDifferences(path);
  expect(found.filter((line) => differs?.test(line.slice(0, line.indexOf(': '))) !== true)).toEqual([]);
  const { errors } = await uploadByLibrary(path);
  expect(errors.map((record) => record.error_code)).toEqual(codes);
  return path;
}
