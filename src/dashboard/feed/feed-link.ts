/** One socket of the live feed: bounds its send buffer and detects a dead peer. */
import type { WebSocket } from 'ws';
import { CLOSE, FEED_LIMITS } from '../view/limits.js';
import type { FeedMessage } from '../view/protocol.js';

export class FeedLink {
  /** Resolves when the socket has closed. */
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  #ponged = true;
  #closeTimer: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('pong', () => {
      this.#ponged = true;
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

  /** Closes the socket instead if too much data is unread. */
  send(text: string): void {
    if (!this.open) return;
    if (this.#socket.bufferedAmount > FEED_LIMITS.bufferedBytes) {
      this.close(CLOSE.slowReader, 'too much unread data; subscribe again with after_revision');
      return;
    }
    this.#socket.send(text, ignoreClosed);
  }

  /** For messages that the next one supersedes: skipped while the buffer is not drained. */
  sendIfDrained(text: string): void {
    if (this.open && this.#socket.bufferedAmount <= FEED_LIMITS.healthBufferedBytes)
      this.#socket.send(text, ignoreClosed);
  }

  /** Resolves when the text has been written, or the socket has closed. */
  sendAndDrain(text: string): Promise<void> {
    if (!this.open) return Promise.resolve();
    return new Promise((resolve) => this.#socket.send(text, () => resolve()));
  }

  /** Pings the peer; terminates the socket if the previous ping was not answered. */
  ping(): void {
    if (!this.open) return;
    if (!this.#ponged) {
      this.#socket.terminate();
      return;
    }
    this.#ponged = false;
    this.#socket.ping(undefined, undefined, ignoreClosed);
  }

  close(code: number, reason: string): void {
    if (!this.open) return;
    this.#socket.close(code, reason);
    // A peer that does not read never receives the close frame.
    this.#closeTimer = setTimeout(() => this.#socket.terminate(), FEED_LIMITS.closeMs);
  }
}

function ignoreClosed(): void {
  // A send on a closing socket fails; the `close` event handles that.
}
