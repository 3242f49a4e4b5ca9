/** A line on a terminal that says how far a long read is. Silent where nobody looks. */
import type { CliIo } from './io.js';

const EVERY_MS = 200;
const BAR = 24;

export class Progress {
  readonly #stream: CliIo['stderr'];
  readonly #startMs = performance.now();
  #shownMs = this.#startMs;
  #shown = false;

  constructor(io: CliIo) {
    this.#stream = io.stderr;
  }

  update(what: string, bytes: number, of: number | undefined): void {
    if (this.#stream.isTTY !== true) return;
    const nowMs = performance.now();
    if (nowMs - this.#shownMs < EVERY_MS) return;
    this.#shownMs = nowMs;
    const speed = bytes / 1e6 / Math.max(0.001, (nowMs - this.#startMs) / 1000);
    const done = of === undefined || of === 0 ? '' : `${bar(bytes / of)} ${Math.floor((100 * bytes) / of)} % `;
    this.#shown = true;
    this.#stream.write(`\r\u001b[K${done}${(bytes / 1e6).toFixed(0)} MB, ${speed.toFixed(0)} MB/s  ${what}`);
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#shown) this.#stream.write('\r\u001b[K');
    this.#shown = false;
  }
}

function bar(part: number): string {
  const filled = Math.round(BAR * Math.min(1, part));
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}]`;
}
