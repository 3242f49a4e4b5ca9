/** The built `airlock validate`: bundled, it must give the same output as its sources. */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MAIN } from '../support/airlock.js';
import { type CliRun, runCli } from '../support/cli.js';
import { ffmpeg } from '../support/ffmpeg.js';
import { flvFile } from '../support/flv-writer.js';
import { folderOfFile } from '../support/folders.js';
import { synthStream } from '../support/synth-stream.js';

const ROOT = join(import.meta.dirname, '../..');
const folder = folderOfFile('airlock-built-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function built(args: readonly string[], input?: Uint8Array): Promise<CliRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder });
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (bytes: Buffer) => (said.stdout += bytes.toString('utf8')));
    child.stderr.on('data', (bytes: Buffer) => (said.stderr += bytes.toString('utf8')));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, ...said }));
    child.stdin.end(input);
  });
}

const clean = flvFile(synthStream({ durationMs: 6000, width: 640, height: 360, videoKbps: 600 }));
const longGap = flvFile(synthStream({ durationMs: 12_000, keyFrameIntervalMs: 6000 }));

beforeAll(async () => {
  mkdirSync(join(folder, 'recordings'));
  writeFileSync(join(folder, 'recordings/clean.flv'), clean);
  writeFileSync(join(folder, 'long-gap.flv'), longGap);
  writeFileSync(join(folder, 'garbage.mp4'), 'no recording');
  const made = await ffmpeg(['-y', '-i', join(folder, 'long-gap.flv'), '-c', 'copy', join(folder, 'long-gap.mp4')]);
  expect(made.code).toBe(0);
});

test.each([
  ['a clean file', ['recordings'], 0],
  ['faults', ['long-gap.flv', '--format', 'json'], 1],
  ['another container', ['long-gap.mp4', '--format', 'sarif'], 1],
  ['the upload specification', ['long-gap.mp4', '--spec', 'upload', '--format', 'junit'], 0],
  ['no recording', ['garbage.mp4'], 2],
  ['no file', ['none.flv'], 2],
  ['wrong usage', ['recordings', '--format', 'xls'], 2],
])('%s', async (_what, args, code) => {
  const run = await built(['validate', ...args]);
  const source = await runCli(['validate', ...args], { cwd: folder });
  expect(run).toEqual(source);
  expect(run.code).toBe(code);
  expect(run.stdout + run.stderr).not.toMatch(/^\s+at /m);
});

test('judges FLV on standard input', async () => {
  const run = await built(['validate', '-', '--format', 'json'], longGap);
  expect(run.code).toBe(1);
  expect(JSON.parse(run.stdout).files[0].errors[0]).toMatchObject({ error_code: 6208 });
});

const recipes = [
  ...readFileSync(join(ROOT, 'docs/validate.md'), 'utf8').matchAll(/^ +(?:- )?(?:run: )?npx airlock (validate .*)$/gm),
];

test('the CI recipes produce the reports that their services accept', async () => {
  const commands = [...new Set(recipes.map(([, command = '']) => command))];
  expect(commands).toEqual([
    'validate recordings --format junit --output streams.xml',
    'validate recordings --format sarif --output streams.sarif',
  ]);
  for (const command of commands) expect(await built(command.split(' '))).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(readFileSync(join(folder, 'streams.xml'), 'utf8')).toMatch(/<testsuites [^>]*failures="0"/);
  expect(JSON.parse(readFileSync(join(folder, 'streams.sarif'), 'utf8'))).toMatchObject({ version: '2.1.0' });
});

describe('an output that cannot be written', () => {
  const bash = (script: string) =>
    promisify(execFile)('bash', ['-c', script], { cwd: folder, env: { ...process.env, NODE: process.execPath, MAIN } });

  beforeAll(() => {
    // More than the buffer of a pipe.
    mkdirSync(join(folder, 'many'));
    for (let at = 0; at < 20; at++) writeFileSync(join(folder, 'many', `${at}.flv`), longGap);
  });

  test('ignores a closed pipe and keeps the exit code of the check', async () => {
    const pipe = '"$NODE" "$MAIN" validate many --format json | head -c 1; echo " $PIPESTATUS"';
    expect(await bash(pipe)).toEqual({ stdout: '{ 1\n', stderr: '' });
  });

  test('reports a full disk in one line without a verdict', async () => {
    const { stdout, stderr } = await bash('"$NODE" "$MAIN" validate many > /dev/full; echo $?');
    expect([stdout, stderr]).toEqual(['2\n', 'airlock: cannot write the output: the disk is full\n']);
  });
});
