/** The message streams of a connection: which exist, and which one a publish means. */

/** What createStream gives first; clients that do not wait for the answer count on it. */
const FIRST_ID = 1;

export class MessageStreams {
  readonly #ids = new Set<number>();
  #next = FIRST_ID;

  get size(): number {
    return this.#ids.size;
  }

  create(): number {
    const id = this.#next++;
    this.#ids.add(id);
    return id;
  }

  delete(id: number): void {
    this.#ids.delete(id);
  }

  /** The stream that a publish sent on `id` means, or undefined when there is none (rtmp-interop B8, C12). */
  resolve(id: number): number | undefined {
    if (this.#ids.has(id)) return id;
    // Sent before createStream, on the id that it would give; or without createStream, on 0.
    if (this.#ids.size === 0 && id <= FIRST_ID) return id;
    // A chunk header without stream id reads as 0, while the client waits on the id that it was given.
    if (id === 0) return this.#next - 1;
    return undefined;
  }
}
