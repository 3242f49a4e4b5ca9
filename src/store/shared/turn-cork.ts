/** Writes to a socket within one event-loop turn leave in one system call, which wakes the peer once. */
import type { Writable } from 'node:stream';

export class TurnCork {
  #corked: Writable | undefined;

  /** Call it before each write. */
  hold(socket: Writable): void {
    if (this.#corked === socket) return;
    this.#corked = socket;
    socket.cork();
    // After the reads of this turn, not after this callback: each of many sockets that are ready has a callback of its own.
    setImmediate(() => {
      if (this.#corked === socket) this.#corked = undefined;
      socket.uncork();
    });
  }
}
