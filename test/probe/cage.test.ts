/** What a hijacked ffprobe reaches from within each sandbox. Runs as root, to take the part of every user. */
import { chownSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Cage } from '../../src/probe/cage/cage.js';
import { CAGE, PROBE } from '../../src/probe/cage/limits.js';
import { closingShell, countsPerNamespace, limitsOnly, openCage } from '../../src/probe/cage/open-cage.js';
import { executableOn } from '../../src/probe/cage/system-folders.js';
import { runTool } from '../../src/probe/run-tool.js';
import { strongCage } from '../support/cage.js';
import { temporaryFolderOfFile } from '../support/store-harness.js';

const folder = temporaryFolderOfFile();
const path = (name: string) => join(folder.path, name);
/** A user of the server that is not root. */
const PLAIN = 64_936;
const found = (name: string) => executableOn('/usr/bin:/bin', name);
const TOOLS = { shell: found('bash'), setsid: found('setsid') };
const servers: Server[] = [];
let port = 0;

beforeAll(async () => {
  process.env.STAND_IN_SECRET = 'in the environment';
  writeFileSync(path('leaked'), 'in an inherited descriptor', { mode: 0o600 });
  writeFileSync(path('key-secret'), 'in the data folder', { mode: 0o600 });
  copyFileSync(new URL('../support/stand-in.pl', import.meta.url), path('ffprobe'));
  port = ((await listening(0)) as AddressInfo).port;
  await listening(path('admin.sock'));
});
afterAll(async () => {
  delete process.env.STAND_IN_SECRET;
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  folder.remove();
});

async function listening(where: number | string): Promise<AddressInfo | string | null> {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  await new Promise<void>((resolve) =>
    typeof where === 'number' ? server.listen(where, '127.0.0.1', resolve) : server.listen(where, resolve),
  );
  return server.address();
}

interface Run {
  readonly tool: string;
  readonly input: string;
  readonly output: string;
}

function prepare(name: string): Run {
  const run = { tool: path('ffprobe'), input: path(`${name}-input`), output: path(name) };
  writeFileSync(run.input, 'media', { mode: 0o600 });
  mkdirSync(run.output);
  return run;
}

/** Results of the stand-in by name. `before` precedes the command. */
async function standIn(cage: Cage, run: Run, before: readonly string[] = []): Promise<Record<string, string>> {
  const { program, args, cwd, input } = cage.enter({ ...run, limits: { ...PROBE, fileMib: 2 } });
  const tries = [input, path('key-secret'), path('admin.sock'), String(port), String(process.pid)];
  // Like the store's file, which lmdb opens without close-on-exec.
  const leak = ['/bin/bash', '-c', 'exec 200<"$1"; shift; exec "$@"', 'bash', path('leaked')];
  const [first = program, ...rest] = [...leak, ...before, program, ...args, ...tries];
  const text = await runTool(first, rest, {
    timeoutMs: 60_000,
    stdoutMax: 10_000,
    env: {},
    ...(cwd === undefined ? {} : { cwd }),
  });
  expect(readFileSync(join(run.output, 'result'), 'utf8')).toBe('x');
  const lines = text.trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(/ (.*)/).slice(0, 2)));
}

const CLEARED = {
  environment: expect.stringMatching(/^HOME,LC_ALL,PATH(,PWD)?$/),
  input: 'read',
  output: 'written',
  descriptor: 'refused',
  huge: 'refused',
};
const ISOLATED = {
  'server-environment': 'refused',
  'data-folder': 'refused',
  socket: 'refused',
  memory: 'refused',
  signal: 'refused',
  'input-write': 'refused',
  system: 'refused',
  root: 'refused',
};

test('the strong sandbox refuses a stand-in environment, data, sockets, network, processes, forks and a huge file', async () => {
  const results = await standIn(await strongCage(path('check')), prepare('strong'));
  expect(results).toMatchObject({ ...CLEARED, ...ISOLATED, network: 'refused', shared: 'refused' });
  expect(results.user).not.toBe('0');
  expect(Number(results.forks)).toBeLessThan(CAGE.processes);
});

test('the strong sandbox of a server without root refuses the same, also to the user of the server', async () => {
  const run = prepare('plain');
  const before = ['setpriv', `--reuid=${PLAIN}`, `--regid=${PLAIN}`, '--clear-groups'];
  for (const owned of [folder.path, path('key-secret'), path('admin.sock'), run.input, run.output]) {
    chownSync(owned, PLAIN, PLAIN);
  }
  const cage = new Cage({ ...TOOLS, kind: 'strong', bwrap: found('bwrap'), countsProcesses: true });
  try {
    const results = await standIn(cage, run, before);
    expect(results).toMatchObject({ ...CLEARED, ...ISOLATED, network: 'refused', shared: 'refused' });
    expect(Number(results.forks)).toBeLessThan(CAGE.processes);
  } finally {
    for (const owned of [folder.path, path('key-secret'), path('admin.sock')]) chownSync(owned, 0, 0);
  }
});

test('the weak sandbox of a server that runs as root refuses all of these but the network', async () => {
  const cage = new Cage({ ...TOOLS, kind: 'weak', setpriv: found('setpriv'), countsProcesses: true });
  const results = await standIn(cage, prepare('weak'));
  expect(results).toMatchObject({ ...CLEARED, ...ISOLATED });
  expect(Number(results.user)).toBeGreaterThanOrEqual(CAGE.firstUser);
  expect(Number(results.forks)).toBeLessThan(CAGE.processes);
});

test('the weak sandbox of any other server clears the environment and limits the size of files', async () => {
  expect(await standIn(limitsOnly(), prepare('limits'))).toMatchObject(CLEARED);
});

test('names why the strong sandbox does not run, and `require` then throws', async () => {
  const old = process.env.PATH;
  process.env.PATH = path('bin');
  mkdirSync(path('bin'));
  writeFileSync(path('bin/bwrap'), '#!/bin/sh\necho "bwrap: No permissions to create a new namespace" >&2\nexit 1\n', {
    mode: 0o755,
  });
  try {
    const { cage, problem } = await openCage('auto', path('check'));
    expect({ kind: cage.kind, problem }).toEqual({
      kind: 'weak',
      problem: 'bwrap: No permissions to create a new namespace',
    });
    await expect(openCage('require', path('check'))).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    expect((await openCage('off', path('check'))).cage.kind).toBe('off');
  } finally {
    process.env.PATH = old;
  }
});

test('without a shell that closes inherited descriptors, only the weak sandbox without a user of its own remains', async () => {
  expect(await closingShell(['/nonexistent', '/bin/dash', '/bin/bash'])).toBe('/bin/bash');
  const shells = ['/bin/dash'];
  const { cage, problem } = await openCage('auto', path('check'), { shells });
  expect({ kind: cage.kind, hasOwnUser: cage.hasOwnUser, problem }).toEqual({
    kind: 'weak',
    hasOwnUser: false,
    problem: 'no shell closes descriptors above 9: install bash',
  });
  await expect(openCage('require', path('check'), { shells })).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
});

test('counts processes for each namespace since Linux 5.14', () => {
  expect(['5.4.0-150-generic', '5.14.0', '6.1.0-18-amd64'].map(countsPerNamespace)).toEqual([false, true, true]);
});
