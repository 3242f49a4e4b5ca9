/**
 * A world of processes under one seeded clock. An event is the only thing that happens at a time: it runs with all its microtasks
 * before the next one, so that the same seed gives the same run. A process that died gets no event, and one that stands still gets
 * its events when it runs again.
 */
import type { Clock } from '../../src/ports/index.js';
import { type Random, seededRandom } from '../support/random.js';

/** Taken before a world replaces them. */
const { setImmediate: nextTurn } = globalThis;
const { random: realRandom } = Math;
const { now: realNow } = Date;
const REAL_TIMERS = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
};

const START_WALL_MS = 1_750_000_000_000;
/** The shortest timer, as in Node. */
const SHORTEST_MS = 1;

/** One run of a process: a process that starts again is another actor. */
export class Actor {
  isAlive = true;
  /** It stands still until then, and since when. */
  stillUntilMs = 0;
  stillSinceMs = 0;
  #slowMs = 0;
  slowestMs = 0;
  /** When it was killed, or stood still before. */
  diedMs = Number.POSITIVE_INFINITY;
  /** Names of its journals in the names of their files. */
  readonly journals = new Set<string>();

  readonly name: string;
  /** How far the wall clock of its machine is off. */
  readonly skewMs: number;

  constructor(name: string, skewMs: number) {
    this.name = name;
    this.skewMs = skewMs;
  }

  standStill(nowMs: number, forMs: number): void {
    if (this.stillUntilMs <= nowMs) this.stillSinceMs = nowMs;
    this.stillUntilMs = Math.max(this.stillUntilMs, nowMs + forMs);
  }

  /** Each of its events runs this much later. */
  get slowMs(): number {
    return this.#slowMs;
  }

  set slowMs(ms: number) {
    this.#slowMs = ms;
    this.slowestMs = Math.max(this.slowestMs, ms);
  }
}

export interface SimEvent {
  atMs: number;
  readonly order: number;
  readonly actor: Actor | undefined;
  readonly run: () => void;
  isCancelled: boolean;
  isDelayed: boolean;
}

/** What `setTimeout` and `setInterval` give back. */
class Timer {
  event: SimEvent | undefined;

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  cancel(): void {
    if (this.event !== undefined) this.event.isCancelled = true;
    this.event = undefined;
  }
}

export class World {
  readonly random: Random;
  nowMs = 0;
  /** The process whose event runs. */
  current: Actor | undefined;
  events = 0;
  readonly trace: string[] = [];
  readonly #queue: SimEvent[] = [];
  readonly #isTraced: boolean;
  #order = 0;

  constructor(seed: number, isTraced: boolean) {
    this.random = seededRandom(seed);
    this.#isTraced = isTraced;
  }

  /** A whole number of `[from, to]`. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1));
  }

  between(from: number, to: number): number {
    return from + this.random() * (to - from);
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.whole(0, items.length - 1)];
    if (item === undefined) throw new RangeError('there is nothing to pick from');
    return item;
  }

  /** One line of what happened. */
  say(line: string): void {
    if (this.#isTraced) this.trace.push(`${(this.nowMs / 1_000).toFixed(3).padStart(8)} ${line}`);
  }

  clockOf({ skewMs }: Actor): Clock {
    return {
      wallMs: () => START_WALL_MS + skewMs + Math.floor(this.nowMs),
      monotonicMs: () => this.nowMs,
    };
  }

  get wallMs(): number {
    return START_WALL_MS + Math.floor(this.nowMs);
  }

  /** Events of one time run in the order in which they were scheduled. */
  at(atMs: number, run: () => void, actor?: Actor): SimEvent {
    this.#order += 1;
    const event: SimEvent = {
      atMs: Math.max(atMs, this.nowMs),
      order: this.#order,
      actor,
      run,
      isCancelled: false,
      isDelayed: false,
    };
    this.#push(event);
    return event;
  }

  after(ms: number, run: () => void, actor?: Actor): SimEvent {
    return this.at(this.nowMs + ms, run, actor);
  }

  /** Resolves for the process that runs now. */
  pause(ms: number): Promise<void> {
    const { current } = this;
    return new Promise((resolve) => void this.after(ms, resolve, current));
  }

  async run(untilMs: number): Promise<void> {
    for (let event = this.#queue[0]; event !== undefined && event.atMs <= untilMs; event = this.#queue[0]) {
      this.#pop();
      if (event.isCancelled || event.actor?.isAlive === false || this.#isDelayed(event)) continue;
      this.nowMs = Math.max(this.nowMs, event.atMs);
      this.current = event.actor;
      this.events += 1;
      event.run();
      // All microtasks of the event.
      await new Promise<void>((resolve) => nextTurn(resolve));
      this.current = undefined;
    }
    this.nowMs = Math.max(this.nowMs, untilMs);
  }

  #isDelayed(event: SimEvent): boolean {
    const { actor } = event;
    if (actor === undefined) return false;
    const lateMs = event.isDelayed ? 0 : actor.slowMs;
    const atMs = Math.max(actor.stillUntilMs, event.atMs + lateMs);
    if (atMs <= event.atMs) return false;
    event.atMs = atMs;
    event.isDelayed = true;
    this.#push(event);
    return true;
  }

  // ---------------------------------------------------------------- globals

  /** Runs with the timers, the date and the random numbers of this world. */
  async inside<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    Object.assign(globalThis, this.#timers());
    Math.random = this.random;
    Date.now = () => this.wallMs;
    try {
      return await work();
    } finally {
      Object.assign(globalThis, REAL_TIMERS);
      Math.random = realRandom;
      Date.now = realNow;
    }
  }

  #timers() {
    const clear = (timer: unknown) => {
      if (timer instanceof Timer) timer.cancel();
    };
    return {
      setTimeout: (run: () => void, ms = 0) => this.#timer(run, ms, false),
      setInterval: (run: () => void, ms = 0) => this.#timer(run, ms, true),
      setImmediate: (run: () => void) => this.#timer(run, 0, false),
      clearTimeout: clear,
      clearInterval: clear,
      clearImmediate: clear,
    };
  }

  #timer(run: () => void, ms: number, isRepeated: boolean): Timer {
    const timer = new Timer();
    const { current } = this;
    const set = () => {
      timer.event = this.after(
        Math.max(SHORTEST_MS, ms),
        () => {
          timer.event = undefined;
          if (isRepeated) set();
          run();
        },
        current,
      );
    };
    set();
    return timer;
  }

  // ---------------------------------------------------------------- the queue: a heap by time and order

  #push(event: SimEvent): void {
    const queue = this.#queue;
    let at = queue.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = queue[parent];
      if (above === undefined || isBefore(above, event)) break;
      queue[at] = above;
      at = parent;
    }
    queue[at] = event;
  }

  #pop(): void {
    const queue = this.#queue;
    const last = queue.pop();
    if (last === undefined || queue.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const [left, right] = [queue[child], queue[child + 1]];
      if (left === undefined) break;
      if (right !== undefined && isBefore(right, left)) child += 1;
      const least = queue[child];
      if (least === undefined || isBefore(last, least)) break;
      queue[at] = least;
      at = child;
    }
    queue[at] = last;
  }
}

const isBefore = (left: SimEvent, right: SimEvent): boolean =>
  left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);
