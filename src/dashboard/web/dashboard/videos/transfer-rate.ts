/** Speed of an upload over its last seconds. Pure. */
const WINDOW_MS = 15_000;

interface Point {
  readonly atMs: number;
  readonly sent: number;
}

export class TransferRate {
  #points: readonly Point[] = [];

  /** Bytes sent so far. A smaller number than before: the upload began anew. */
  add(sent: number, atMs: number): void {
    const last = this.#points.at(-1);
    const before = last !== undefined && sent < last.sent ? [] : this.#points;
    this.#points = [...before.filter((point) => atMs - point.atMs <= WINDOW_MS), { sent, atMs }];
  }

  /** Undefined until two chunks were sent. */
  get bytesPerSecond(): number | undefined {
    const [first] = this.#points;
    const last = this.#points.at(-1);
    if (first === undefined || last === undefined || last.atMs <= first.atMs || last.sent <= first.sent)
      return undefined;
    return (1_000 * (last.sent - first.sent)) / (last.atMs - first.atMs);
  }
}
