/** `airlock validate` with unusual names, damaged files and various terminals. */

import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { shownWidth, textTable } from '../../../../src/cli/console/text-table.js';
import { remuxToFlv } from '../../../../src/cli/remux/remux.js';
import { reasonOf } from '../../../../src/cli/remux/tracks.js';
import { NamedTrack } from '../../../../src/containers/named-track.js';
import { fileProblem } from '../../../../src/lib/errors.js';
import { visible, visibleLines } from '../../../../src/lib/visible.js';
import { runCli } from '../../../support/cli.js';
import { encryptTypes, PMT_PID, withEdits, withEncodings } from '../../../support/container-edits.js';
import { flvFile } from '../../../support/flv-writer.js';
import { folderOfFile } from '../../../support/folders.js';
import { casesNow, inFull } from '../../../support/in-full.js';
import { makeMedia, runFfmpeg } from '../../../support/media-files.js';
import { seededRandom } from '../../../support/random.js';
import { type SynthMessage, synthStream } from '../../../support/synth-stream.js';

const folder = folderOfFile('airlock-foreign-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const validate = (...args: string[]) => runCli(['validate', ...args], { cwd: folder });
const ESCAPE = '\u001b';
const short = flvFile(synthStream({ durationMs: 1000 }));

describe('a name without a readable file', () => {
  test.each([
    ['missing.flv', /: no such file|^no such file/],
    ['x*.mkv', /no file matches/],
    ['loop', /too many levels of symbolic links/],
    ['there.flv/below.flv', /no such file|part of the path is not a folder/],
    [`${'n'.repeat(300)}.flv`, /file name too long/],
    ['no-media', /no media files in this folder/],
    ['not\ufffdutf8.flv', /if the file name is not UTF-8, rename the file/],
  ])('%s is reported besides the verdicts on the others', async (name, problem) => {
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

  test('an empty name is not the current folder', async () => {
    writeFileSync(join(folder, 'there.flv'), short);
    const { code, stdout } = await validate('', '--format', 'json');
    const { files } = JSON.parse(stdout);
    expect([code, files]).toMatchObject([2, [{ file: "''", problem: 'the file name is empty' }]]);
  });

  test('fileProblem explains system errors and rethrows other errors', () => {
    const refused = (code: string) => Object.assign(new Error(`${code}: message of the system`), { code });
    expect(fileProblem(refused('EACCES'))).toMatch(/permission denied/);
    expect(fileProblem(refused('EIO'))).toBe('EIO: message of the system');
    expect(() => fileProblem(new TypeError('an internal error'))).toThrow(TypeError);
  });

  test('a folder includes links to files but does not follow links to folders', async () => {
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

describe('what ffmpeg says of a file that it cannot read', () => {
  test('is its reason, not the messages that follow from it', async () => {
    const file = makeMedia(join(folder, 'motion.avi'), { video: ['-c:v', 'mjpeg'] });
    const remux = remuxToFlv('ffmpeg', file, []);
    remux.output.resume();
    const said = (await remux.ended) ?? '';
    expect(said.split('\n').length).toBeGreaterThan(1);
    expect(reasonOf(said)).toBe('Video codec mjpeg not compatible with flv');
  });

  test.each([
    [
      '[mov @ 0x55] moov atom not found\nfile:/a b.mp4: Invalid data found when processing input',
      'moov atom not found',
    ],
    ['file:/a.mp4: Invalid data found when processing input', 'Invalid data found when processing input'],
    [
      '[flv @ 0x5] dimensions not set\nCould not write header for output file #0 (incorrect codec parameters ?): Invalid argument\nError initializing output stream 0:0 -- \n',
      'dimensions not set',
    ],
    [
      'Could not write header for output file #0 (incorrect codec parameters ?): Invalid argument\nError initializing output stream 0:0 -- ',
      'Could not write header for output file #0 (incorrect codec parameters ?): Invalid argument',
    ],
    ['[flv @ 0x5] Packet is missing PTS\nav_interleaved_write_frame(): Invalid argument', 'Packet is missing PTS'],
    ['', ''],
  ])('%j is %j', (said, reason) => expect(reasonOf(said)).toBe(reason));
});

describe('a truncated file of another container', () => {
  const make = (name: string, options: readonly string[]) => {
    const whole = readFileSync(makeMedia(join(folder, name), { size: '640x360', options }));
    writeFileSync(join(folder, `cut-${name}`), whole.subarray(0, Math.floor(0.7 * whole.length)));
  };

  const files: readonly (readonly [string, readonly string[]])[] = [
    ['front.mp4', ['-movflags', 'faststart']],
    ['pieces.mp4', ['-movflags', 'frag_keyframe+empty_moov']],
    ['matroska.mkv', []],
    ['riff.avi', []],
    ['flash.flv', []],
  ];
  test.each(casesNow(files, ([name]) => name === 'pieces.mp4' || name === 'riff.avi'))(
    '%s: exits with 2 under both specifications, and the complete file is not reported',
    async (name, how) => {
      make(name, how);
      for (const spec of ['live', 'upload']) {
        const run = await validate(`cut-${name}`, '--spec', spec);
        expect([spec, run.code]).toEqual([spec, 2]);
        expect(run.stdout).toMatch(/: truncated (or damaged )?file/);
        expect([spec, (await validate(name, '--spec', spec)).stdout]).toEqual([
          spec,
          expect.not.stringMatching(/truncated/),
        ]);
      }
    },
  );
});

describe('tracks that cannot be read', () => {
  const codesOf = async (name: string): Promise<number[]> => {
    const [file] = JSON.parse((await validate(name, '--format', 'json')).stdout).files;
    return file.errors.map(({ error_code }: { error_code: number }) => error_code);
  };

  test('that are encrypted are named, and their bits are not judged', async () => {
    const key = '00112233445566778899aabbccddeeff';
    const scheme = ['-encryption_scheme', 'cenc-aes-ctr', '-encryption_key', key, '-encryption_kid', key];
    makeMedia(join(folder, 'encrypted.mp4'), { size: '640x360', options: scheme });
    const { stdout } = await validate('encrypted.mp4');
    expect(stdout).toContain('The video codec is encv (encrypted h264)');
    expect(stdout).toContain('The audio codec is enca (encrypted aac)');
    const beyond = (await codesOf('encrypted.mp4')).filter((code) =>
      [6219, 6220, 6221, 6228, 6307, 6811].includes(code),
    );
    expect(beyond).toEqual([]);
  });

  test('of Matroska that are encrypted are named', async () => {
    const whole = readFileSync(makeMedia(join(folder, 'open.mkv'), { size: '640x360', options: ['-live', '1'] }));
    // ContentEncodings > ContentEncoding > ContentEncodingType 1 (encryption), ContentEncryption > ContentEncAlgo 5 (AES).
    const encodings = Buffer.from('6d808e62408b5033810150358447e18105', 'hex');
    writeFileSync(join(folder, 'encrypted.mkv'), withEncodings(whole, encodings));
    const { stdout } = await validate('encrypted.mkv');
    expect(stdout).toContain('The video codec is encrypted h264; it must be H.264');
    expect(stdout).toContain('The audio codec is encrypted aac; it must be AAC');
    expect(await codesOf('encrypted.mkv')).toEqual([6301, 6201]);
    for (const code of [6201, 6301]) expect(await codesOf('open.mkv')).not.toContain(code);
  });

  test('of a transport stream with types of encrypted tracks, or scrambled packets, are named', async () => {
    const whole = readFileSync(makeMedia(join(folder, 'plain.ts'), { size: '640x360' }));
    const typed = Buffer.from(whole);
    const scrambled = Buffer.from(whole);
    for (let at = 0; at < whole.length; at += 188) {
      const pid = whole.readUInt16BE(at + 1) & 0x1fff;
      if (pid === PMT_PID) encryptTypes(typed.subarray(at, at + 188));
      // The header of the PES packet is in the clear, as a descrambler leaves it that has no key.
      if (pid === 256) scrambled.writeUInt8((scrambled[at + 3] ?? 0) | 0x80, at + 3);
    }
    writeFileSync(join(folder, 'typed.ts'), typed);
    writeFileSync(join(folder, 'scrambled.ts'), scrambled);
    expect((await validate('typed.ts')).stdout).toMatch(/codec is encrypted aac;[\s\S]*codec is encrypted h264;/);
    expect(await codesOf('typed.ts')).toEqual(expect.arrayContaining([6201, 6301]));
    expect((await validate('scrambled.ts')).stdout).toContain('The video codec is encrypted h264;');
    for (const code of [6201, 6301]) expect(await codesOf('plain.ts')).not.toContain(code);
  });

  test('as their frames are random are named, in FLV and in a transport stream', async () => {
    const tags = [...synthStream({ durationMs: 6000, width: 640, height: 360, videoKbps: 600 })];
    const random = seededRandom(7);
    const noise = (from: number) => (message: SynthMessage) =>
      message.payload[1] === 1
        ? message.payload.map((byte, i) => (i < from ? byte : Math.floor(256 * random())))
        : message.payload;
    const [sound, picture] = [noise(2), noise(5)];
    const ciphered = (kind: 'audio' | 'video', payloadOf: (message: SynthMessage) => Uint8Array) =>
      flvFile(tags.map((tag) => (tag.kind === kind ? { ...tag, payload: payloadOf(tag) } : tag)));
    writeFileSync(join(folder, 'noise.flv'), ciphered('audio', sound));
    expect((await validate('noise.flv')).stdout).toMatch(/The audio codec is encrypted or damaged \(\d+ of 48 frames/);
    expect(await codesOf('noise.flv')).toEqual([6301]);
    // No key frames, sizes, levels or fields are read from such frames.
    writeFileSync(join(folder, 'dark.flv'), ciphered('video', picture));
    expect(await codesOf('dark.flv')).toEqual([6221]);
    runFfmpeg(['-i', join(folder, 'noise.flv'), '-c', 'copy', join(folder, 'noise.ts')]);
    expect((await validate('noise.ts')).stdout).toContain('The audio codec is encrypted or damaged');
  });

  test('ALS is named, not taken for AAC', () => {
    const track = { index: 0, kind: 'audio', codec: 'mp4als', profile: '', details: '' } as const;
    const payload = new NamedTrack(track).payload({ bytes: 4, isKey: true });
    expect(Buffer.from(payload.copy(1, 5)).toString('latin1')).toBe('4als');
    expect(new NamedTrack(track).alias).toBe('4als (unknown codec)');
  });

  test.each([
    ['video', 256, 6401],
    ['audio', 257, 6402],
  ])('of a transport stream that declares %s without packets', async (kind, pid, code) => {
    const whole = readFileSync(makeMedia(join(folder, 'declared.ts'), { size: '640x360' }));
    const packets = Array.from({ length: whole.length / 188 }, (_, i) => whole.subarray(188 * i, 188 * (i + 1)));
    const kept = packets.filter((packet) => (packet.readUInt16BE(1) & 0x1fff) !== pid);
    writeFileSync(join(folder, `no-${kind}.ts`), Buffer.concat(kept));
    expect(await codesOf(`no-${kind}.ts`)).toContain(code);
  });
});

describe('frames that an edit list discards', () => {
  /** Pictures at uneven times in the first 12 s, which the edit list leaves out. */
  const UNEVEN = "settb=1/15360,setpts='512*if(lt(N,360),floor(N/3)*3+0.1*mod(N,3),N)'";

  inFull('are left out of 6410 and 6411, and no frame is read twice', async () => {
    const video = ['-vf', UNEVEN, '-vsync', 'passthrough', '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60'];
    const rate = ['-b:v', '600k', '-maxrate', '600k', '-bufsize', '600k'];
    const made = makeMedia(join(folder, 'uneven.mp4'), { size: '640x360', seconds: 40, video, options: rate });
    const whole = readFileSync(made);
    const codesOf = async (name: string): Promise<number[]> => {
      const [file] = JSON.parse((await validate(name, '--format', 'json')).stdout).files;
      return file.errors.map(({ error_code }: { error_code: number }) => error_code);
    };
    expect(await codesOf('uneven.mp4')).toContain(6410);
    writeFileSync(join(folder, 'edited.mp4'), withEdits(whole, [{ fromS: 13, forS: 27 }]));
    expect(await codesOf('edited.mp4')).not.toContain(6410);
    // Cuts between key frames: ffmpeg reads from the key frame before each, at the time of what comes before.
    const cuts = Array.from({ length: 12 }, (_, i) => ({ fromS: 13.3 + 2 * i, forS: 1.2 }));
    writeFileSync(join(folder, 'cuts.mp4'), withEdits(whole, cuts));
    const codes = await codesOf('cuts.mp4');
    for (const code of [6203, 6210, 6215, 6306, 6410, 6411]) expect(codes).not.toContain(code);
    expect((await validate('cuts.mp4')).stdout).toContain('The edit list leaves out parts of the tracks');
  });
});

describe('wrong options are reported before any work', () => {
  test.each([
    ['nowhere/report.xml', /cannot write the report to nowhere\/report\.xml: no such folder\n$/],
    ['.', /cannot write the report to \.: is a folder\n$/],
  ])('--output %s, also of a replay that would take hours', async (output, words) => {
    writeFileSync(join(folder, 'there.flv'), short);
    // No server listens on port 1: without an early check, the connection error would come first.
    for (const command of [['validate'], ['replay', '--to', 'rtmp://127.0.0.1:1/live/key']]) {
      const run = await runCli([...command, 'there.flv', '--output', output], { cwd: folder });
      expect(run).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(words) });
    }
  });

  test('--expect with a missing file', async () => {
    const { code, stderr } = await validate('there.flv', '--expect', 'nothing.json');
    expect([code, stderr]).toEqual([2, 'airlock: nothing.json cannot be read: no such file\n']);
  });

  test('refuses another container on standard input and explains how to remux it', async () => {
    const stdin = Readable.from([readFileSync(makeMedia(join(folder, 'piped.mp4')))]);
    const { code, stdout } = await runCli(['validate', '-'], { cwd: folder, stdin });
    expect(code).toBe(2);
    expect(stdout).toMatch(/only FLV can be read from a pipe: pass the file name, or remux it first \(ffmpeg -i FILE/);
  });
});

describe('the text report', () => {
  const see = async (columns: number, env: Record<string, string>, ...args: string[]) =>
    (await runCli(['validate', ...args], { cwd: folder, env, terminal: { columns } })).stdout;

  test.each([60, 80, 120])('fits a terminal of %i columns except for longer words', async (columns) => {
    writeFileSync(
      join(folder, 'wide.flv'),
      flvFile(synthStream({ durationMs: 6000, width: 1000, height: 700, channels: 1 })),
    );
    const layouts = ['--verbose', '--fail-on=error'].map((how) =>
      see(columns, { NO_COLOR: '1' }, how, 'wide.flv', 'missing.flv'),
    );
    const text = (await Promise.all(layouts)).join('');
    expect(text).toMatch(/6207 VIDEO_ASPECT_RATIO/);
    const tooLong = text.split('\n').filter((line) => line.length > columns);
    expect(tooLong.filter((line) => line.trim().includes(' '))).toEqual([]);
  });

  test('uses colors only on a terminal that supports them, with the same text', async () => {
    const colored = await see(80, { TERM: 'xterm' }, '--verbose', 'wide.flv');
    const plain = await see(80, { TERM: 'dumb' }, '--verbose', 'wide.flv');
    expect(plain).not.toContain('\u001b');
    expect(colored).toContain(`\n${ESCAPE}[31mFAIL${ESCAPE}[0m  6304`);
    const [head = '', ...behind] = colored.split(ESCAPE);
    expect(head + behind.map((part) => part.replace(/^\[\d+m/, '')).join('')).toBe(plain);
    expect((await validate('wide.flv')).stdout).not.toContain('\u001b');
  });

  test('keeps the columns of the overview aligned for wide characters and long names', async () => {
    const names = ['放送の録画.flv', '🎬 one.flv', `${'x'.repeat(140)}.flv`, 'no.flv'];
    for (const name of names.slice(0, 3)) writeFileSync(join(folder, name), short);
    const { stdout } = await validate('--verbose', ...names);
    const rows = stdout.split('\n').slice(-9, -3);
    expect(rows).toEqual([
      `Outcome     File${' '.repeat(142)}Problem, codes`,
      `----------  ${'-'.repeat(144)}  --------------`,
      // Each of these characters is two columns wide.
      'pass        放送の録画.flv',
      'pass        🎬 one.flv',
      `pass        ${names[2]}`,
      `unreadable  no.flv${' '.repeat(140)}no such file`,
    ]);
    expect(stdout).toMatch(/\n\n4 files: 3 passed, 1 unreadable \(exit code 2\)\n$/);
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

  test('the table shows the violation even if the stream recovered', async () => {
    const changes = [{ atMs: 6000, width: 1280, height: 720 }];
    writeFileSync(
      join(folder, 'mended.flv'),
      flvFile(synthStream({ durationMs: 12_000, width: 640, height: 480, changes })),
    );
    const { stdout } = await validate('mended.flv', '--verbose');
    expect(stdout).toMatch(/FAIL +6207 +Aspect ratio +1\.33:1 +1\.78:1/);
    expect(stdout).toMatch(/WARN +6205 +.* 640x480 /);
  });

  test('escapes control characters in names and metadata', async () => {
    const name = 'red\u001b[31m\nnew line\u202e.flv';
    const encoder = 'Evil\u001b]0;title\u0007';
    writeFileSync(join(folder, name), flvFile(synthStream({ durationMs: 1000, metadata: { encoder } })));
    const text = await see(80, { NO_COLOR: '1' }, '--verbose', name, 'missing.flv');
    expect(text).toContain('red\\x1b[31m\\nnew line\\u202e.flv: ');
    expect(text).toContain('Evil\\x1b]0;title\\x07');
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(JSON.parse((await validate(name, '--format', 'json')).stdout).files[0].file).toBe(name);
  });

  test('escapes control characters, and line feeds only in one-line text', () => {
    expect(visible('a\tb\r\nc\u0085\u2028')).toBe('a\\x09b\\x0d\\nc\\x85\\u2028');
    expect(visibleLines('a\nb\u001b')).toBe('a\nb\\x1b');
    expect(visible('é 日本 \u{1f600}')).toBe('é 日本 \u{1f600}');
  });

  test('lists the rules without a verdict, and whether they need more media or a broadcast', async () => {
    const { stdout } = await validate('there.flv', '--verbose');
    expect(stdout).toMatch(/Not judged \(track missing or too short\): 6203, .*6208, .*\./);
    expect(stdout).toMatch(
      /Not judged \(running broadcasts only\): 6101, 6406, 6407, 6503, 6504, 6505, 6506, 6507, 6508, 6509, 6511, 6512, 6513, 6601, 6602, 6901, 6902, 6904, 6907, 6908\./,
    );
  });
});
