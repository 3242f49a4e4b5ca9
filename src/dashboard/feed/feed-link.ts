/** One socket of the live feed: bounded in what it buffers, sure to end when its peer is gone. */
import type { WebSocket } from 'ws';
import { CLOSE, FEED_LIMITS } from '../view/limits.js';
import type { FeedMessage } from '../view/protocol.js';

export class FeedLink {
  /** Resolves when the socket is gone. */
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  #answered = true;
  #closeTimer: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('pong', () => {
      this.#answered = true;
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        clearTimeout(this.#closeTimer);
        resolve();
      });
    });
  }

  get open(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  message(message: FeedMessage): void {
    this.send(JSON.stringify(message));
  }

  /** Closes the socket instead when its reader has left too much unread. */
  send(text: string): void {
    if (!this.open) return;
    if (this.#socket.bufferedAmount > FEED_LIMITS.bufferedBytes) {
      this.close(CLOSE.slowReader, 'too much was left unread; subscribe again with after_revision');
      return;
    }
    this.#socket.send(text, ignoreClosed);
  }

  /** For what may be left out: the next one tells the same, and newer. */
  sendIfDrained(text: string): void {
    if (this.open && this.#socket.bufferedAmount <= FEED_LIMITS.healthBufferedBytes)
      this.#socket.send(text, ignoreClosed);
  }

  /** Resolves when the text has left the process, or the socket is gone. */
  sendAndDrain(text: string): Promise<void> {
    if (!this.open) return Promise.resolve();
    return new Promise((resolve) => this.#socket.send(text, () => resolve()));
  }

  /** Asks whether the peer is still there; drops it when it has not answered since the last time. */
  ping(): void {
    if (!this.open) return;
    if (!this.#answered) {
      this.#socket.terminate();
      return;
    }
    this.#answered = false;
    this.#socket.ping(undefined, undefined, ignoreClosed);
  }

  close(code: number, reason: string): void {
    if (!this.open) return;
    this.#socket.close(code, reason);
    // A peer that reads nothing does not see the close frame either.
    this.#closeTimer = setTimeout(() => this.#socket.terminate(), FEED_LIMITS.closeMs);
  }
}

function ignoreClosed(): void {
  // A send on a socket that is closing fails; its `close` event is what counts.
}
