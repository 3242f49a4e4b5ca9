/** A line on a terminal that says how far a long read is. Silent where nobody looks. */
import type { CliIo } from './io.js';

const EVERY_MS = 200;
const BAR = 24;
const USUAL_COLUMNS = 80;

export class Progress {
  readonly #stream: CliIo['stderr'];
  readonly #now: () => number;
  readonly #startMs: number;
  #shownMs: number;
  #shown = false;

  constructor(io: Pick<CliIo, 'stderr'>, now: () => number = () => performance.now()) {
    this.#stream = io.stderr;
    this.#now = now;
    this.#startMs = now();
    this.#shownMs = this.#startMs;
  }

  update(what: string, bytes: number, of: number | undefined): void {
    if (this.#stream.isTTY !== true) return;
    const nowMs = this.#now();
    if (nowMs - this.#shownMs < EVERY_MS) return;
    this.#shownMs = nowMs;
    const speed = bytes / 1e6 / Math.max(0.001, (nowMs - this.#startMs) / 1000);
    const part = of === undefined || of === 0 ? undefined : Math.min(1, bytes / of);
    const done = part === undefined ? '' : `${bar(part)} ${Math.floor(100 * part)} % `;
    const line = `${done}${(bytes / 1e6).toFixed(0)} MB, ${speed.toFixed(0)} MB/s  ${what}`;
    this.#shown = true;
    // What runs over into a second line could not be taken away.
    this.#stream.write(`\r\u001b[K${line.slice(0, (this.#stream.columns || USUAL_COLUMNS) - 1)}`);
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#shown) this.#stream.write('\r\u001b[K');
    this.#shown = false;
  }
}

function bar(part: number): string {
  const filled = Math.round(BAR * part);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}]`;
}
