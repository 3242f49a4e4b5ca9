/** Combines messages into large writes: a system call and a TLS record per message would dominate the cost. */
import type { Socket } from 'node:net';

const BUFFER_BYTES = 64 * 1024;
const EMPTY = Buffer.alloc(0);

export class GatheredWrites {
  readonly #socket: Socket;
  readonly #wake: () => void;
  readonly #free: Buffer[] = [];
  #buffer: Buffer = EMPTY;
  /** Filled bytes of the buffer. The caller updates it after writing into `room`. */
  used = 0;
  /** Writes that the socket has not flushed yet. */
  pending = 0;

  /** `wake`: continues the caller, who may wait for a write to end. */
  constructor(socket: Socket, wake: () => void) {
    this.#socket = socket;
    this.#wake = wake;
  }

  /** A buffer with at least `bytes` free after `used`; undefined for a message that must be written by itself. */
  room(bytes: number): Buffer | undefined {
    if (this.used + bytes > this.#buffer.length) this.flush();
    if (bytes > BUFFER_BYTES) return undefined;
    if (this.#buffer.length === 0) this.#buffer = this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
    return this.#buffer;
  }

  /** Writes the buffered messages. */
  flush(): void {
    if (this.used === 0) return;
    const buffer = this.#buffer;
    const bytes = buffer.subarray(0, this.used);
    this.#buffer = EMPTY;
    this.used = 0;
    this.#write(bytes, buffer);
  }

  /** Writes immutable bytes after the buffered messages. */
  write(bytes: Uint8Array): void {
    this.flush();
    this.#write(bytes);
  }

  #write(bytes: Uint8Array, reusable?: Buffer): void {
    this.pending++;
    this.#socket.write(bytes, () => {
      this.pending--;
      if (reusable !== undefined) this.#free.push(reusable);
      this.#wake();
    });
  }
}
