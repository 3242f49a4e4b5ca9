/** Writes frames to a socket: those of one event-loop turn leave in one system call, which wakes the peer once. */
import type { Writable } from 'node:stream';

export class TurnWriter {
  readonly #socket: Writable;
  #isCorked = false;

  constructor(socket: Writable) {
    this.#socket = socket;
  }

  write(frame: Buffer): void {
    const socket = this.#socket;
    if (!this.#isCorked) {
      this.#isCorked = true;
      socket.cork();
      // After the reads of this turn, not after this callback: each of many sockets that are ready has a callback of its own.
      setImmediate(() => {
        this.#isCorked = false;
        socket.uncork();
      });
    }
    socket.write(frame);
  }
}
