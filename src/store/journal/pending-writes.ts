/** Counts the pending entries of each broadcast, so that a reader can wait for those recorded before it. */

interface Count {
  recorded: number;
  settled: number;
  readonly waiting: Set<Waiter>;
}

interface Waiter {
  readonly target: number;
  readonly done: (all: boolean) => void;
}

export class PendingWrites {
  /** Broadcasts with pending entries only. */
  readonly #counts = new Map<string, Count>();

  recorded(broadcastId: string): void {
    const count = this.#counts.get(broadcastId);
    if (count === undefined) this.#counts.set(broadcastId, { recorded: 1, settled: 0, waiting: new Set() });
    else count.recorded += 1;
  }

  /** One entry is in the store, or lost. Entries of one broadcast settle in order. */
  settled(broadcastId: string): void {
    const count = this.#counts.get(broadcastId);
    if (count === undefined) return;
    count.settled += 1;
    for (const waiter of [...count.waiting]) if (waiter.target <= count.settled) waiter.done(true);
    if (count.settled === count.recorded) this.#counts.delete(broadcastId);
  }

  /** Resolves with whether all entries recorded until now settled in time. `undefined` if nothing is pending. */
  wait(broadcastId: string, timeoutMs: number): Promise<boolean> | undefined {
    const count = this.#counts.get(broadcastId);
    if (count === undefined) return undefined;
    return new Promise((resolve) => {
      const done = (all: boolean) => {
        clearTimeout(timer);
        count.waiting.delete(waiter);
        resolve(all);
      };
      const waiter: Waiter = { target: count.recorded, done };
      const timer = setTimeout(() => done(false), timeoutMs);
      count.waiting.add(waiter);
    });
  }

  /** Resolves all waits with false. */
  close(): void {
    for (const { waiting } of this.#counts.values()) for (const waiter of [...waiting]) waiter.done(false);
  }
}
