/** Resident memory of a process, as the system counts it (Linux). */
import { readFileSync, writeFileSync } from 'node:fs';

const read = (pid: number, field: string): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Begins to measure the peak anew; answers with what is resident now, in MB. */
export function watchMemory(pid: number): { readonly beforeMb: number; peakMb(): number } {
  // 5: the peak becomes what is resident now (proc(5), clear_refs).
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return { beforeMb: read(pid, 'VmRSS'), peakMb: () => read(pid, 'VmHWM') };
}
