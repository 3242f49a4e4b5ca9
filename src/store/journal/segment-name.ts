/**
 * Names of journal files contain their holder: the process, distinct from a later one with the same pid, and the number of
 * its journal. A file of a dead holder is adopted by renaming it, which only one process can do.
 */
import { randomBytes } from 'node:crypto';
import { HEARTBEAT_STALE_MS, lifeOf, ownIdentity, type ProcessIdentity } from '../shared/process-identity.js';

export interface SegmentName {
  readonly identity: ProcessIdentity;
  /** Number of the journal within the process. */
  readonly instance: string;
  /** Number of the file within the journal. */
  readonly number: number;
}

/** Instances of the open journals of this process. */
const openInstances = new Set<string>();

export function openInstance(): string {
  const instance = randomBytes(6).toString('hex');
  openInstances.add(instance);
  return instance;
}

export function closeInstance(instance: string): void {
  openInstances.delete(instance);
}

export function segmentFileName(instance: string, number: number): string {
  const { space, pid, start } = ownIdentity();
  return `${space}.${pid}.${start}.${instance}.${String(number).padStart(8, '0')}.journal`;
}

export function parseSegmentFileName(name: string): SegmentName | undefined {
  const match = /^([0-9a-z]+)\.(\d+)\.(\d+)\.([0-9a-f]{12})\.(\d{8,})\.journal$/.exec(name);
  if (match === null) return undefined;
  const [, space = '', pid = '', start = '', instance = '', number = ''] = match;
  return { identity: { space, pid: Number(pid), start }, instance, number: Number(number) };
}

/** Whether the holder of the file is dead. `touchedMs`: wall time of its last heartbeat. */
export function isLeftOver({ identity, instance }: SegmentName, touchedMs: number, nowMs: number): boolean {
  const self = ownIdentity();
  if (identity.pid === self.pid && identity.start === self.start && identity.space === self.space) {
    return !openInstances.has(instance);
  }
  const life = lifeOf(identity);
  return life === 'unknown' ? nowMs - touchedMs > HEARTBEAT_STALE_MS : life === 'dead';
}
