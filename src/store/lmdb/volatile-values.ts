/**
 * Short-lived values, read from memory. They are stored once a second and at the close, so that the judge's state of a
 * broadcast survives the process; a killed process loses the last second, a power failure somewhat more.
 */
import { defined } from '../../lib/objects.js';
import type { Clock, GroupBounds, Log, VolatileStore } from '../../ports/index.js';
import { isName, requireName } from '../shared/names.js';
import { name } from './keys.js';
import type { Table, Tables } from './tables.js';

const VALUES_MAX = 100_000;
const WRITE_EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 60_000;

interface Held {
  readonly group: string | undefined;
  readonly key: string;
  /** JSON text, so that `get` returns a copy, as with Redis. */
  readonly text: string;
  /** Expiry, on the monotonic clock. */
  readonly untilMs: number;
}

/** The stored form; its expiry is wall time, the only clock that the next process shares. */
export interface VolatileRow {
  readonly group?: string;
  readonly key: string;
  readonly text: string;
  readonly untilWallMs: number;
}

export interface BoundedGroup {
  readonly name: string;
  readonly max: number;
}

/** The name of a value among all of them. @throws RangeError for a name that cannot be stored */
export function nameOf(group: string | undefined, key: string): string {
  const whole = requireName(key, 'a key');
  return group === undefined ? whole : requireName(`${group}/${whole}`, 'a key in a group');
}

export class VolatileValues implements VolatileStore {
  /** In the order in which they were set, like the names of each group. */
  readonly #values = new Map<string, Held>();
  readonly #groups = new Map<string, Set<string>>();
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
    const rows = [...this.#rows.getRange({})].map(({ value }) => value);
    // What expires first was set first, in a group and roughly among the others.
    for (const row of rows.sort((a, b) => a.untilWallMs - b.untilWallMs)) this.#take(row);
    this.#sweep = setInterval(() => this.#dropEnded(), SWEEP_EVERY_MS).unref();
  }

  /** Loads the values of an earlier process. */
  #take({ group, key, text, untilWallMs }: VolatileRow): void {
    const leftMs = untilWallMs - this.#clock.wallMs();
    const full = nameOf(group, key);
    if (leftMs > 0) this.#hold(full, { group, key, text, untilMs: this.#clock.monotonicMs() + leftMs });
    else this.#changed(full);
  }

  async set(key: string, value: unknown, ttlMs: number): Promise<void> {
    this.setText(key, JSON.stringify(value ?? null), ttlMs);
  }

  async setIn(group: string, key: string, value: unknown, { max, ttlMs }: GroupBounds): Promise<void> {
    this.setText(key, JSON.stringify(value ?? null), ttlMs, { name: group, max });
  }

  /** Sets a value as JSON text. */
  setText(key: string, text: string, ttlMs: number, group?: BoundedGroup): void {
    const full = nameOf(group?.name, key);
    this.#drop(full);
    if (group !== undefined) this.#keepBelow(group);
    if (this.#values.size >= VALUES_MAX) this.#makeRoom();
    this.#hold(full, { group: group?.name, key, text, untilMs: this.#clock.monotonicMs() + ttlMs });
    this.#changed(full);
  }

  async get(key: string): Promise<unknown> {
    return isName(key) ? this.#get(key) : undefined;
  }

  async getIn(group: string, key: string): Promise<unknown> {
    return isName(`${group}/${key}`) ? this.#get(nameOf(group, key)) : undefined;
  }

  #get(full: string): unknown {
    const held = this.#values.get(full);
    if (held === undefined) return undefined;
    if (held.untilMs > this.#clock.monotonicMs()) return JSON.parse(held.text);
    this.#delete(full);
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
          else {
            const { group, key: member, text, untilMs } = held;
            this.#rows.put(name(key), { ...defined({ group }), key: member, text, untilWallMs: untilMs + offMs });
          }
        }
      });
    } catch (error) {
      for (const key of keys) this.#changed(key);
      this.#log.debug({ error }, 'storing short-lived values failed');
    }
  }

  #keepBelow({ name: group, max }: BoundedGroup): void {
    const members = this.#groups.get(group) ?? new Set();
    for (const oldest of members) {
      if (members.size < max) return;
      this.#delete(oldest);
    }
  }

  #hold(full: string, held: Held): void {
    this.#values.set(full, held);
    if (held.group === undefined) return;
    const members = this.#groups.get(held.group);
    if (members === undefined) this.#groups.set(held.group, new Set([full]));
    else members.add(full);
  }

  #drop(full: string): void {
    const group = this.#values.get(full)?.group;
    this.#values.delete(full);
    if (group === undefined) return;
    const members = this.#groups.get(group);
    members?.delete(full);
    if (members?.size === 0) this.#groups.delete(group);
  }

  #delete(full: string): void {
    this.#drop(full);
    this.#changed(full);
  }

  #dropEnded(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [full, held] of this.#values) if (held.untilMs <= nowMs) this.#delete(full);
  }

  /**
   * Drops expired values or, if there are none, a tenth: the oldest half of the largest groups, so that groups of others keep
   * theirs, or the oldest values without a group where these are the most.
   */
  #makeRoom(): void {
    this.#dropEnded();
    if (this.#values.size < VALUES_MAX) return;
    const goal = VALUES_MAX * 0.9;
    const others = [...this.#values].flatMap(([full, { group }]) => (group === undefined ? [full] : []));
    if (others.length > VALUES_MAX / 2) {
      for (const full of others.slice(0, VALUES_MAX - goal)) this.#delete(full);
      return;
    }
    for (const members of [...this.#groups.values()].sort((a, b) => b.size - a.size)) {
      if (this.#values.size <= goal) return;
      for (const full of [...members].slice(0, Math.ceil(members.size / 2))) this.#delete(full);
    }
  }
}
