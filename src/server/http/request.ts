/** Requests that ask for another protocol. Only WebSocket is offered: what asks for any other is answered as it is (RFC 9110, 7.8). */
import { IncomingMessage } from 'node:http';

/**
 * Node takes a connection out of HTTP for every Upgrade header, as those for `h2c` of Java's HttpClient and `curl --http2`.
 * It assigns and reads `upgrade`, here once the headers are known.
 */
export class HttpRequest extends IncomingMessage {
  /** Declared only: Node assigns it in its constructor. */
  declare private asksForUpgrade: boolean | null;

  get upgrade(): boolean {
    if (this.asksForUpgrade !== true) return false;
    return this.method === 'CONNECT' || this.headers.upgrade?.toLowerCase() === 'websocket';
  }

  set upgrade(asks: boolean | null) {
    this.asksForUpgrade = asks;
  }
}
