/**
 * The stills that pages show: one for each broadcast, made again only when a page asks and the last is no longer fresh.
 * However many pages show a broadcast, it is decoded once in `freshMs`.
 */
import type { Clock } from '../ports/index.js';

export const STILLS = {
  /** A page asks every 5 s. */
  freshMs: 4_000,
  /** While there is none yet: a page that waits for the first one asks so often. */
  firstMs: 700,
  /** A picture of a disconnected encoder is shown so long. */
  keptMs: 60_000,
  /** Some 30 KB each, at most 128 KB. */
  kept: 200,
  /** Pages that show a list ask for one after the other. */
  atOnce: 8,
} as const;

export interface Still {
  readonly jpeg: Uint8Array;
  readonly ageMs: number;
}

interface Entry {
  readonly jpeg: Uint8Array | undefined;
  readonly takenMs: number;
  /** The last attempt, whether or not it brought a picture. */
  readonly triedMs: number;
}

export interface StillsDeps {
  /** Never rejects. */
  readonly take: (liveVideoId: string) => Promise<Uint8Array | undefined>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

export class FreshStills {
  readonly #deps: StillsDeps;
  /** In order of the last attempt. */
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(deps: StillsDeps) {
    this.#deps = deps;
  }

  /** Undefined: none could be made lately. */
  async read(liveVideoId: string): Promise<Still | undefined> {
    if (!this.#isFresh(liveVideoId)) await this.#take(liveVideoId);
    const entry = this.#entries.get(liveVideoId);
    const ageMs = this.#deps.clock.monotonicMs() - (entry?.takenMs ?? 0);
    return entry?.jpeg === undefined || ageMs > STILLS.keptMs ? undefined : { jpeg: entry.jpeg, ageMs };
  }

  #isFresh(liveVideoId: string): boolean {
    const entry = this.#entries.get(liveVideoId);
    if (entry === undefined) return false;
    const freshMs = entry.jpeg === undefined ? STILLS.firstMs : STILLS.freshMs;
    return this.#deps.clock.monotonicMs() - entry.triedMs < freshMs;
  }

  async #take(liveVideoId: string): Promise<void> {
    const running = this.#running.get(liveVideoId);
    if (running !== undefined) return running;
    if (this.#running.size >= STILLS.atOnce) return;
    const taken = this.#takeNow(liveVideoId).finally(() => this.#running.delete(liveVideoId));
    this.#running.set(liveVideoId, taken);
    await taken;
  }

  async #takeNow(liveVideoId: string): Promise<void> {
    const jpeg = await this.#deps.take(liveVideoId);
    const nowMs = this.#deps.clock.monotonicMs();
    const before = this.#entries.get(liveVideoId);
    this.#entries.delete(liveVideoId);
    this.#entries.set(liveVideoId, {
      jpeg: jpeg ?? before?.jpeg,
      takenMs: jpeg === undefined ? (before?.takenMs ?? nowMs) : nowMs,
      triedMs: nowMs,
    });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > STILLS.kept && oldest !== undefined) this.#entries.delete(oldest);
  }
}
