/** Short-lived values in memory. They are gone with the process, as their running streams are. */
import type { Clock } from '../../ports.js';
import { isName, requireName } from '../names.js';

const VALUES_MAX = 100_000;

export class VolatileValues {
  /** JSON text: what comes back is a copy, as it is from Redis. */
  readonly #values = new Map<string, { readonly text: string; readonly untilMs: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(key: string, value: unknown, ttlMs: number): void {
    requireName(key, 'a key');
    this.#values.delete(key);
    if (this.#values.size >= VALUES_MAX) this.#makeRoom();
    this.#values.set(key, { text: JSON.stringify(value ?? null), untilMs: this.#clock.monotonicMs() + ttlMs });
  }

  get(key: string): unknown {
    const held = isName(key) ? this.#values.get(key) : undefined;
    if (held === undefined) return undefined;
    if (held.untilMs > this.#clock.monotonicMs()) return JSON.parse(held.text);
    this.#values.delete(key);
    return undefined;
  }

  /** Drops what has ended, and when nothing has, the tenth that was set longest ago. */
  #makeRoom(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [key, held] of this.#values) if (held.untilMs <= nowMs) this.#values.delete(key);
    if (this.#values.size < VALUES_MAX) return;
    for (const key of [...this.#values.keys()].slice(0, VALUES_MAX / 10)) this.#values.delete(key);
  }
}
