/** A process's use of the machine. */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { ProcessLog } from './log.js';

export interface ProcessUsage {
  readonly residentBytes: number;
  /** Size of the JavaScript heap. */
  readonly heapBytes: number;
  /** Since the start of the process. */
  readonly cpuSeconds: number;
  /** The 99th percentile of the event-loop delay, the highest of the last minute; 0 at the first call. */
  readonly loopDelaySeconds: number;
  /** Since the start of the process. */
  readonly logLinesDropped: number;
}

const DELAY = {
  /**
   * The history of the server asks each minute, so the timer always runs: at 20 ms it took 0.2 % of a core in each process.
   * 300 samples a minute are enough for a percentile.
   */
  resolutionMs: 200,
  /** Two scrapes a minute are common. */
  idleMs: 120_000,
  /** Each reader sees the same, however many there are: a call ends a slice at most this often. */
  sliceMs: 1_000,
  keptMs: 60_000,
} as const;

/** Measures this process. Delays are measured only while they are requested, because the timer wakes an idle process. */
export class UsageMeter {
  readonly #log: Pick<ProcessLog, 'linesDropped'>;
  readonly #resolutionMs: number;
  #delay: IntervalHistogram | undefined;
  #idle: NodeJS.Timeout | undefined;
  #memory = { rss: 0, heapUsed: 0 };
  /** Delays between two calls, the oldest first. */
  #slices: { readonly endMs: number; readonly seconds: number }[] = [];
  #startedMs = 0;

  constructor(log: Pick<ProcessLog, 'linesDropped'>, resolutionMs: number = DELAY.resolutionMs) {
    this.#log = log;
    this.#resolutionMs = resolutionMs;
  }

  now(): ProcessUsage {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = this.#memoryNow();
    return {
      residentBytes: rss,
      heapBytes: heapUsed,
      cpuSeconds: (user + system) / 1e6,
      loopDelaySeconds: this.#delaySeconds(),
      logLinesDropped: this.#log.linesDropped,
    };
  }

  /** The last known where the kernel does not tell, as without a free file descriptor. */
  #memoryNow() {
    try {
      this.#memory = process.memoryUsage();
      return this.#memory;
    } catch {
      return this.#memory;
    }
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#delay?.disable();
    this.#delay = undefined;
  }

  #delaySeconds(): number {
    if (this.#delay === undefined) {
      this.#delay = monitorEventLoopDelay({ resolution: this.#resolutionMs });
      this.#delay.enable();
      this.#startedMs = performance.now();
      this.#slices = [];
      this.#idle = setTimeout(() => this.close(), DELAY.idleMs).unref();
      return 0;
    }
    this.#idle?.refresh();
    const endMs = performance.now();
    // Node records the time between two ticks of its timer, the interval included.
    const seconds = this.#delay.count === 0 ? 0 : this.#delay.percentile(99) / 1e9 - this.#resolutionMs / 1e3;
    this.#slices = this.#slices.filter((slice) => endMs - slice.endMs < DELAY.keptMs);
    const highest = Math.max(0, seconds, ...this.#slices.map((slice) => slice.seconds));
    if (endMs - (this.#slices.at(-1)?.endMs ?? this.#startedMs) >= DELAY.sliceMs) {
      this.#slices.push({ endMs, seconds });
      this.#delay.reset();
    }
    return highest;
  }
}
