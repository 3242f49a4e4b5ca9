/** A progress line of a long read on a terminal. Writes nothing when standard error is not a terminal. */
import type { CliIo } from './io.js';

const UPDATE_INTERVAL_MS = 200;
const BAR_COLUMNS = 24;
const DEFAULT_COLUMNS = 80;

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
    if (nowMs - this.#shownMs < UPDATE_INTERVAL_MS) return;
    this.#shownMs = nowMs;
    const speed = bytes / 1e6 / Math.max(0.001, (nowMs - this.#startMs) / 1000);
    const part = of === undefined || of === 0 ? undefined : Math.min(1, bytes / of);
    const done = part === undefined ? '' : `${bar(part)} ${Math.floor(100 * part)} % `;
    const line = `${done}${(bytes / 1e6).toFixed(0)} MB, ${speed.toFixed(0)} MB/s  ${what}`;
    this.#shown = true;
    // A line that wraps could not be erased.
    this.#stream.write(`\r\u001b[K${line.slice(0, (this.#stream.columns || DEFAULT_COLUMNS) - 1)}`);
  }

  /** Erases the line. */
  clear(): void {
    if (this.#shown) this.#stream.write('\r\u001b[K');
    this.#shown = false;
  }
}

function bar(part: number): string {
  const filled = Math.round(BAR_COLUMNS * part);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_COLUMNS - filled)}]`;
}
