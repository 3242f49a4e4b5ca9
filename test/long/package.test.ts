/** The package in empty folders: it installs without a compiler, git and the media tools, and runs. Needs a registry. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { LMDB_VERSION } from '../../src/store/lmdb/binary.js';
import { flvFile } from '../support/flv-writer.js';
import { folderOfFile } from '../support/folders.js';
import { synthStream } from '../support/synth-stream.js';

const ROOT = join(import.meta.dirname, '../..');
const INSTALL_MS = 900_000;
const folder = folderOfFile('airlock-package-');
const bin = join(folder, 'bin');
const TARBALL = join(folder, 'packed', 'airlock.tgz');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** No compiler, no ffmpeg and no git. */
const PROGRAMS = ['node', 'npm', 'npx', 'sh', 'env', 'uname'];
const env = { ...process.env, PATH: bin, AIRLOCK_HTTP_PORT: '0', AIRLOCK_RTMPS_PORT: '0' };

function run(program: string, args: readonly string[], cwd: string) {
  return spawnSync(program, args, { cwd, encoding: 'utf8', env });
}

beforeAll(() => {
  mkdirSync(bin);
  for (const name of PROGRAMS) {
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name));
  }
  mkdirSync(join(folder, 'packed'));
  const packed = run('npm', ['pack', '--ignore-scripts', '--pack-destination', join(folder, 'packed')], ROOT);
  expect(packed).toMatchObject({ status: 0 });
  const [name = ''] = readdirSync(join(folder, 'packed'));
  symlinkSync(name, TARBALL);
  expect(statSync(TARBALL).size).toBeLessThan(5_000_000);
  writeFileSync(join(folder, 'x.flv'), flvFile(synthStream({ durationMs: 6000 })));
  const from = (...args: string[]) =>
    execFileSync('ffmpeg', ['-v', 'error', ...args], { cwd: folder, stdio: 'ignore' });
  from('-i', 'x.flv', '-c', 'copy', 'x.mkv');
  from('-f', 'lavfi', '-i', 'testsrc2=d=1', '-c:v', 'mpeg4', 'x.avi');
});

/** Room for a base image and the rest of a small installation. */
const WITHOUT_OPTIONAL_BYTES = 250e6;

function sizeOf(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** Packages of the tests and of the build, which an installation of the package does not get. */
const DEVELOPMENT = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).devDependencies);

/** No install script runs, so nothing is compiled. */
function install(project: string, ...args: string[]): void {
  mkdirSync(project, { recursive: true });
  if (!readdirSync(project).includes('package.json')) writeFileSync(join(project, 'package.json'), '{}');
  const common = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  expect(run('npm', [...common, ...args], project)).toMatchObject({ status: 0 });
}

/** What `serve` prints until it is ready or has ended. */
async function serve(project: string, more: NodeJS.ProcessEnv = {}): Promise<string> {
  const server = spawn('npx', ['--no', 'airlock', 'serve'], { cwd: project, env: { ...env, ...more }, detached: true });
  const ended = once(server, 'exit');
  try {
    return await printedBy(server);
  } finally {
    if (server.exitCode === null) process.kill(-(server.pid ?? 0), 'SIGTERM');
    await ended;
  }
}

async function printedBy(server: ChildProcess): Promise<string> {
  let printed = '';
  const closed = once(server, 'close');
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', (data) => (printed += data));
  while (!printed.includes('Airlock is ready')) {
    const first = await Promise.race([
      once(server.stdout ?? process.stdin, 'data').then(() => 'more'),
      closed.then(() => 'closed'),
    ]);
    if (first === 'closed') break;
  }
  return printed;
}

test(
  'installs in an empty folder and runs',
  async () => {
    const project = join(folder, 'whole');
    install(project, TARBALL);
    const names = DEVELOPMENT.filter((name) => existsSync(join(project, 'node_modules', name)));
    // A dependency of ours has its types among its own dependencies.
    expect(names.filter((name) => !name.startsWith('@types/'))).toEqual([]);
    expect(run('npx', ['--no', 'airlock', 'validate', '../x.flv', '../x.mkv'], project)).toMatchObject({ status: 0 });
    expect(await serve(project)).toContain('Airlock is ready');
  },
  INSTALL_MS,
);

test(
  'runs without optional packages, and names what is missing',
  async () => {
    const project = join(folder, 'small');
    install(project, '--omit=optional', TARBALL);
    const installed = readdirSync(join(project, 'node_modules'));
    expect(sizeOf(join(project, 'node_modules'))).toBeLessThan(WITHOUT_OPTIONAL_BYTES);
    expect(installed).not.toEqual(expect.arrayContaining([expect.stringMatching(/ffprobe-static|ffmpeg-installer/)]));
    expect(run('npx', ['--no', 'airlock', 'validate', '../x.flv'], project)).toMatchObject({ status: 0 });
    expect(run('npx', ['--no', 'airlock', 'validate', '../x.mkv'], project)).toMatchObject({ status: 0 });
    const other = run('npx', ['--no', 'airlock', 'validate', '../x.avi'], project);
    expect(other).toMatchObject({ status: 2 });
    expect(other.stdout + other.stderr).toMatch(/ffprobe is needed for this container .*: install ffmpeg/);

    const binary = `@lmdb/lmdb-${process.platform}-${process.arch}@${LMDB_VERSION}`;
    expect(await serve(project)).toContain(`airlock: the embedded store needs ${binary}`);
    expect(run('npx', ['--no', 'airlock', 'doctor'], project).stdout).toMatch(
      /fail {2}ffmpeg.*install ffmpeg[\s\S]*fail {2}store .*lmdb/,
    );
    install(project, '--omit=optional', binary);
    expect(await serve(project)).toContain('Airlock is ready');
    expect(await serve(project, { OTEL_TRACES_EXPORTER: 'otlp' })).toMatch(
      /no traces are exported: packages are missing; run npm install @opentelemetry[\s\S]*Airlock is ready/,
    );
  },
  INSTALL_MS,
);
