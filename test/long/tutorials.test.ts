/** The commands of README.md and of the tutorials as they stand there, in one fresh clone, with the server that they start. */
import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { flvFile } from '../support/flv-writer.js';
import { temporaryFolderOfFile, until } from '../support/store-harness.js';
import { synthStream } from '../support/synth-stream.js';

const ROOT = join(import.meta.dirname, '../..');
const MINUTE_MS = 60_000;
const home = temporaryFolderOfFile();
/** A space, as in the names of many folders. */
const clone = join(home.path, 'air lock');
/** Free ports and an npm cache of the test; everything else is the environment of a user. */
const env = {
  ...process.env,
  AIRLOCK_RTMPS_PORT: '0',
  AIRLOCK_HTTP_PORT: '0',
  npm_config_cache: join(home.path, 'npm'),
};
let output = '';
let server: ReturnType<typeof spawn>;

beforeAll(async () => {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z', '-c', '-o', '--exclude-standard'], {
    cwd: ROOT,
  });
  for (const name of stdout.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(clone, name)), { recursive: true });
    cpSync(join(ROOT, name), join(clone, name));
  }
  const [start = ''] = blocksOf('README.md').filter((block) => block.includes('npm start'));
  server = spawn('bash', ['-c', start], { cwd: clone, env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', (chunk) => (output += chunk));
  await until(() => output.includes('Airlock is ready.') || server.exitCode !== null, 10 * MINUTE_MS);
  expect(server.exitCode === null ? '' : output).toBe('');
}, 11 * MINUTE_MS);

afterAll(() => {
  server.kill();
});

/** The shell blocks of a page that a test can run. */
function blocksOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)]
    .map(([, , script = '']) => script)
    .filter((script) => !/^\s*# Not run by a test/.test(script));
}

/** What the blocks of a page print, in one shell, and each command that ended with another code than 0. */
function run(page: string): Promise<{ printed: string; failed: string[] }> {
  const blocks = blocksOf(page).filter((block) => !block.includes('npm ci'));
  const script = `trap 'echo "@failed $? $BASH_COMMAND"' ERR\n${blocks.join('\n')}`;
  return new Promise((resolve) => {
    execFile('bash', ['-u', '-c', script], { cwd: clone, env }, (_error, stdout, stderr) => {
      const failed = [...stdout.matchAll(/^@failed (.*)$/gm)].map(([, command = '']) => command);
      resolve({ printed: stdout + stderr, failed });
    });
  });
}

const recording = (channels: 1 | 2) =>
  flvFile(synthStream({ durationMs: 4000, width: 640, height: 360, videoKbps: 600, channels }));

/** The output where another command failed than those expected. */
const outcome = (expected: readonly string[], { printed, failed }: { printed: string; failed: string[] }) =>
  JSON.stringify(expected) === JSON.stringify(failed) ? 'as the page says' : printed;

test(
  'README: a rule that is broken, its error by GET, the mended stream, files',
  async () => {
    mkdirSync(join(clone, 'recordings'));
    for (const name of ['recording.flv', 'recordings/one.flv']) writeFileSync(join(clone, name), recording(2));
    const { printed, failed } = await run('README.md');
    expect(
      outcome(['1 npx airlock replay sample:broken', '1 npx airlock replay sample:clean'], { printed, failed }),
    ).toBe('as the page says');
    const shown = /```text\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[1] ?? '';
    const words = (text: string) => text.replaceAll(/\s+/g, ' ').replaceAll(/\d+\.\d s/g, 'S');
    expect(words(printed)).toContain(words(shown).trim());
    expect(printed).toMatch(/"error_code":6208,.*"worst":8000,"limit":4000/s);
    expect(printed).toMatch(/sample:clean {2}status NetStream\.Publish\.Cleared {2}\[6208/);
  },
  MINUTE_MS * 3,
);

test('what the start prints is what the README says', () => {
  for (const line of [
    'npx airlock replay sample:broken',
    'npx airlock replay sample:clean',
    'Sign in: npx airlock sign-in',
  ])
    expect(output).toContain(line);
});

test(
  'from ffmpeg: a broadcast with a mistake, and one without',
  async () => {
    const { printed, failed } = await run('docs/tutorials/ffmpeg.md');
    expect(outcome(['1 npx airlock live errors "$LIVE"'], { printed, failed })).toBe('as the page says');
    expect(printed).toContain('"error_code":6208');
  },
  MINUTE_MS * 2,
);

test(
  'from GStreamer: a conforming broadcast',
  async () => {
    const { failed, printed } = await run('docs/tutorials/gstreamer.md');
    expect(outcome([], { printed, failed })).toBe('as the page says');
  },
  MINUTE_MS * 2,
);

test(
  'in CI: faults that were known before do not fail a job',
  async () => {
    writeFileSync(join(clone, 'recordings/one.flv'), recording(1));
    const { failed } = await run('docs/tutorials/ci.md');
    expect(failed).toEqual(['1 npx airlock validate recordings --format json --output known.json']);
  },
  MINUTE_MS,
);

test(
  'SIGTERM to npm start stops the server; npx airlock builds what is missing',
  async () => {
    const { stdout: children } = await promisify(execFile)('pgrep', ['-P', String(server.pid)]).catch(() => ({
      stdout: '',
    }));
    process.kill(Number(children.trim()) || Number(server.pid));
    await until(() => output.includes('"msg":"stopped"'));
    rmSync(join(clone, 'dist'), { recursive: true });
    const explain = ['airlock', 'explain', '6208'];
    const { stdout } = await promisify(execFile)('npx', explain, { cwd: clone, env });
    expect(stdout).toMatch(/^6208 /);
  },
  MINUTE_MS * 5,
);
