/**
 * Short-lived values, read from memory. They are stored once a second and at the close, so that the judge's state of a
 * broadcast survives the process; a killed process loses the last second, a power failure somewhat more.
 */
import type { Clock, Log, VolatileStore } from '../../ports/index.js';
import { isName, requireName } from '../shared/names.js';
import { name } from './keys.js';
import type { Table, Tables } from './tables.js';

const VALUES_MAX = 100_000;
const WRITE_EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 60_000;

interface Held {
  /** JSON text, so that `get` returns a copy, as with Redis. */
  readonly text: string;
  /** Expiry, on the monotonic clock. */
  readonly untilMs: number;
}

/** The stored form; its expiry is wall time, the only clock that the next process shares. */
export interface VolatileRow {
  readonly key: string;
  readonly text: string;
  readonly untilWallMs: number;
}

export class VolatileValues implements VolatileStore {
  readonly #values = new Map<string, Held>();
  readonly #unwritten = new Set<string>();
  readonly #tables: Tables;
  readonly #rows: Table<VolatileRow>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #sweep: NodeJS.Timeout;
  /** Runs while a changed value waits to be stored. */
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(tables: Tables, clock: Clock, log: Log) {
    this.#tables = tables;
    this.#rows = tables.table<VolatileRow>('volatile');
    this.#clock = clock;
    this.#log = log;
    for (const { value } of this.#rows.getRange({})) this.#take(value);
    this.#sweep = setInterval(() => this.#dropEnded(), SWEEP_EVERY_MS).unref();
  }

  /** Loads the values of an earlier process. */
  #take({ key, text, untilWallMs }: VolatileRow): void {
    const leftMs = untilWallMs - this.#clock.wallMs();
    if (leftMs > 0) this.#values.set(key, { text, untilMs: this.#clock.monotonicMs() + leftMs });
    else this.#changed(key);
  }

  async set(key: string, value: unknown, ttlMs: number): Promise<void> {
    this.setText(key, JSON.stringify(value ?? null), ttlMs);
  }

  /** The same with the value as JSON text. */
  setText(key: string, text: string, ttlMs: number): void {
    requireName(key, 'a key');
    this.#values.delete(key);
    if (this.#values.size >= VALUES_MAX) this.#makeRoom();
    this.#values.set(key, { text, untilMs: this.#clock.monotonicMs() + ttlMs });
    this.#changed(key);
  }

  async get(key: string): Promise<unknown> {
    const held = isName(key) ? this.#values.get(key) : undefined;
    if (held === undefined) return undefined;
    if (held.untilMs > this.#clock.monotonicMs()) return JSON.parse(held.text);
    this.#delete(key);
    return undefined;
  }

  /** Stores changed values. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    clearTimeout(this.#timer);
    await this.#writing;
    await this.#write();
  }

  #changed(key: string): void {
    this.#unwritten.add(key);
    if (!this.#closed) this.#timer ??= setTimeout(() => this.#writeDue(), WRITE_EVERY_MS).unref();
  }

  /** One write at a time: a value that changes meanwhile starts the timer again. */
  #writeDue(): void {
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
      this.#timer = undefined;
      if (this.#unwritten.size > 0 && !this.#closed) {
        this.#timer = setTimeout(() => this.#writeDue(), WRITE_EVERY_MS).unref();
      }
    });
  }

  async #write(): Promise<void> {
    const keys = [...this.#unwritten];
    if (keys.length === 0) return;
    this.#unwritten.clear();
    const offMs = this.#clock.wallMs() - this.#clock.monotonicMs();
    try {
      await this.#tables.write(() => {
        for (const key of keys) {
          const held = this.#values.get(key);
          if (held === undefined) this.#rows.remove(name(key));
          else this.#rows.put(name(key), { key, text: held.text, untilWallMs: held.untilMs + offMs });
        }
      });
    } catch (error) {
      for (const key of keys) this.#changed(key);
      this.#log.debug({ error }, 'storing short-lived values failed');
    }
  }

  #delete(key: string): void {
    this.#values.delete(key);
    this.#changed(key);
  }

  #dropEnded(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [key, held] of this.#values) if (held.untilMs <= nowMs) this.#delete(key);
  }

  /** Drops expired values or, if there are none, the oldest tenth. */
  #makeRoom(): void {
    this.#dropEnded();
    if (this.#values.size < VALUES_MAX) return;
    for (const key of [...this.#values.keys()].slice(0, VALUES_MAX / 10)) this.#delete(key);
  }
}
