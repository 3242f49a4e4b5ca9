/** The message streams of a connection, and the one that a publish refers to. */

/** First ID returned by createStream. Clients that do not wait for the answer assume it. */
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

  /** The stream that a publish sent on `id` refers to, or undefined if there is none. */
  resolve(id: number): number | undefined {
    if (this.#ids.has(id)) return id;
    // Sent before createStream, on the ID that it will return; or without createStream, on 0.
    if (this.#ids.size === 0 && id <= FIRST_ID) return id;
    // A chunk header without a stream ID reads as 0, but the client expects answers on its created stream.
    if (id === 0) return this.#next - 1;
    return undefined;
  }
}
