/** Ends what a token has opened (streams, events, downloads) once the token is no longer valid. */

/** A revocation ends everything within 5 s, also in a process that has lost the bus. */
const RECHECK_MS = 3_000;

export class OpenUses {
  readonly #isValid: (tokenId: string) => Promise<boolean>;
  readonly #open = new Map<string, Set<() => void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(isValid: (tokenId: string) => Promise<boolean>) {
    this.#isValid = isValid;
  }

  watch(tokenId: string, onEnd: () => void): () => void {
    // A function of its own for each use, so that one listener can be passed twice.
    const end = () => onEnd();
    const uses = this.#open.get(tokenId) ?? new Set();
    uses.add(end);
    this.#open.set(tokenId, uses);
    this.#timer ??= setInterval(() => this.recheck(), RECHECK_MS).unref();
    return () => {
      uses.delete(end);
      if (uses.size === 0 && this.#open.get(tokenId) === uses) this.#open.delete(tokenId);
      if (this.#open.size === 0) this.close();
    };
  }

  recheck(): void {
    for (const [tokenId, uses] of this.#open) {
      this.#isValid(tokenId).then(
        (isValid) => {
          if (isValid) return;
          if (this.#open.get(tokenId) === uses) this.#open.delete(tokenId);
          for (const end of uses) end();
          uses.clear();
        },
        // The store is unavailable: the next check decides.
        () => undefined,
      );
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
