/** Resident memory of a server, as the system counts it (Linux). */
import { readFileSync, writeFileSync } from 'node:fs';
import { serverProcesses } from './process-tree.js';

const NODE_MAJOR = Number(process.versions.node.split('.')[0]);
/** What the five processes of a server take more than on Node 20: measured 387 (Node 22) and 395 (24) against 295 MB after a start. */
export const NEWER_NODE_MB = NODE_MAJOR > 20 ? 120 : 0;

/** Zero for a process that has ended. */
const read = (pid: number, field: string): number => {
  try {
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
};

const sum = (pids: readonly number[], field: string): number =>
  pids.reduce((total, pid) => total + read(pid, field), 0);

/** Begins to measure the peak anew; answers with what is resident now, in MB: the sum over the server's processes. */
export function watchMemory(pid: number): { readonly beforeMb: number; peakMb(): number } {
  const pids = serverProcesses(pid);
  // 5: the peak becomes what is resident now (proc(5), clear_refs).
  for (const each of pids) writeFileSync(`/proc/${each}/clear_refs`, '5');
  return { beforeMb: sum(pids, 'VmRSS'), peakMb: () => sum(pids, 'VmHWM') };
}

/** What is resident now, in MB. */
export const residentMb = (pid: number): number => sum(serverProcesses(pid), 'VmRSS');
