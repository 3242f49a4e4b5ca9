import { createReadStream, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { notesOf } from '../../../../src/check/container-check.js';
import { silentFrame } from '../../../support/aac-writer.js';
import { type CliRun, runCli } from '../../../support/cli.js';
import { aacFrame, flvFile } from '../../../support/flv-writer.js';
import { folderOfFile } from '../../../support/folders.js';
import { type MediaFile, makeMedia } from '../../../support/media-files.js';
import { type SynthFrame, synthStream } from '../../../support/synth-stream.js';

const folder = folderOfFile('airlock-validate-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, content: Uint8Array | string) => {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), content);
};
const validate = (...args: string[]): Promise<CliRun> => runCli(['validate', ...args], { cwd: folder, env: {} });
const codes = (run: CliRun): number[][] =>
  JSON.parse(run.stdout).files.map((file: { errors: { error_code: number }[] }) =>
    file.errors.map((record) => record.error_code),
  );

const clean = flvFile(synthStream({ durationMs: 12_000 }));
const longGap = flvFile(synthStream({ durationMs: 12_000, keyFrameIntervalMs: 6000 }));

const SILENT_FRAME = aacFrame(silentFrame(2, 300));
const silenced = (frame: SynthFrame): SynthFrame[] => [
  frame.role === 'audioFrame' ? { ...frame, payload: SILENT_FRAME } : frame,
];

beforeAll(() => {
  put('clean.flv', clean);
  put('more/long-gap.flv', longGap);
  put('more/notes.txt', 'no recording');
  put('empty.flv', '');
  put('cut.flv', clean.subarray(0, clean.length - 7));
  put('text.flv', 'this is not a recording, despite its name');
  put('header.flv', clean.subarray(0, 13));
});

describe('verdicts', () => {
  test('exits with 0 for a stream that meets the specification', async () => {
    const run = await validate('clean.flv', '--verbose');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^clean\.flv: no violations/);
    expect(run.stdout).toMatch(/pass +6208 +Key frame interval +2 s +4 s/);
  });

  test('the table says of a passing rule what was measured, not its fault', async () => {
    const { stdout } = await validate('clean.flv', '--verbose');
    const rows = new Map(
      [...stdout.matchAll(/^pass {2}(\d{4}) {2}(.*)$/gm)].map(([, code, rest]) => [Number(code), rest?.trim()]),
    );
    expect([6218, 6219, 6220, 6221, 6223, 6224, 6225, 6228, 6307].map((code) => rows.get(code))).toEqual([
      expect.stringMatching(/ {2}only at an IDR +an IDR$/),
      expect.stringMatching(/ {2}received +its SPS and PPS$/),
      expect.stringMatching(/ {2}none missing +0$/),
      expect.stringMatching(/ {2}well-formed +well-formed$/),
      expect.stringMatching(/ {2}no underflow +0 %$/),
      expect.stringMatching(/ {2}an IDR +an IDR$/),
      expect.stringMatching(/ {2}the sequence header +0$/),
      expect.stringMatching(/ {2}not Baseline +I and P slices$/),
      expect.stringMatching(/ {2}valid raw frames +a valid raw frame$/),
    ]);
    expect(rows.get(6801)).toMatch(/ {2}-\d+(\.\d)? LUFS +-60 LUFS$/);
    expect([6217, 6222, 6227, 6229, 6403, 6411].map((code) => rows.get(code))).toEqual([
      expect.stringMatching(
        / {2}H\.264, 1280x720, AAC, 48000 Hz, 2 channels +H\.264, 1280x720, AAC, 48000 Hz, 2 channels$/,
      ),
      expect.stringMatching(/ {2}\d+ frames? +\d+ frames$/),
      expect.stringMatching(/ {2}(not stated|1:1) +a ratio of two positive numbers$/),
      expect.stringMatching(/ {2}1 slice +8 slices$/),
      expect.stringMatching(
        / {2}H\.264, 1280x720, High profile, .* 2 audio channels +H\.264, 1280x720, High profile, .* 2 audio channels$/,
      ),
      expect.stringMatching(/ {2}0 frames +2 frames$/),
    ]);
    expect(rows.get(6804)).toMatch(/ {2}\d+ frames? +19 frames$/);
  });

  test('silence is no repeated sound: 6804 is not judged by it', async () => {
    put('silent.flv', flvFile(synthStream({ durationMs: 4_000, edit: silenced })));
    const run = await validate('silent.flv', '--verbose');
    expect(run.stdout).not.toMatch(/^pass {2}6804 /m);
    expect(run.stdout).toMatch(/^Not judged \(track missing or too short\):.* 6804/m);
  });

  test.each([
    ['video', 6401],
    ['audio', 6402],
  ])('a file of headers has no %s since the start, not for 0 ms', async (kind, code) => {
    const headers = synthStream({ durationMs: 1000, edit: (frame) => (frame.role === 'config' ? [frame] : []) });
    put('headers.flv', flvFile(headers));
    const { stdout } = await validate('headers.flv');
    expect(stdout).toContain(`error  ${code}  No ${kind} since the start; the stream must carry both audio and video.`);
  });

  test('exits with 1 for a violation and reports its time, description and remedy', async () => {
    const table = await validate('more/long-gap.flv', '--verbose');
    expect(table.code).toBe(1);
    expect(table.stdout).toMatch(/FAIL +6208/);
    expect(table.stdout).toMatch(/error at 0:00:04\.0\d\d[\s\S]*\[6208 KEY_FRAME_INTERVAL_TOO_LONG\]/);
    const run = await validate('more/long-gap.flv');
    expect(run.code).toBe(1);
    expect(run.stdout).toBe(
      [
        'more/long-gap.flv:0:00:04.067  error  6208  No key frame for 6 s; the interval must not exceed 4 s.',
        '    With ffmpeg: -g 60 at 30 fps (-g 120 at 60 fps).',
        '',
        '1 file: 1 with errors (exit code 1)',
        '',
      ].join('\n'),
    );
  });

  test('--fail-on warning also fails on warnings', async () => {
    put('warned.flv', flvFile(synthStream({ durationMs: 3000, width: 1000, height: 562 })));
    const run = await validate('warned.flv', '--format', 'json');
    expect(run.code).toBe(0);
    expect(codes(run)).toEqual([[6205]]);
    expect((await validate('warned.flv', '--fail-on', 'warning')).code).toBe(1);
  });

  test('reads standard input as FLV, in chunks of any size', async () => {
    const pieces = Readable.from(
      Array.from({ length: Math.ceil(longGap.length / 7919) }, (_none, at) =>
        longGap.subarray(at * 7919, (at + 1) * 7919),
      ),
    );
    const piped = await runCli(['validate', '-', '--format', 'json'], { stdin: pieces });
    const file = await validate('more/long-gap.flv', '--format', 'json');
    expect(piped.code).toBe(1);
    expect(JSON.parse(piped.stdout).files[0].errors).toEqual(JSON.parse(file.stdout).files[0].errors);
  });
});

describe('file arguments', () => {
  test('folders and patterns expand to the recordings in them', async () => {
    expect(JSON.parse((await validate('more', '--format', 'json')).stdout).files[0].file).toBe('more/long-gap.flv');
    const found = async (pattern: string) =>
      JSON.parse((await validate(pattern, '--format', 'json')).stdout).files.map((file: { file: string }) => file.file);
    expect(await found('*/lo?g-*.flv')).toEqual(['more/long-gap.flv']);
    expect(await found('**/c*n.flv')).toEqual(['clean.flv']);
  });
});

describe('unreadable input exits with 2 and a reason', () => {
  test.each([
    ['empty.flv', /unreadable: empty file/],
    ['cut.flv', /truncated file: ends inside a tag/],
    ['text.flv', /unsupported container \(ffprobe: /],
    ['header.flv', /no video or audio/],
  ])('%s', async (file, message) => {
    const run = await validate(file);
    expect(run.code).toBe(2);
    expect(run.stdout).toMatch(message);
    expect(run.stdout + run.stderr).not.toMatch(/^\s+at /m);
  });

  test('judges the other files when one is unreadable', async () => {
    const run = await validate('empty.flv', 'more/long-gap.flv', '--format', 'json');
    expect(run.code).toBe(2);
    expect(JSON.parse(run.stdout).summary).toMatchObject({ files: 2, unreadable: 1, with_errors: 1 });
  });

  test('reports garbage after a valid start together with the errors before it', async () => {
    put('garbage.flv', Buffer.concat([longGap, Buffer.alloc(4096, 0xa5)]));
    const run = await validate('garbage.flv', '--format', 'json');
    expect(run.code).toBe(2);
    const [file] = JSON.parse(run.stdout).files;
    expect(file.problem).toMatch(/invalid FLV at byte \d+|inside a tag/);
    expect(file.errors.map((record: { error_code: number }) => record.error_code)).toContain(6208);
  });

  test('a playlist cannot open another file', async () => {
    put('list.mp4', `#EXTM3U\n#EXTINF:1,\n${join(folder, 'clean.flv')}\n`);
    expect(await validate('list.mp4')).toMatchObject({ code: 2 });
  });
});

describe('--expect', () => {
  test.each<[string, unknown, number]>([
    ['the codes, as a list', [6208], 0],
    ['as an object', { errors: [{ code: 6208 }] }, 0],
    ['rules judged by arrival are not compared', [6208, 6406], 0],
    ['a missing code', [], 1],
    ['an extra code', [6208, 6301], 1],
    ['an unknown code', [1], 2],
    ['no list', { codes: 1 }, 2],
  ])('%s', async (_what, content, code) => {
    put('expected.json', JSON.stringify(content));
    expect((await validate('more/long-gap.flv', '--expect', 'expected.json')).code).toBe(code);
  });
});

describe('other containers', () => {
  const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-b:v', '700k', '-g', '60'];
  const make = (name: string, file: MediaFile = {}) =>
    makeMedia(join(folder, name), { size: '640x360', seconds: 6, video: x264, ...file });

  test.each(['mp4', 'mkv', 'ts', 'mov'])('%s is judged as the same packets in FLV are', async (container) => {
    make(`same.${container}`, { layout: 'mono' });
    const run = await validate(`same.${container}`, '--format', 'json');
    expect(codes(run)).toEqual([[6304]]);
    expect(JSON.parse(run.stdout).files[0]).toMatchObject({ outcome: 'error', stream: { width: 640, height: 360 } });
  });

  test('names a codec that FLV cannot carry and does not report its track as missing', async () => {
    make('mpeg2.mkv', { video: ['-c:v', 'mpeg2video', '-g', '60'], audio: ['-c:a', 'mp2'] });
    const run = await validate('mpeg2.mkv', '--format', 'json');
    expect(codes(run)[0]?.sort()).toEqual([6201, 6301, 6305, 6306]);
    expect(run.stdout).toMatch(/The video codec is .*mpeg2video/);
    expect(run.stdout).not.toMatch(/unknown \(0x/);
    // Only H.264 has IDRs.
    const idr = JSON.parse(run.stdout).files[0].rules.find((rule: { code: number }) => rule.code === 6214);
    expect(idr.judged).toBe('not-judged');
  });

  const first = async (name: string) => JSON.parse((await validate(name, '--format', 'json')).stdout).files[0];

  test('judges AAC in LATM as AAC with the configuration in its packets', async () => {
    make('latm.ts', { layout: 'mono', sampleRate: 22_050, options: ['-mpegts_flags', '+latm'] });
    const file = await first('latm.ts');
    expect(file.errors.map((record: { error_code: number }) => record.error_code)).toEqual([6303, 6304]);
    expect(file.stream).toMatchObject({ audioCodec: 'AAC LC', sampleRate: 22050, channels: 1 });
    expect(file.notes.join()).toMatch(/AAC in LATM/);
  });

  test.each([
    ['pcm.mov', 'pcm_s16le', [6301, 6305, 6306]],
    ['mp3.mov', 'libmp3lame', [6301]],
  ])('reports no audio property in %s that the file does not contain', async (name, codec, errors) => {
    make(name, { audio: ['-c:a', codec] });
    const file = await first(name);
    expect(file.errors.map((record: { error_code: number }) => record.error_code)).toEqual(errors);
    expect(file.notes.join()).toMatch(/48 kHz, 2 channels/);
    // FLV has no code for this rate, so the substitute FLV must not supply one.
    expect(file.stream.sampleRate).toBeUndefined();
    const judged = (code: number) => file.rules.find((rule: { code: number }) => rule.code === code).judged;
    expect([6303, 6304].map(judged)).toEqual(['not-judged', 'not-judged']);
  });

  test('judges a raw stream without timestamps by its frame count', async () => {
    const interlaced = ['-flags', '+ildct+ilme', '-x264-params', 'tff=1:bframes=2'];
    make('raw.h264', { audio: null, video: [...x264, ...interlaced] });
    const file = await first('raw.h264');
    expect(file).toMatchObject({ outcome: 'error', container: 'h264', stream: { frameRate: 30, streamTimeMs: 5967 } });
    expect(file.errors.map((record: { error_code: number }) => record.error_code)).toEqual([6212, 6402]);
    expect(file.notes).toEqual([
      expect.stringMatching(/^Shorter than a measuring window: judged over the whole 6\.0 s: /),
      expect.stringMatching(/^Raw H\.264 has no timestamps: 30 fps is assumed\. /),
    ]);
  });

  test('offline and live agree on metadata (6217)', async () => {
    const metadata = { encoder: 'Example 1.0', audiosamplerate: 22_050 };
    put('claims.flv', flvFile(synthStream({ durationMs: 2000, metadata })));
    expect((await first('claims.flv')).errors).toEqual([
      expect.objectContaining({ error_code: 6217, observed: '22050 Hz', limit: '48000 Hz' }),
    ]);
    // What an ffmpeg that publishes another container states is judged as well, but not taken for the encoder of the file.
    make('claims.mp4', { options: ['-fflags', '+bitexact'] });
    const file = await first('claims.mp4');
    const { judged } = file.rules.find((rule: { code: number }) => rule.code === 6217);
    expect([judged, file.stream.encoder]).toEqual(['pass', 'unknown']);
  });

  test('reports the encoder named in the file, not the ffmpeg that remuxes it', async () => {
    make('named.mkv');
    expect((await first('named.mkv')).stream.encoder).toMatch(/^FFmpeg/);
    make('unnamed.mp4', { options: ['-fflags', '+bitexact'] });
    expect((await first('unnamed.mp4')).stream.encoder).toBe('unknown');
  });

  test.each([
    ['HE-AAC', 'AAC LC', 1],
    ['LC', 'AAC LC', 0],
    ['HE-AAC', 'HE-AAC', 0],
  ])('frames that decode as %s with a header of %s: %i notes', (profile, header, notes) => {
    const details = 'AAC (Advanced Audio Coding), 44.1 kHz, 2 channels';
    const track = { index: 0, kind: 'audio' as const, codec: 'aac', profile, details };
    const shape = { container: 'mpegts', encoder: '', tracks: [track], otherTracks: 0, startS: 0 };
    expect(notesOf(shape, header)).toHaveLength(notes);
  });

  test('names the missing program when ffmpeg is not installed', async () => {
    make('needs.avi');
    const run = await runCli(['validate', 'needs.avi'], { cwd: folder, env: { FFPROBE_PATH: '/nowhere/ffprobe' } });
    expect(run.code).toBe(2);
    expect(run.stdout).toMatch(/\/nowhere\/ffprobe is needed for this container/);
  });
});

describe('--spec upload', () => {
  test('passes a conforming file', async () => {
    makeMedia(join(folder, 'up.mp4'), { size: '640x360' });
    const run = await validate('up.mp4', '--spec', 'upload', '--verbose');
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/pass +6702/);
  });

  test('reports a wrong aspect ratio and audio format without applying live rules', async () => {
    makeMedia(join(folder, 'up.mkv'), { size: '640x480', sampleRate: 44_100, audio: ['-c:a', 'libmp3lame'] });
    const run = await validate('up.mkv', '--spec', 'upload', '--format', 'json');
    expect(run.code).toBe(1);
    expect(codes(run)).toEqual([[6702, 6703, 6704]]);
  });

  test('exits with 2 for a file that is not a recording', async () => {
    const run = await validate('text.flv', '--spec', 'upload');
    expect(run.code).toBe(2);
    expect(run.stdout).toMatch(/unknown container format/);
  });
});

test('--output writes the report to the file', async () => {
  const run = await validate('clean.flv', '--format', 'json', '--output', 'report.json');
  expect(run).toMatchObject({ code: 0, stdout: '' });
  expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')).summary.passed).toBe(1);
});

test('a large file gives the same report as the same bytes on standard input', async () => {
  const changing = synthStream({
    durationMs: 30_000,
    videoKbps: 6000,
    changes: [{ atMs: 15_000, width: 640, height: 360 }],
  });
  put('pieces.flv', flvFile(changing));
  const piped = await runCli(['validate', '-', '--format', 'json'], {
    stdin: createReadStream(join(folder, 'pieces.flv')),
  });
  const [file] = JSON.parse((await validate('pieces.flv', '--format', 'json')).stdout).files;
  expect({ ...file, file: '-' }).toEqual(JSON.parse(piped.stdout).files[0]);
  expect(file.errors.map((record: { error_code: number }) => record.error_code)).toContain(6403);
  expect(file.bytes).toBeGreaterThan(10e6);
});

test('reads a long file in constant memory', async () => {
  const path = join(folder, 'long.flv');
  const parts = [...synthStream({ durationMs: 10_000, videoKbps: 9000 })];
  const big = flvFile(parts);
  writeFileSync(path, big);
  const stream = Readable.from(repeated(path, big, 18), { objectMode: true });
  const before = process.memoryUsage().arrayBuffers;
  let peak = 0;
  const watched = Readable.from(peaks(stream, (bytes) => (peak = Math.max(peak, bytes - before))));
  const run = await runCli(['validate', '-', '--format', 'json'], { stdin: watched });
  expect(JSON.parse(run.stdout).files[0].bytes).toBeGreaterThan(150e6);
  expect(peak).toBeLessThan(100e6);
});

/** The file repeated as one: the header and the first back pointer only once. */
async function* repeated(path: string, content: Uint8Array, times: number): AsyncGenerator<Buffer> {
  yield Buffer.from(content.subarray(0, 13));
  for (let i = 0; i < times; i++) {
    for await (const bytes of createReadStream(path, { start: 13, highWaterMark: 1 << 20 })) yield bytes as Buffer;
  }
}

async function* peaks(input: AsyncIterable<Buffer>, see: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const bytes of input) {
    see(process.memoryUsage().arrayBuffers);
    yield bytes;
  }
}
