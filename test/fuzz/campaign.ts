/**
 * Runs one target for the given time and writes findings to standard output as JSON lines. Besides the errors of the
 * target it checks the cost of each execution (time, memory outside the heap) and the memory in use after garbage
 * collection. Started by `scripts/fuzz.mjs`: docs/fuzzing.md.
 */
import { writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { errorOf, type FuzzTarget, shown } from '../support/fuzz.js';
import { inputOf } from '../support/mutation.js';
import { TARGETS } from './targets/index.js';

/** Time allowed for any input, and per KiB of it unless the target sets another bound. */
const FREE_MS = 60;
const MS_PER_KIB = 3;
/** Memory outside the heap (byte arrays) allowed per execution, besides a multiple of its input. */
const FREE_EXTERNAL_BYTES = 16 * 1024 * 1024;
const EXTERNAL_PER_BYTE = 64;
/** Allowed growth of the memory in use between the first and the last measurement. */
const GROWTH_BYTES = 24 * 1024 * 1024;
const LOOK_EVERY_MS = 10_000;
/** A longer execution counts as endless. */
const STUCK_MS = 60_000;
const DIFFERENT_FINDINGS_MAX = 10;

const { values } = parseArgs({
  options: {
    target: { type: 'string', default: '' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    execution: { type: 'string' },
  },
});
const seed = Number(values.seed);
const maker = TARGETS.get(values.target);
const say = (line: object): number => writeSync(1, `${JSON.stringify(line)}\n`);

/** [0]: the current execution. The watchdog reads it from its own thread, because an endless loop blocks this one. */
const atHand = new Int32Array(new SharedArrayBuffer(4));
const WATCHDOG = `
  const { workerData: { atHand, stuckMs, target, seed } } = require('node:worker_threads');
  const { writeSync } = require('node:fs');
  let [last, sinceMs] = [-1, Date.now()];
  setInterval(() => {
    if (atHand[0] !== last) [last, sinceMs] = [atHand[0], Date.now()];
    if (Date.now() - sinceMs < stuckMs) return;
    writeSync(1, JSON.stringify({ found: 'it does not end', target, seed, execution: last }) + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }, 1000);
`;

class Campaign {
  readonly #target: FuzzTarget;
  readonly #told = new Set<string>();
  #slowestMs = 0;
  #firstAlive = 0;
  #alive = 0;

  constructor(target: FuzzTarget) {
    this.#target = target;
    // An error thrown in a callback would end the process.
    process.on('uncaughtException', (error) => this.#found(Number(atHand[0]), `uncaught: ${text(error)}`));
  }

  async run(seconds: number): Promise<void> {
    const startedMs = performance.now();
    const untilMs = startedMs + seconds * 1000;
    let nextLookMs = startedMs + Math.min(LOOK_EVERY_MS, (seconds * 1000) / 4);
    let execution = 0;
    while (performance.now() < untilMs && this.#told.size < DIFFERENT_FINDINGS_MAX) {
      await this.execute(execution++);
      // Awaiting promises alone never runs the next turn of the event loop.
      if (execution % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
      if (performance.now() > nextLookMs) {
        this.#lookAtMemory(execution);
        nextLookMs = performance.now() + LOOK_EVERY_MS;
      }
    }
    this.#lookAtMemory(execution);
    say({
      target: values.target,
      seed,
      executions: execution,
      seconds: (performance.now() - startedMs) / 1000,
      slowestMs: Math.round(this.#slowestMs),
      aliveMb: Math.round(this.#alive / 1024 / 1024),
      found: this.#told.size,
    });
  }

  async execute(execution: number): Promise<void> {
    atHand[0] = execution;
    const { input, random } = inputOf(this.#target, seed, execution);
    const externalBefore = getHeapStatistics().external_memory;
    const startMs = performance.now();
    const error = await errorOf(this.#target, input, random);
    const tookMs = performance.now() - startMs;
    const external = getHeapStatistics().external_memory - externalBefore;
    if (error !== undefined) this.#found(execution, text(error), input);
    if (external > FREE_EXTERNAL_BYTES + input.length * EXTERNAL_PER_BYTE)
      this.#found(execution, `it takes ${external} bytes for ${input.length}`, input);
    if (tookMs > this.#allowedMs(input)) await this.#timeAgain(execution, input, tookMs);
    else this.#slowestMs = Math.max(this.#slowestMs, tookMs);
  }

  #allowedMs(input: Uint8Array): number {
    return FREE_MS + ((this.#target.msPerKiB ?? MS_PER_KIB) * input.length) / 1024;
  }

  /** The machine is shared: takes the best of four runs, and the lesser of wall and processor time. */
  async #timeAgain(execution: number, input: Uint8Array, firstMs: number): Promise<void> {
    let bestMs = firstMs;
    for (let i = 0; i < 3; i++) {
      const { random } = inputOf(this.#target, seed, execution);
      const startMs = performance.now();
      const before = process.cpuUsage();
      await errorOf(this.#target, input, random);
      const { user, system } = process.cpuUsage(before);
      bestMs = Math.min(bestMs, performance.now() - startMs, (user + system) / 1000);
    }
    this.#slowestMs = Math.max(this.#slowestMs, bestMs);
    if (bestMs > this.#allowedMs(input))
      this.#found(execution, `it takes ${Math.round(bestMs)} ms for ${input.length} bytes`, input);
  }

  #lookAtMemory(execution: number): void {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    this.#alive = heapUsed + external;
    this.#firstAlive ||= this.#alive;
    if (this.#alive - this.#firstAlive > GROWTH_BYTES)
      this.#found(execution, `${this.#alive - this.#firstAlive} bytes more are alive than at the first look`);
  }

  /** Reports each kind once; the kind is the first line without its numbers. */
  #found(execution: number, what: string, input?: Uint8Array): void {
    const kind = (what.split('\n')[0] ?? '').replace(/\d+/g, '#').slice(0, 60);
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    say({ found: what.slice(0, 2000), target: values.target, seed, execution, input: input && shown(input) });
  }
}

function text(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

if (maker === undefined) {
  say({ targets: [...TARGETS.keys()] });
} else {
  const target = await maker();
  const campaign = new Campaign(target);
  if (values.execution === undefined) {
    const workerData = { atHand, stuckMs: STUCK_MS, target: values.target, seed };
    const watchdog = new Worker(WATCHDOG, { eval: true, workerData, execArgv: [] });
    await campaign.run(Number(values.seconds));
    await watchdog.terminate();
  } else {
    await campaign.execute(Number(values.execution));
    writeSync(2, inputOf(target, seed, Number(values.execution)).input);
  }
  await target.close?.();
}
