/**
 * Identifies the process that holds a file or folder, distinct from a later one with the same pid. Linux provides the start
 * time of a process and the namespace of its pid; elsewhere the pid alone is used. Containers that share a folder cannot
 * see each other's pids: for them the holder's heartbeat decides, the age of a file that it touches.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { codeOf } from '../../lib/errors.js';

export interface ProcessIdentity {
  readonly pid: number;
  /** Start time of the process in kernel ticks; `0` where the system does not provide it. */
  readonly start: string;
  /** Boot and pid namespace: pids are comparable only within one. Letters and digits. */
  readonly space: string;
}

/** Heartbeat interval, and the age at which the heartbeat of a holder in another namespace is stale. */
export const HEARTBEAT_MS = 5_000;
export const HEARTBEAT_STALE_MS = 20_000;

let own: ProcessIdentity | undefined;

export function ownIdentity(): ProcessIdentity {
  own ??= { pid: process.pid, start: startOf(process.pid) ?? '0', space: pidSpace() };
  return own;
}

/** `unknown`: the process belongs to another pid namespace or another boot. */
export function lifeOf(identity: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  const self = ownIdentity();
  if (identity.space !== self.space) return 'unknown';
  if (self.start !== '0') return startOf(identity.pid) === identity.start ? 'alive' : 'dead';
  try {
    process.kill(identity.pid, 0);
    return 'alive';
  } catch (error) {
    return codeOf(error) === 'ESRCH' ? 'dead' : 'alive';
  }
}

/** proc(5): the 22nd field of /proc/PID/stat. The second field, the name, may contain spaces and parentheses. */
function startOf(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended; its parent has not reaped it yet.
  return fields === undefined || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function pidSpace(): string {
  const boot =
    readText('/proc/sys/kernel/random/boot_id')
      ?.replace(/[^0-9a-f]/g, '')
      .slice(0, 12) ?? '';
  return `${boot}n${namespace()}`;
}

function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch (error) {
    return codeOf(error) === '' ? 'x' : '0';
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === '') throw error;
    return undefined;
  }
}
