/** Messages on their way into a socket: gathered into large writes, of which few are pending, so that progress can be seen. */
import type { Socket } from 'node:net';

const BUFFER_BYTES = 64 * 1024;
/** One write in the kernel and one queued behind it. */
const PENDING_MOST = 2;
/** More is not taken from the queue of the forward, where it can still be dropped. */
const ROOM_BYTES = 256 * 1024;

interface Part {
  readonly bytes: Uint8Array;
  /** When the oldest packet in it arrived. */
  readonly atMs: number;
  readonly isReusable: boolean;
}

export class Outbox {
  readonly #socket: Socket;
  readonly #onWritten: () => void;
  readonly #waiting: Part[] = [];
  readonly #pending: Part[] = [];
  readonly #free: Buffer[] = [];
  #buffer: Buffer | undefined;
  #used = 0;
  #sinceMs = 0;
  #waitingBytes = 0;
  #isEnding = false;
  /** Bytes that the kernel has. */
  written = 0;

  constructor(socket: Socket, onWritten: () => void) {
    this.#socket = socket;
    this.#onWritten = onWritten;
  }

  get hasRoom(): boolean {
    return this.#waitingBytes < ROOM_BYTES;
  }

  /** When the oldest packet that the kernel lacks arrived; undefined: it has all. */
  get sinceMs(): number | undefined {
    return this.#pending[0]?.atMs ?? this.#waiting[0]?.atMs;
  }

  /**
   * A message of at most `most` bytes, which `encode` puts into a buffer at an offset; it returns the end. False: it does not fit
   * into a buffer and must be given to `push`.
   */
  put(most: number, atMs: number, encode: (buffer: Buffer, at: number) => number): boolean {
    if (most > BUFFER_BYTES) return false;
    if (this.#used + most > BUFFER_BYTES) this.#close();
    this.#buffer ??= this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
    if (this.#used === 0) this.#sinceMs = atMs;
    this.#used = encode(this.#buffer, this.#used);
    return true;
  }

  /** Bytes that do not change any more. In pieces, since a write counts as progress when all of it is taken. */
  push(bytes: Uint8Array, atMs: number): void {
    this.#close();
    for (let at = 0; at < bytes.length; at += BUFFER_BYTES)
      this.#add({ bytes: bytes.subarray(at, at + BUFFER_BYTES), atMs, isReusable: false });
  }

  flush(): void {
    this.#close();
    this.#write();
  }

  /** Ends the socket after all that waits. */
  end(): void {
    this.#isEnding = true;
    this.flush();
    if (this.#pending.length === 0) this.#socket.end();
  }

  #close(): void {
    if (this.#buffer === undefined || this.#used === 0) return;
    this.#add({ bytes: this.#buffer.subarray(0, this.#used), atMs: this.#sinceMs, isReusable: true });
    this.#buffer = undefined;
    this.#used = 0;
  }

  #add(part: Part): void {
    this.#waiting.push(part);
    this.#waitingBytes += part.bytes.length;
  }

  #write(): void {
    while (this.#pending.length < PENDING_MOST && !this.#socket.destroyed) {
      const part = this.#waiting.shift();
      if (part === undefined) return;
      this.#pending.push(part);
      this.#socket.write(part.bytes, () => this.#wrote(part));
    }
  }

  #wrote(part: Part): void {
    this.#pending.shift();
    this.#waitingBytes -= part.bytes.length;
    this.written += part.bytes.length;
    if (part.isReusable && this.#free.length < PENDING_MOST)
      this.#free.push(Buffer.from(part.bytes.buffer as ArrayBuffer));
    this.#write();
    if (this.#isEnding && this.#pending.length === 0) this.#socket.end();
    this.#onWritten();
  }
}
