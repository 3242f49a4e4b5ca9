/** Ends runs with everything that they started. */
import { type ChildProcess, execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CAGE } from './limits.js';
import { realPath } from './system-folders.js';

/**
 * Kills a run and its process group. The first process of bwrap's namespace ends with bwrap only after some milliseconds: a
 * kill of bwrap alone would leave it behind.
 */
export function killRun(child: ChildProcess): void {
  const { pid, exitCode, signalCode } = child;
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  // The group exists once `setsid` has run; what it starts between the first two calls is in it.
  signal(-pid, 'SIGKILL');
  child.kill('SIGKILL');
  signal(-pid, 'SIGKILL');
}

/** Resolves once the program itself has ended. */
export async function killed(child: ChildProcess): Promise<void> {
  const { pid, exitCode, signalCode } = child;
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  const ended = once(child, 'exit');
  killRun(child);
  await ended;
}

/** In the environment of what a run without a user of its own starts. */
export const MARK = 'RUN_OF_AIRLOCK';
const LABEL = /\0(airlock-run-[0-9a-f]+-)(\d+)\0/;
const MARKED = new RegExp(`\0${MARK}=(airlock-run-[0-9a-f]+-)(\\d+)-\\d+\0`);
/** To which processes a signal goes is decided at once, so that none escapes by starting another. */
const KILL_ALL = ['/bin/sh', '-c', 'kill -s KILL -- -1'] as const;

/** Ends all processes of a user. False: some could not be ended. */
export async function endUser(setpriv: string, user: number): Promise<boolean> {
  const become = [
    `--reuid=${user}`,
    `--regid=${CAGE.firstUser}`,
    '--clear-groups',
    '--inh-caps=-all',
    '--no-new-privs',
  ];
  return endAll(
    () => processes().flatMap((pid) => (usersOf(pid).includes(user) ? [Number(pid)] : [])),
    () =>
      new Promise((resolve) => {
        // Its own result does not count: the processes that it kills could have stopped it first.
        execFile(setpriv, [...become, ...KILL_ALL], { env: {}, timeout: CAGE.checkMs, killSignal: 'SIGKILL' }, () =>
          resolve(),
        );
      }),
  );
}

/** Ends the processes with this mark, those of this session, and those that they started. False: some could not be ended. */
export async function endMarked(mark: string, session: number): Promise<boolean> {
  const variable = `\0${MARK}=${mark}\0`;
  const isOne = (process: LiveProcess) => process.session === session || environment(process.pid).includes(variable);
  return endAll(() => {
    const found = new Set<number>();
    const all = liveProcesses().filter(({ pid }) => pid !== process.pid);
    for (const each of all) if (isOne(each)) found.add(each.pid);
    for (let size = -1; size !== found.size; ) {
      size = found.size;
      for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
    }
    return [...found];
  });
}

async function endAll(find: () => number[], killAll: () => Promise<void> = async () => undefined): Promise<boolean> {
  for (let tries = 0; tries < CAGE.endTries; tries++) {
    await killAll();
    const left = find();
    if (left.length === 0) return true;
    for (const pid of left) signal(pid, 'SIGKILL');
    await sleep(CAGE.endPauseMs);
  }
  return false;
}

/** The users of a range that have processes. */
export function usersRunning(from: number, count: number): Set<number> {
  return new Set(
    processes()
      .flatMap(usersOf)
      .filter((user) => user >= from && user < from + count),
  );
}

/** Real, effective and saved user of a process; none of one that has ended and waits for its parent. */
function usersOf(pid: string): number[] {
  const status = contents(pid, 'status');
  if (/^State:\t[ZX]/m.test(status)) return [];
  return (/^Uid:\t(\d+)\t(\d+)\t(\d+)/m.exec(status)?.slice(1) ?? []).map(Number);
}

interface LiveProcess {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
}

/** Those that have ended and wait for their parent are not among them. Linux only. */
function liveProcesses(): LiveProcess[] {
  return processes().flatMap((pid) => {
    // The name, in parentheses, may hold any character.
    const [state = 'X', parent, , session] = contents(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
    if (state === 'Z' || state === 'X' || session === undefined) return [];
    return { pid: Number(pid), parent: Number(parent), session: Number(session) };
  });
}

const environment = (pid: number): string => `\0${contents(String(pid), 'environ')}`;

/** Names the server, by a folder of its own, and its process that starts the run; among the arguments of each run. */
export function labelOf(folder: string, pid = process.pid): string {
  return `${prefixOf(folder)}${pid}`;
}

function prefixOf(folder: string): string {
  return `airlock-run-${createHash('sha256').update(realPath(folder)).digest('hex').slice(0, 16)}-`;
}

/** Kills runs of processes of this server that were killed themselves, which could not end them. Linux only. */
export function killLeftRuns(folder: string): void {
  const own = prefixOf(folder);
  for (const name of processes()) {
    const [, prefix, owner] = LABEL.exec(contents(name, 'cmdline')) ?? MARKED.exec(environment(Number(name))) ?? [];
    if (prefix === own && !signal(Number(owner), 0)) signal(Number(name), 'SIGKILL');
  }
}

function processes(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Empty for a process that is gone or not ours. */
function contents(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

/** Whether the process or, if `id` is negative, the group exists. */
function signal(id: number, name: 'SIGKILL' | 0): boolean {
  try {
    return process.kill(id, name);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
