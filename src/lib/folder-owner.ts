/**
 * The owner of a folder, when root runs a command on the data folder of a service: what the command creates must be the
 * service's, and a link that the service's user placed there must not lead root to other files.
 */
import { accessSync, constants, readFileSync, type Stats, statSync } from 'node:fs';
import { codeOf, isCode } from './errors.js';

const ROOT = 0;

/** Runs `work` as the owner of the folder if root calls it. The process has one user: nothing else may run meanwhile. */
export async function asOwnerOf<Result>(folder: string, work: () => Result | Promise<Result>): Promise<Result> {
  const owner = process.geteuid?.() === ROOT ? statSync(folder, { throwIfNoEntry: false }) : undefined;
  if (owner === undefined || owner.uid === ROOT) return await work();
  const groups = process.getgroups?.() ?? [];
  become(owner, [owner.gid]);
  try {
    return await work();
  } finally {
    become({ uid: ROOT, gid: process.getgid?.() ?? ROOT }, groups);
  }
}

/** Opens, renames or removes a file that the caller named, within `asOwnerOf`: it may lie in a folder of root. */
export function asCaller<Result>(work: () => Result): Result {
  const [uid, gid] = [process.geteuid?.(), process.getegid?.()];
  if (uid === undefined || gid === undefined || uid === process.getuid?.()) return work();
  const groups = process.getgroups?.() ?? [];
  become({ uid: process.getuid?.() ?? uid, gid: process.getgid?.() ?? gid }, groups);
  try {
    return work();
  } finally {
    become({ uid, gid }, groups);
  }
}

/** Groups are changed while the process is root, which is first on the way up and last on the way down. */
function become({ uid, gid }: Pick<Stats, 'uid' | 'gid'>, groups: readonly number[]): void {
  if (uid === ROOT) process.seteuid?.(uid);
  process.setgroups?.([...groups]);
  process.setegid?.(gid);
  if (uid !== ROOT) process.seteuid?.(uid);
}

/** Says whose a path is and what to do, if it is not this user's; else empty. */
export function foreignOwner(path: string, folder: string): string {
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  const own = process.geteuid?.();
  if (owner === undefined || own === undefined || owner === own) return '';
  const user = nameOf(own);
  return `${path} belongs to ${nameOf(owner)}, and this process runs as ${user}: sudo chown -R ${user}: ${folder}`;
}

/** Names a path that this process may not read and write; empty for one that it may, or that is not there. */
export function unwritable(path: string, folder: string): string {
  // `access` asks for the user who called, not for the one that the process acts as.
  if (process.getuid?.() !== process.geteuid?.()) return foreignOwner(path, folder);
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return '';
  } catch (error) {
    return isCode(error, 'EACCES') ? foreignOwner(path, folder) : '';
  }
}

function nameOf(uid: number): string {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
    return lines.find((line) => line.split(':')[2] === String(uid))?.split(':')[0] ?? String(uid);
  } catch (error) {
    if (codeOf(error) === '') throw error;
    return String(uid);
  }
}
