/**
 * Where log lines go: a descriptor that may be full, closed or not read. Nothing waits for it and no failure of it ends the
 * process: lines that cannot be written are dropped and counted, and a notice says so once there is room.
 */
import { constants, fstatSync, openSync, writev } from 'node:fs';
import { codeOf } from '../../lib/errors.js';

/** Bytes that wait for a slow reader; a line beyond them is dropped. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** PIPE_BUF of Linux: a pipe takes so much whole or not at all, so lines of several processes do not mix. */
const MAX_WRITE_BYTES = 4_096;
/** A reader that lags is usually back within this time. */
const READER_MS = 100;
/** An operator makes room on a full disk: a shorter interval only costs wake-ups. */
const ROOM_MS = 1_000;
/** A process that ends waits this long for the reader of its last lines. */
const FLUSH_MS = 500;

const NEWLINE = Buffer.from('\n');

type Writev = (
  descriptor: number,
  buffers: readonly Buffer[],
  done: (error: Error | null, written: number) => void,
) => void;

export interface LogDestinationOptions {
  readonly descriptor: number;
  /** The line that tells of dropped ones. `code`: why they could not be written, for example `ENOSPC`. */
  readonly notice: (dropped: { readonly lines: number; readonly code: string }) => string;
  /** Replaces the system's, for tests. */
  readonly writev?: Writev;
}

export class LogDestination {
  readonly #options: LogDestinationOptions;
  readonly #writev: Writev;
  #descriptor: number | undefined;
  #lines: Buffer[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  #retry: NodeJS.Timeout | undefined;
  /** The first of the lines is the rest of one that was written in part. */
  #isRest = false;
  /** The rest of a line was dropped: the next write ends it, so that the lines after it can be parsed. */
  #isTorn = false;
  #dropped = 0;
  #told = 0;
  /** Dropped lines of which the first of the waiting lines tells; 0: it is no notice. */
  #telling = 0;
  #code = '';
  #flushing: (() => void)[] = [];

  constructor(options: LogDestinationOptions) {
    this.#options = options;
    this.#writev = options.writev ?? writev;
  }

  /** Lines that could not be written. */
  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) {
      this.#dropped++;
      this.#code ||= 'EAGAIN';
      return;
    }
    this.#lines.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#next();
  }

  /** Resolves when nothing waits, when the lines cannot be written, or after a bounded time. */
  async flush(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#next();
    if (!this.#isWriting) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FLUSH_MS);
      this.#flushing.push(resolve);
    });
    clearTimeout(timer);
  }

  #next(): void {
    if (this.#isWriting || this.#retry !== undefined) return;
    if (this.#lines.length === 0 && this.#dropped > this.#told) this.#tell();
    if (this.#lines.length === 0) {
      this.#flushed();
      return;
    }
    this.#isWriting = true;
    this.#descriptor ??= withoutWaiting(this.#options.descriptor);
    const batch = this.#isTorn ? [NEWLINE, ...this.#batch()] : this.#batch();
    this.#writev(this.#descriptor, batch, (error, written) => {
      this.#isWriting = false;
      if (error === null && written > 0) this.#written(written);
      else this.#failed(error === null ? 'EAGAIN' : codeOf(error));
      this.#next();
    });
  }

  #batch(): Buffer[] {
    let bytes = 0;
    const end = this.#lines.findIndex((line, at) => {
      bytes += line.length;
      return at > 0 && bytes > MAX_WRITE_BYTES;
    });
    return this.#lines.slice(0, end < 0 ? undefined : end);
  }

  #tell(): void {
    this.#telling = this.#dropped - this.#told;
    const line = Buffer.from(this.#options.notice({ lines: this.#telling, code: this.#code }));
    this.#lines.push(line);
    this.#waitingBytes += line.length;
  }

  #written(bytes: number): void {
    let left = bytes;
    if (this.#isTorn) left -= NEWLINE.length;
    this.#isTorn = false;
    this.#waitingBytes -= left;
    for (let first = this.#lines[0]; first !== undefined && left > 0; first = this.#lines[0]) {
      if (left < first.length) {
        this.#lines[0] = first.subarray(left);
        this.#isRest = true;
        break;
      }
      left -= first.length;
      this.#lines.shift();
      this.#isRest = false;
      this.#told += this.#telling;
      this.#telling = 0;
    }
    if (this.#dropped === this.#told) this.#code = '';
  }

  #failed(code: string): void {
    if (code === 'EAGAIN') {
      this.#tryAfter(READER_MS);
      return;
    }
    this.#dropped += this.#lines.length - (this.#telling > 0 ? 1 : 0);
    this.#code = code;
    this.#isTorn ||= this.#isRest;
    this.#isRest = false;
    this.#telling = 0;
    this.#lines = [];
    this.#waitingBytes = 0;
    this.#tryAfter(ROOM_MS);
    this.#flushed();
  }

  #tryAfter(ms: number): void {
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#next();
    }, ms).unref();
  }

  #flushed(): void {
    for (const resolve of this.#flushing.splice(0)) resolve();
  }
}

const STANDARD_ERROR = 2;

/**
 * A descriptor of the same pipe or terminal that a write does not wait for. A write that waits would occupy a thread of the pool,
 * for which Node waits at the end of the process. Opened anew, because the flag would also hold for other programs that write there.
 */
function withoutWaiting(descriptor: number): number {
  const stats = fstatSync(descriptor);
  if (stats.isFile()) return descriptor;
  try {
    const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
    return openSync(`/proc/self/fd/${descriptor}`, flags);
  } catch {
    // A socket, a pipe of another user or another system: Node's own stream sets the flag, until the process ends.
    return descriptor === STANDARD_ERROR ? process.stderr.fd : descriptor;
  }
}
