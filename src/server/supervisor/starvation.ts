/**
 * Tells a process that waits for a processor, or has much to read, from one that hangs. On a machine with too much work, a
 * process may not come to answer for seconds; replacing it would end its connections and add the cost of a start. Measured:
 * with 0.15 of a core for the server and 150 publishers, the ingest process was replaced after 7 s, which lost all of them;
 * while recording it was replaced within one turn of its loop, in which libuv reads up to 2 MB of each socket.
 */
import { readFileSync } from 'node:fs';

/** A hanging loop has used this much of a processor since the first missed answer; a starved process answers before. */
const HANGING_CPU_MS = 1_500;
/** Between two missed answers. A hanging loop reads nothing; its helper threads finish a few reads at most. */
const READS_OF_WORK = 16;
/** A loop that reads forever, without an answer to any of these pings (60 s), hangs too. */
const MISSES_OF_WORK = 35;
/** USER_HZ, the unit of proc(5), is 100 on every architecture that Node runs on. */
const MS_PER_TICK = 10;

export interface ProcessorUse {
  /** Processor time of all threads, since the start of the process. */
  readonly cpuMs: number;
  /** The main thread runs, waits for a processor, or waits for the disk. */
  readonly isDue: boolean;
  /** Calls of read(2) since the start of the process: of sockets, pipes and files. */
  readonly reads: number;
}

/**
 * `stat`: the content of /proc/<pid>/stat (proc(5)): the state is the third field, the times are the 14th and 15th. `io`: of
 * /proc/<pid>/io.
 */
export function processorUseOf(stat: string, io: string): ProcessorUse {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { cpuMs: ticks * MS_PER_TICK, isDue: fields[0] === 'R' || fields[0] === 'D', reads: readsOf(io) };
}

const readsOf = (io: string): number => Number(/^syscr: (\d+)$/m.exec(io)?.[1] ?? 0);

/** Another user's, which no role is, is not readable. */
function ioOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/io`, 'latin1');
  } catch {
    return '';
  }
}

/** `undefined` where the kernel does not tell. */
export function readUse(pid: number): ProcessorUse | undefined {
  try {
    return processorUseOf(readFileSync(`/proc/${pid}/stat`, 'latin1'), ioOf(pid));
  } catch {
    return undefined;
  }
}

/** Stopped by a signal (SIGSTOP): it does nothing until it is continued. False where the kernel does not tell. */
export function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat[stat.lastIndexOf(')') + 2] === 'T';
  } catch {
    return false;
  }
}

export class Starvation {
  readonly #pid: number;
  readonly #read: (pid: number) => ProcessorUse | undefined;
  /** At the first missed answer, or the last one before which the process worked. */
  #first: ProcessorUse | undefined;
  #misses = 0;

  constructor(pid: number, read: (pid: number) => ProcessorUse | undefined = readUse) {
    this.#pid = pid;
    this.#read = read;
  }

  answered(): void {
    this.#first = undefined;
    this.#misses = 0;
  }

  /** Call it for each missed answer. True: the process waits for a processor or works, and may still answer. */
  missed(): boolean {
    const now = this.#read(this.#pid);
    if (now === undefined) return false;
    this.#first ??= now;
    this.#misses++;
    if (now.reads - this.#first.reads >= READS_OF_WORK && this.#misses <= MISSES_OF_WORK) {
      this.#first = now;
      return true;
    }
    return now.isDue && now.cpuMs - this.#first.cpuMs < HANGING_CPU_MS;
  }
}
