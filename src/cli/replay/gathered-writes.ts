/** Many messages in one write: a system call and a TLS record for each of them would cost more than everything else. */
import type { Socket } from 'node:net';

const BUFFER_BYTES = 64 * 1024;
const NO_ROOM = Buffer.alloc(0);

export class GatheredWrites {
  readonly #socket: Socket;
  readonly #onTaken: () => void;
  readonly #free: Buffer[] = [];
  #buffer: Buffer = NO_ROOM;
  /** Bytes of the room that are filled: whoever fills more of it says so. */
  used = 0;
  /** Writes that the system has not taken yet. */
  waiting = 0;

  constructor(socket: Socket, onTaken: () => void) {
    this.#socket = socket;
    this.#onTaken = onTaken;
  }

  /** A buffer with so much room behind `used`; none for what is better written by itself, when it may be at once. */
  room(bytes: number): Buffer | undefined {
    if (this.used + bytes > this.#buffer.length) this.flush();
    if (bytes > BUFFER_BYTES) return undefined;
    if (this.#buffer.length === 0) this.#buffer = this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
    return this.#buffer;
  }

  /** Writes what was gathered. */
  flush(): void {
    if (this.used === 0) return;
    const buffer = this.#buffer;
    const bytes = buffer.subarray(0, this.used);
    this.#buffer = NO_ROOM;
    this.used = 0;
    this.#write(bytes, buffer);
  }

  /** Writes bytes that nobody changes any more, behind what was gathered. */
  write(bytes: Uint8Array): void {
    this.flush();
    this.#write(bytes);
  }

  #write(bytes: Uint8Array, reusable?: Buffer): void {
    this.waiting++;
    this.#socket.write(bytes, () => {
      this.waiting--;
      if (reusable !== undefined) this.#free.push(reusable);
      this.#onTaken();
    });
  }
}
