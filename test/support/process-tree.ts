/** Processes below another one, as the system lists them (Linux). */
import { readFileSync } from 'node:fs';

/** Children and their children, the nearest first; what ends meanwhile is left out. */
export function descendantsOf(pid: number): number[] {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap(descendantsOf)];
}

/** The supervisor and its roles, without the tools that they run. */
export function serverProcesses(pid: number): number[] {
  return [pid, ...descendantsOf(pid).filter((each) => titleOf(each).startsWith('airlock-'))];
}

/** The name that a process shows in `ps`. */
export function titleOf(pid: number): string {
  return readOr(`/proc/${pid}/cmdline`).replace(/\0.*$/s, '').trim();
}

function childrenOf(pid: number): number[] {
  return readOr(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
