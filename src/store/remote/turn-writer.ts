/** Writes frames to a socket: those of one event-loop turn leave in one system call. */
import type { Writable } from 'node:stream';
import { TurnCork } from '../shared/turn-cork.js';

export class TurnWriter {
  readonly #socket: Writable;
  readonly #cork = new TurnCork();

  constructor(socket: Writable) {
    this.#socket = socket;
  }

  write(frame: Buffer): void {
    this.#cork.hold(this.#socket);
    this.#socket.write(frame);
  }
}
