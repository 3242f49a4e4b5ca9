/** Options of `airlock validate` that decide what fails, and what is printed. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChangedFiles } from '../../../../src/cli/validate/watch.js';
import { CATALOGUE } from '../../../../src/rules/registry/catalogue.js';
import { runCli } from '../../../support/cli.js';
import { flvFile } from '../../../support/flv-writer.js';
import { folderOfFile } from '../../../support/folders.js';
import { type SynthOptions, synthStream } from '../../../support/synth-stream.js';

const folder = folderOfFile('airlock-options-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const put = (name: string, options: SynthOptions) => writeFileSync(join(folder, name), flvFile(synthStream(options)));
const validate = (...args: string[]) => runCli(['validate', ...args], { cwd: folder });
const json = async (...args: string[]) => JSON.parse((await validate(...args, '--format', 'json')).stdout).files[0];
const small: SynthOptions = { width: 640, height: 360, levelIdc: 30 };

beforeAll(() => {
  put('clean.flv', { durationMs: 8000 });
  put('heavy.flv', { durationMs: 8000, ...small, videoKbps: 9000 });
  put('tiny.flv', { durationMs: 600 });
  put('warned.flv', { durationMs: 8000, videoKbps: 900 });
});

test('prints problems only, and nothing with --quiet', async () => {
  expect((await validate('clean.flv', 'heavy.flv')).stdout).toBe(
    [
      'clean.flv: note: Shorter than a measuring window: judged over the whole 8.0 s: 6210, 6211, 6305, 6306, 6408.',
      'heavy.flv:0:00:08.000  error  6210  The video bitrate is 8,999 kbps; 360p allows at most 1,000 kbps.',
      '    With ffmpeg: lower -b:v, with -maxrate and -bufsize at the same value.',
      'heavy.flv: note: Shorter than a measuring window: judged over the whole 8.0 s: 6210, 6211, 6305, 6306, 6408.',
      '',
      '2 files: 1 passed, 1 with errors (exit code 1)',
      '',
    ].join('\n'),
  );
  expect(await validate('heavy.flv', '--quiet')).toEqual({ code: 1, stdout: '', stderr: '' });
  expect(await validate('clean.flv', '--quiet')).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await validate('clean.flv', '--quiet', '--verbose')).code).toBe(2);
});

test('rules that were not judged stand first in a file that would pass', async () => {
  const { code, stdout } = await validate('tiny.flv');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^tiny\.flv: not judged \(too little media\): .*6208 Key frame interval.*6210 /);
});

test.each([
  ['all', 1],
  ['6208', 1],
  ['6201,6301', 0],
  ['6406', 2],
  ['1', 2],
])('--require-judged %s exits with %i for a file of 0.6 s', async (codes, code) => {
  expect((await validate('tiny.flv', '--require-judged', codes)).code).toBe(code);
});

test('--require-judged all is met by a conforming file of 8 s', async () => {
  const file = await json('clean.flv', '--require-judged', 'all');
  expect(file.requirement).toEqual({ missing: [] });
});

test.each<[string, SynthOptions, string, string[]]>([
  ['of the row', {}, '720p30', []],
  ['another rate', {}, '720p60', ['30 fps, not 60 fps']],
  ['another size', {}, '1080p30', ['1280x720, not 1920x1080', '2499 kbps of video, not 3000 to 6000 kbps']],
  ['a rate above the row', { ...small, videoKbps: 700, fps: 60 }, '360p', []],
  ['a bitrate below the row', { videoKbps: 900 }, '720p30', ['900 kbps of video, not 1500 to 4000 kbps']],
])('--profile: %s', async (_what, options, profile, differences) => {
  put('profile.flv', { durationMs: 4000, ...options });
  const file = await json('profile.flv', '--profile', profile);
  expect(file.profile).toEqual({ name: profile, met: differences.length === 0, differences });
  const { code, stdout } = await validate('profile.flv', '--profile', profile);
  expect(code).toBe(differences.length === 0 ? 0 : 1);
  if (code === 1) expect(stdout).toContain(`profile.flv: profile ${profile}: ${differences.join('; ')}`);
});

test('the summary agrees with the exit code', async () => {
  const summary = async (...args: string[]) => {
    const { code, stdout } = await validate(...args);
    const verbose = (await validate(...args, '--verbose')).stdout;
    const { failed, passed } = JSON.parse((await validate(...args, '--format', 'json')).stdout).summary;
    const line = stdout.trimEnd().split('\n').at(-1);
    if (args.filter((arg) => arg.endsWith('.flv')).length > 1) expect(verbose.trimEnd().split('\n').at(-1)).toBe(line);
    return [code, line, failed, passed];
  };
  writeFileSync(join(folder, 'heavy.json'), '[6210]');
  expect(await summary('clean.flv', '--profile', '720p60')).toEqual([
    1,
    '1 file: 1 failed; 1 not of profile 720p60 (exit code 1)',
    1,
    0,
  ]);
  expect(await summary('clean.flv', 'heavy.flv', '--profile', '720p30')).toEqual([
    1,
    '2 files: 1 passed, 1 with errors; 1 not of profile 720p30 (exit code 1)',
    1,
    1,
  ]);
  expect(await summary('tiny.flv', '--require-judged', 'all')).toEqual([
    1,
    '1 file: 1 failed; 1 not judged by all required rules (exit code 1)',
    1,
    0,
  ]);
  expect(await summary('heavy.flv', '--expect', 'heavy.json')).toEqual([
    0,
    '1 file: 1 with errors; 1 met the expectation (exit code 0)',
    0,
    0,
  ]);
  expect(await summary('warned.flv', '--fail-on', 'warning')).toEqual([
    1,
    '1 file: 1 with warnings; 1 failed by warnings (exit code 1)',
    1,
    0,
  ]);
});

test('--profile does not exist for uploads', async () => {
  expect(await validate('clean.flv', '--profile', '720p30', '--spec', 'upload')).toMatchObject({ code: 2 });
});

test.each([
  ['required', 0],
  ['error', 0],
  ['recommended', 1],
  ['warning', 1],
])('--fail-on %s exits with %i for a warning', async (failOn, code) => {
  expect((await validate('warned.flv', '--fail-on', failOn)).code).toBe(code);
});

test('--baseline: known faults do not fail, others do', async () => {
  await validate('heavy.flv', 'clean.flv', '--format', 'json', '--output', 'known.json');
  const known = await validate('heavy.flv', '--baseline', 'known.json');
  expect(known.code).toBe(0);
  expect(known.stdout).toMatch(/^heavy\.flv: known: 6210\n/);
  expect((await json('heavy.flv', '--baseline', 'known.json')).outcome).toBe('pass');
  const xml = (await validate('heavy.flv', '--baseline', 'known.json', '--format', 'junit')).stdout;
  expect(xml).toMatch(/<testsuites [^>]*failures="0"/);
  put('heavy.flv', { durationMs: 8000, ...small, videoKbps: 9000, channels: 1 });
  expect((await validate('heavy.flv', '--baseline', 'known.json')).code).toBe(1);
  writeFileSync(join(folder, 'none.json'), '[]');
  expect((await validate('heavy.flv', '--baseline', 'none.json')).code).toBe(2);
  put('heavy.flv', { durationMs: 8000, ...small, videoKbps: 9000 });
});

test('--format github prints annotations with escaped values', async () => {
  put('a,b%.flv', { durationMs: 8000, ...small, videoKbps: 9000 });
  const { stdout } = await validate('a,b%.flv', 'none.flv', '--format', 'github');
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(
      /^::error file=a%2Cb%25\.flv,line=1,title=6210 VIDEO_BITRATE_TOO_HIGH::0:00:08\.000: The video bitrate is /,
    ),
    '::error file=none.flv,line=1,title=unreadable::no such file',
    '',
  ]);
});

test('SARIF regions have a line, and fingerprints are the same at each run', async () => {
  const results = async () => JSON.parse((await validate('heavy.flv', '--format', 'sarif')).stdout).runs[0].results;
  const [first] = await results();
  expect(first.locations[0].physicalLocation.region).toMatchObject({ startLine: 1 });
  expect((await results())[0].partialFingerprints).toEqual(first.partialFingerprints);
});

describe('airlock.config.json', () => {
  const inside = join(folder, 'project/deep');
  const put2 = (content: unknown) => {
    mkdirSync(inside, { recursive: true });
    writeFileSync(join(folder, 'project/airlock.config.json'), JSON.stringify(content));
  };
  const run = (...args: string[]) => runCli(['validate', '../../warned.flv', ...args], { cwd: inside });

  test('is found upwards; the command line wins over it', async () => {
    put2({ failOn: 'recommended', output: 'report.txt' });
    expect((await run()).code).toBe(1);
    expect(readFileSync(join(folder, 'project/report.txt'), 'utf8')).toMatch(/6211/);
    expect((await run('--fail-on', 'error')).code).toBe(0);
  });

  test.each([
    [{ failon: 'error' }, /failon is not an option/],
    [{ failOn: 'never' }, /failOn must be one of/],
    [{ quiet: 'yes' }, /quiet must be true or false/],
  ])('%j is refused', async (content, message) => {
    put2(content);
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  });
});

test('--watch takes a file once it has stopped growing, and again when it has changed', () => {
  const stamps = new Map([['a.flv', '1']]);
  const changed = new ChangedFiles(
    () => [...stamps.keys()].map((file) => ({ file })),
    (file) => stamps.get(file),
  );
  expect(changed.next()).toEqual([]);
  expect(changed.next()).toEqual(['a.flv']);
  expect(changed.next()).toEqual([]);
  stamps.set('a.flv', '2');
  expect(changed.next()).toEqual([]);
  stamps.set('a.flv', '3');
  expect(changed.next()).toEqual([]);
  expect(changed.next()).toEqual(['a.flv']);
});

test('--watch names each file, also one without a finding, and ends with a summary that names the exit code', async () => {
  let stop: (signal: 'SIGINT') => void = () => undefined;
  const stopped = new Promise<'SIGINT'>((resolve) => {
    stop = resolve;
  });
  const onOutput = (text: string) => text.includes('clean.flv:') && text.includes('heavy.flv:') && stop('SIGINT');
  const run = await runCli(['validate', '--watch', 'clean.flv', 'heavy.flv', '--analysis', 'off'], {
    cwd: folder,
    stopped,
    onOutput,
  });
  expect(run.stdout).toMatch(/^clean\.flv: .*\n(?:.*\n)*heavy\.flv:0:00:08\.000 {2}error {2}6210 /);
  expect(run.stdout).toMatch(/\n2 files: 1 passed, 1 with errors \(exit code 1\)\n$/);
  expect(run.code).toBe(1);
});

test('--watch ends with the stop signal', async () => {
  const stopped = Promise.resolve('SIGINT' as const);
  expect(await runCli(['validate', '--watch', '.'], { cwd: folder, stopped })).toMatchObject({ code: 0, stderr: '' });
  expect((await validate('--watch', '.', '--format', 'json')).code).toBe(2);
});

test('every rule that a file is judged by has a name for the good case', () => {
  expect(CATALOGUE.filter((row) => row.source !== 'publish' && row.passes === row.title)).toEqual([]);
});

test('--loudness full decodes the sound, and agrees with the samples', async () => {
  const sampled = (await json('clean.flv')).stream;
  const { stream, notes } = await json('clean.flv', '--loudness', 'full');
  expect(sampled.truePeakDbtp).toBeUndefined();
  expect(Math.abs(stream.loudnessLufs - sampled.loudnessLufs)).toBeLessThan(1);
  expect(stream.truePeakDbtp).toBeLessThan(0);
  expect(notes).toContainEqual(
    `Loudness of the whole file: ${stream.loudnessLufs} LUFS, range ${stream.loudnessRangeLu} LU, true peak ${stream.truePeakDbtp} dBTP.`,
  );
});

test('--loudness full needs a live file', async () => {
  expect(await validate('-', '--loudness', 'full')).toMatchObject({ code: 2 });
  expect(await validate('clean.flv', '--spec', 'upload', '--loudness', 'full')).toMatchObject({ code: 2 });
});
