/** Names, damage and terminals that `airlock validate` meets: what it says of each, and that it ends with 2 where it must. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileProblem } from '../../../../src/cli/console/exit.js';
import { visible, visibleLines } from '../../../../src/cli/console/text.js';
import { shownWidth, textTable } from '../../../../src/cli/console/text-table.js';
import { runCli } from '../../../support/cli.js';
import { flvFile } from '../../../support/flv-writer.js';
import { makeMedia } from '../../../support/media-files.js';
import { synthStream } from '../../../support/synth-stream.js';

const folder = mkdtempSync(join(tmpdir(), 'airlock-foreign-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const validate = (...args: string[]) => runCli(['validate', ...args], { cwd: folder });
const ESCAPE = '\u001b';
const short = flvFile(synthStream({ durationMs: 1000 }));

describe('a name that leads to nothing', () => {
  test.each([
    ['missing.flv', /there is no such file/],
    ['x*.mkv', /no file matches/],
    ['loop', /a link that leads back to itself/],
    ['there.flv/below.flv', /there is no such file|a part of its path is no folder/],
    [`${'n'.repeat(300)}.flv`, /its name is longer than the system allows/],
    ['no-media', /there is no media file in this folder/],
    ['not\ufffdutf8.flv', /if its real name is not written in UTF-8, rename it/],
  ])('%s is told beside the verdicts on the others', async (name, problem) => {
    writeFileSync(join(folder, 'there.flv'), short);
    mkdirSync(join(folder, 'no-media'), { recursive: true });
    rmSync(join(folder, 'loop'), { force: true });
    symlinkSync('loop', join(folder, 'loop'));
    const run = await validate(name, 'there.flv', '--format', 'json');
    expect(run).toMatchObject({ code: 2, stderr: '' });
    const { files, summary } = JSON.parse(run.stdout);
    expect(summary).toMatchObject({ files: 2, passed: 1, unreadable: 1 });
    expect(files[0]).toMatchObject({ file: name, outcome: 'unreadable', problem: expect.stringMatching(problem) });
  });

  test('what the system refuses is said in words, and what it did not refuse is thrown on', () => {
    const refused = (code: string) => Object.assign(new Error(`${code}: words of the system`), { code });
    expect(fileProblem(refused('EACCES'))).toMatch(/may not be read by this user/);
    expect(fileProblem(refused('EIO'))).toBe('EIO: words of the system');
    expect(() => fileProblem(new TypeError('a fault of ours'))).toThrow(TypeError);
  });

  test('a folder gives what links in it lead to, but follows no link to a folder', async () => {
    const inside = join(folder, 'linked');
    mkdirSync(inside, { recursive: true });
    writeFileSync(join(folder, 'far.flv'), short);
    symlinkSync('../far.flv', join(inside, 'near.flv'));
    symlinkSync('..', join(inside, 'up'));
    symlinkSync('nowhere', join(inside, 'dangling.flv'));
    const { files } = JSON.parse((await validate('linked', '--format', 'json')).stdout);
    expect(files.map(({ file }: { file: string }) => file)).toEqual(['linked/near.flv']);
  });
});

describe('a file of another container that was cut off', () => {
  const make = (name: string, options: readonly string[]) => {
    const whole = readFileSync(makeMedia(join(folder, name), { size: '640x360', options }));
    writeFileSync(join(folder, `cut-${name}`), whole.subarray(0, Math.floor(0.7 * whole.length)));
  };

  test.each([
    ['front.mp4', ['-movflags', 'faststart']],
    ['pieces.mp4', ['-movflags', 'frag_keyframe+empty_moov']],
    ['matroska.mkv', []],
    ['riff.avi', []],
    ['flash.flv', []],
  ])('%s: 2 by both specifications, and the whole file is none', async (name, how) => {
    make(name, how);
    for (const spec of ['live', 'upload']) {
      const run = await validate(`cut-${name}`, '--spec', spec);
      expect([spec, run.code]).toEqual([spec, 2]);
      expect(run.stdout).toMatch(/cannot be judged whole: it was cut off/);
      expect([spec, (await validate(name, '--spec', spec)).stdout]).toEqual([
        spec,
        expect.not.stringMatching(/cut off/),
      ]);
    }
  });
});

describe('what was asked for wrongly is said before anything is done', () => {
  test.each([
    ['nowhere/report.xml', /report cannot be written to nowhere\/report\.xml: there is no such folder\n$/],
    ['.', /report cannot be written to \.: it is a folder\n$/],
  ])('--output %s, also of a replay that would take hours', async (output, words) => {
    writeFileSync(join(folder, 'there.flv'), short);
    // Nobody listens on port 1: without a look at the output first, that would be the end of it.
    for (const command of [['validate'], ['replay', '--to', 'rtmp://127.0.0.1:1/live/key']]) {
      const run = await runCli([...command, 'there.flv', '--output', output], { cwd: folder });
      expect(run).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(words) });
    }
  });

  test('--expect with a file that is not there', async () => {
    const { code, stderr } = await validate('there.flv', '--expect', 'nothing.json');
    expect([code, stderr]).toEqual([2, 'airlock: nothing.json cannot be read: there is no such file\n']);
  });

  test('another container on standard input, and what to do', async () => {
    const stdin = Readable.from([readFileSync(makeMedia(join(folder, 'piped.mp4')))]);
    const { code, stdout } = await runCli(['validate', '-'], { cwd: folder, stdin });
    expect(code).toBe(2);
    expect(stdout).toMatch(
      /only FLV is read from a pipe: name the file itself, or make FLV of it first \(ffmpeg -i FILE/,
    );
  });
});

describe('what people see', () => {
  const see = async (columns: number, env: Record<string, string>, ...args: string[]) =>
    (await runCli(['validate', ...args], { cwd: folder, env, terminal: { columns } })).stdout;

  test.each([60, 80, 120])('on a terminal of %i columns nothing is longer, but for words that are', async (columns) => {
    writeFileSync(
      join(folder, 'wide.flv'),
      flvFile(synthStream({ durationMs: 6000, width: 1000, height: 700, channels: 1 })),
    );
    const text = await see(columns, { NO_COLOR: '1' }, 'wide.flv', 'missing.flv');
    expect(text).toMatch(/6207 VIDEO_ASPECT_RATIO/);
    const tooLong = text.split('\n').filter((line) => line.length > columns);
    expect(tooLong.filter((line) => line.trim().includes(' '))).toEqual([]);
  });

  test('colours come on a terminal that wants them, and change nothing else', async () => {
    const coloured = await see(80, { TERM: 'xterm' }, 'wide.flv');
    const plain = await see(80, { TERM: 'dumb' }, 'wide.flv');
    expect(plain).not.toContain('\u001b');
    expect(coloured).toContain(`\n${ESCAPE}[31mFAIL${ESCAPE}[0m  6304`);
    const [head = '', ...behind] = coloured.split(ESCAPE);
    expect(head + behind.map((part) => part.replace(/^\[\d+m/, '')).join('')).toBe(plain);
    expect((await validate('wide.flv')).stdout).not.toContain('\u001b');
  });

  test('names in wide letters and names of one long word leave the columns of the overview in line, and readable', async () => {
    const names = ['放送の録画.flv', '🎬 one.flv', `${'x'.repeat(140)}.flv`, 'no.flv'];
    for (const name of names.slice(0, 3)) writeFileSync(join(folder, name), short);
    const { stdout } = await validate(...names);
    const rows = stdout.split('\n').slice(-9, -3);
    expect(rows).toEqual([
      `Outcome     File${' '.repeat(142)}Codes, and what cannot be read`,
      `----------  ${'-'.repeat(144)}  ------------------------------`,
      // Each of these letters takes two columns.
      'pass        放送の録画.flv',
      'pass        🎬 one.flv',
      `pass        ${names[2]}`,
      `unreadable  no.flv${' '.repeat(140)}there is no such file`,
    ]);
    expect(stdout).toMatch(/\n\n4 files: 3 without a fault, 1 that cannot be judged, or not whole\n$/);
    expect([shownWidth('放送 a'), shownWidth('🎬'), shownWidth('e\u0301')]).toEqual([6, 2, 1]);
    expect(
      textTable(
        ['File', 'Code'],
        [
          ['放送', '1'],
          ['ab', '2'],
        ],
      ),
    ).toBe(['File  Code', '----  ----', '放送  1', 'ab    2'].join('\n'));
  });

  test('the table shows what was wrong, also where the stream has mended since', async () => {
    const changes = [{ atMs: 6000, width: 1280, height: 720 }];
    writeFileSync(
      join(folder, 'mended.flv'),
      flvFile(synthStream({ durationMs: 12_000, width: 640, height: 480, changes })),
    );
    const { stdout } = await validate('mended.flv');
    expect(stdout).toMatch(/FAIL +6207 +Picture is not 16:9 +1\.33:1 +1\.78:1/);
    expect(stdout).toMatch(/WARN +6205 +.* 640x480 /);
  });

  test('no name and no metadata gets at the terminal', async () => {
    const name = 'red\u001b[31m\nnew line\u202e.flv';
    const encoder = 'Evil\u001b]0;title\u0007';
    writeFileSync(join(folder, name), flvFile(synthStream({ durationMs: 1000, metadata: { encoder } })));
    const text = await see(80, { NO_COLOR: '1' }, name, 'missing.flv');
    expect(text).toContain('red\\x1b[31m\\nnew line\\u202e.flv: ');
    expect(text).toContain('Evil\\x1b]0;title\\x07');
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(JSON.parse((await validate(name, '--format', 'json')).stdout).files[0].file).toBe(name);
  });

  test('control characters are spelled out; line ends only where a line is meant', () => {
    expect(visible('a\tb\r\nc\u0085\u2028')).toBe('a\\x09b\\x0d\\nc\\x85\\u2028');
    expect(visibleLines('a\nb\u001b')).toBe('a\nb\\x1b');
    expect(visible('é 日本 \u{1f600}')).toBe('é 日本 \u{1f600}');
  });

  test('which rules gave no verdict is said, and whether a longer recording or only a broadcast would give one', async () => {
    const { stdout } = await validate('there.flv');
    expect(stdout).toMatch(/the file has no such track or too little of it: 6203, .*6208, .*\./);
    expect(stdout).toMatch(/they need a running broadcast: 6101, 6406, 6407, 6503, 6504, 6505, 6506, 6601\./);
  });
});
