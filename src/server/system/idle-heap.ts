/**
 * Returns the memory of a burst of requests. V8 shrinks the young generation after full collections only, and a process that has nothing
 * to do starts none: it would keep 8 MB. Called with the pings of the supervisor, so that it needs no timer.
 */
import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';

/** Share of the time since the last call in which the event loop worked: a few messages and short reads. */
const IDLE_SHARE = 0.1;
/** Calls in a row. A pause between two bursts is shorter. */
const IDLE_CALLS = 3;
/** Less is not worth a collection. */
const LARGE_BYTES = 4 * 1024 * 1024;

export interface HeapProbe {
  /** Share of the time since the last call in which the event loop worked, 0 to 1. */
  busyShare(): number;
  /** Memory of the young generation, used or not. */
  youngBytes(): number;
  /** A full collection, some 20 ms. V8 follows it with one that gives memory back, 8 s later. */
  collect(): void;
}

export class IdleHeap {
  readonly #probe: HeapProbe;
  #idleCalls = 0;

  constructor(probe: HeapProbe) {
    this.#probe = probe;
  }

  /** Call it every few seconds. Collects at most once in each time without work. */
  check(): void {
    if (this.#probe.busyShare() > IDLE_SHARE) this.#idleCalls = 0;
    else if (++this.#idleCalls === IDLE_CALLS && this.#probe.youngBytes() > LARGE_BYTES) this.#probe.collect();
  }
}

/** Undefined in a process without the flag `--expose-gc`. */
export function idleHeap(): IdleHeap | undefined {
  const { gc } = globalThis;
  if (gc === undefined) return undefined;
  let last = performance.eventLoopUtilization();
  return new IdleHeap({
    busyShare() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    youngBytes: () =>
      getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.physical_space_size ?? 0,
    collect: () => gc(),
  });
}
