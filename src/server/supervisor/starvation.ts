/**
 * Tells a process that waits for a processor from one that hangs. On a machine with too much work, a process may not come
 * to answer for seconds; replacing it would end its connections and add the cost of a start. Measured: with 0.15 of a core
 * for the server and 150 publishers, the ingest process was replaced after 7 s, which lost all of them.
 */
import { readFileSync } from 'node:fs';

/** A hanging loop has used this much of a processor since the first missed answer; a starved process answers before. */
const HANGING_CPU_MS = 1_500;
/** USER_HZ, the unit of proc(5), is 100 on every architecture that Node runs on. */
const MS_PER_TICK = 10;

export interface ProcessorUse {
  /** Of all threads, since the start of the process. */
  readonly cpuMs: number;
  /** The main thread runs, waits for a processor, or waits for the disk. */
  readonly isDue: boolean;
}

/** `stat`: the content of /proc/<pid>/stat (proc(5)): the state is the third field, the times are the 14th and 15th. */
export function processorUseOf(stat: string): ProcessorUse {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { cpuMs: ticks * MS_PER_TICK, isDue: fields[0] === 'R' || fields[0] === 'D' };
}

/** `undefined` where the kernel does not tell. */
function readUse(pid: number): ProcessorUse | undefined {
  try {
    return processorUseOf(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

export class Starvation {
  readonly #pid: number;
  readonly #read: (pid: number) => ProcessorUse | undefined;
  #first: ProcessorUse | undefined;

  constructor(pid: number, read: (pid: number) => ProcessorUse | undefined = readUse) {
    this.#pid = pid;
    this.#read = read;
  }

  answered(): void {
    this.#first = undefined;
  }

  /** Call it for each missed answer. True: the process waits for a processor, and may still answer. */
  missed(): boolean {
    const now = this.#read(this.#pid);
    if (now === undefined) return false;
    this.#first ??= now;
    return now.isDue && now.cpuMs - this.#first.cpuMs < HANGING_CPU_MS;
  }
}
