/** When each token was last used, for `airlock token list`. Written in batches: a request never waits for it. */
import { type Clock, type Store, VOLATILE } from '../../ports/index.js';

/** Longest time that a killed process loses. */
const FLUSH_MS = 10_000;
/** A token in constant use is written this often. */
const REPEAT_MS = 60_000;
/** Longer than any token of the command line lives without being issued again. */
const KEPT_MS = 400 * 86_400_000;
const TOKENS_MAX = 10_000;

export class TokenUse {
  readonly #store: Pick<Store, 'volatile'>;
  readonly #clock: Clock;
  readonly #written = new Map<string, number>();
  readonly #pending = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Pick<Store, 'volatile'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  note(tokenId: string): void {
    const nowMs = this.#clock.wallMs();
    if (nowMs - (this.#written.get(tokenId) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return;
    if (this.#pending.size >= TOKENS_MAX) return;
    this.#pending.set(tokenId, nowMs);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Failures are ignored: the next use is written again. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = [...this.#pending];
    this.#pending.clear();
    if (this.#written.size >= TOKENS_MAX) this.#written.clear();
    for (const [id, atMs] of pending) this.#written.set(id, atMs);
    const { volatile } = this.#store;
    await Promise.allSettled(pending.map(([id, atMs]) => volatile.set(VOLATILE.tokenUse(id), atMs, KEPT_MS)));
  }
}

/** Milliseconds since 1970; `undefined`: never used. */
export async function lastUse(store: Pick<Store, 'volatile'>, tokenId: string): Promise<number | undefined> {
  const atMs = await store.volatile.get(VOLATILE.tokenUse(tokenId));
  return typeof atMs === 'number' ? atMs : undefined;
}
