/**
 * Returns the memory of a burst of work. V8 collects when the heap grows, and shrinks the young generation after full collections only:
 * a process that has nothing to do starts none, and would keep what the burst has left. Measured after 636 sessions within 2.5
 * minutes: 22 of the 84 MB of the ingest process (without pages of files). Called with the pings of the supervisor, so that it needs no timer.
 */
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/**
 * Processor time as a share of the time since the last call: a few messages and short reads. Not the utilization of the event
 * loop, which counts the time that the process waits for a processor.
 */
const IDLE_SHARE = 0.1;
/** Calls in a row, from which on it collects; a pause between two bursts is shorter. Between two collections, too. */
const IDLE_CALLS = 3;
/** Less growth since the last collection is not worth another one. */
const LARGE_BYTES = 4 * 1024 * 1024;

export interface HeapProbe {
  /** Processor time as a share of the time since the last call. */
  busyShare(): number;
  /** Memory of the heap, used or not, and of the buffers that it holds. */
  bytes(): number;
  /** A full collection, some 20 ms. V8 follows it with one that gives memory back, 8 s later. */
  collect(): void;
}

export class IdleHeap {
  readonly #probe: HeapProbe;
  #idleCalls = 0;
  /** The least since the last collection: memory is given back during some seconds. */
  #leastBytes = 0;

  constructor(probe: HeapProbe) {
    this.#probe = probe;
  }

  /** Call it every few seconds. A process that has nothing to do does not grow, so that it collects once. */
  check(): void {
    const bytes = this.#probe.bytes();
    this.#leastBytes = Math.min(this.#leastBytes, bytes);
    if (this.#probe.busyShare() > IDLE_SHARE) this.#idleCalls = 0;
    else if (++this.#idleCalls % IDLE_CALLS === 0 && bytes > this.#leastBytes + LARGE_BYTES) {
      this.#probe.collect();
      this.#leastBytes = this.#probe.bytes();
    }
  }
}

function processorTime(): { readonly atMs: number; readonly usedMs: number } {
  const { user, system } = process.cpuUsage();
  return { atMs: performance.now(), usedMs: (user + system) / 1_000 };
}

/** Undefined in a process without the flag `--expose-gc`. */
export function idleHeap(): IdleHeap | undefined {
  const { gc } = globalThis;
  if (gc === undefined) return undefined;
  let last = processorTime();
  return new IdleHeap({
    busyShare() {
      const now = processorTime();
      const share = (now.usedMs - last.usedMs) / (now.atMs - last.atMs);
      last = now;
      return share;
    },
    bytes() {
      const { total_physical_size, external_memory } = getHeapStatistics();
      return total_physical_size + external_memory;
    },
    collect: () => gc(),
  });
}
