/** Ends runs with everything that they started. */
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { realPath } from './system-folders.js';

/**
 * Kills a run and its process group. bwrap's first child waits for it, and ends with it only after some milliseconds: a
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

const LABEL = /\0(airlock-run-[0-9a-f]+-)(\d+)\0/;

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
    const [, prefix, owner] = LABEL.exec(commandLine(name)) ?? [];
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

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
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
