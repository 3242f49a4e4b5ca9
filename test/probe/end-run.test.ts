/** Runs end with everything that they started: when they are killed, however early, and when their process was killed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cage } from '../../src/probe/cage/cage.js';
import { killRun, labelOf, MARK } from '../../src/probe/cage/end-run.js';
import { CAGE, PROBE } from '../../src/probe/cage/limits.js';
import { openCage } from '../../src/probe/cage/open-cage.js';
import { executableOn } from '../../src/probe/cage/system-folders.js';
import { strongCage } from '../support/cage.js';
import { eachTurnUntil, temporaryFolderOfFile, until } from '../support/store-harness.js';

const RUNS = 80;
/** A run takes some 10 ms from its start to the first instruction of its tool. */
const START_MS = 12;

const folder = temporaryFolderOfFile();
const ends: (() => unknown)[] = [];
// A run that is not ended holds its user, which the server then leaves alone.
afterEach(() => Promise.all(ends.splice(0).map((end) => end())));
afterAll(() => folder.remove());

function start(cage: Cage): ChildProcess {
  const run = cage.enter({ tool: '/bin/sleep', limits: PROBE });
  const child = spawn(run.program, [...run.args, '1000'], { env: {}, stdio: ['pipe', 'pipe', 'pipe'] });
  ends.push(() => run.end(child));
  return child;
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Real user of a process; undefined for one that is gone. */
function userOf(pid: number | undefined): number | undefined {
  try {
    return Number(/^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

/** Processes of runs with this label. */
const left = (label: string) => readdirSync('/proc').filter((pid) => commandLine(pid).includes(label));

test('killing a run at any time of its start leaves no process of it', async () => {
  const cage = await strongCage(folder.path);
  for (let each = 0; each < RUNS; each++) {
    const child = start(cage);
    const exited = once(child, 'exit');
    const killMs = performance.now() + (each / RUNS) * START_MS;
    await eachTurnUntil(() => performance.now() >= killMs);
    killRun(child);
    await exited;
  }
  // A killed process is listed until it is reaped.
  await until(() => left(labelOf(folder.path)).length === 0);
});

test('a new process of the server ends the runs of one that was killed, and no others', async () => {
  const design = {
    kind: 'strong',
    bwrap: executableOn('/usr/bin:/bin', 'bwrap'),
    setsid: executableOn('/usr/bin:/bin', 'setsid'),
    countsProcesses: true,
  } as const;
  const gone = spawnSync('/bin/true').pid;
  const orphan = start(new Cage({ ...design, label: labelOf(folder.path, gone) }));
  const own = start(new Cage({ ...design, label: labelOf(folder.path) }));
  const others = start(new Cage({ ...design, label: labelOf('/nonexistent', gone) }));
  await until(() =>
    [labelOf(folder.path, gone), labelOf('/nonexistent', gone)].every((label) => left(label).length > 1),
  );
  const ended = once(orphan, 'exit');
  await openCage('auto', folder.path);
  expect((await ended)[1]).toBe('SIGKILL');
  await until(() => left(labelOf(folder.path, gone)).length === 0);
  for (const run of [own, others]) {
    expect([run.exitCode, run.signalCode]).toEqual([null, null]);
    const exited = once(run, 'exit');
    killRun(run);
    await exited;
  }
});

test('a new process of a server with the weak sandbox ends what runs without an owner have left', async () => {
  const bin = join(folder.path, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const gone = spawnSync('/bin/true').pid;
  const own = start(
    new Cage({ kind: 'weak', setpriv: executableOn('/usr/bin:/bin', 'setpriv'), countsProcesses: false }),
  );
  await once(own, 'spawn');
  const isInRange = (user = 0) => user >= CAGE.firstUser && user < CAGE.firstUser + CAGE.users;
  await until(() => isInRange(userOf(own.pid)));
  const last = CAGE.firstUser + CAGE.users - 1;
  // The user of a run is chosen at random.
  const user = userOf(own.pid) === last ? last - 1 : last;
  const ids = [`--reuid=${user}`, `--regid=${CAGE.firstUser}`, '--clear-groups'];
  const withUser = spawn('setpriv', [...ids, '/bin/sleep', '1000']);
  const marked = spawn('/bin/sleep', ['1000'], { env: { [MARK]: `${labelOf(folder.path, gone)}-7` } });
  await Promise.all([withUser, marked].map((child) => once(child, 'spawn')));
  const ended = Promise.all([withUser, marked].map((child) => once(child, 'exit')));
  ends.push(...[withUser, marked].map((child) => () => killRun(child)));
  const before = process.env.PATH;
  process.env.PATH = `${bin}:${before}`;
  try {
    // The user is changed a moment after the start; other processes may have it, too. A server that another test starts ends
    // unclaimed users; a setpriv that fails exits by itself, which the signals below tell.
    const isOver = () => withUser.exitCode !== null || withUser.signalCode !== null;
    await until(() => isOver() || userOf(withUser.pid) === user);
    expect((await openCage('auto', folder.path)).cage.kind).toBe('weak');
    // A run of another server may have held the user at that moment.
    while (!isOver()) await openCage('auto', folder.path);
  } finally {
    process.env.PATH = before;
  }
  expect((await ended).map(([, signal]) => signal)).toEqual(['SIGKILL', 'SIGKILL']);
  expect([own.exitCode, own.signalCode]).toEqual([null, null]);
  const exited = once(own, 'exit');
  killRun(own);
  await exited;
});
