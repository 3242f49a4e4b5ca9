/** Request bodies in transfer: each must make progress, and the number per client is bounded. */
import type { IncomingMessage } from 'node:http';
import { addressGroup } from '../../lib/address-group.js';

export interface BodyLimits {
  /** A body must deliver `bytes` in each period while it is read. */
  readonly everyMs: number;
  readonly bytes: number;
  readonly perClient: number;
}

/** A body that began after the last check has had no full period yet. */
const NEW = -1;

export class ArrivingBodies {
  readonly #limits: BodyLimits;
  readonly #arriving = new Map<IncomingMessage, number>();
  readonly #byClient = new Map<string, Set<IncomingMessage>>();
  readonly #timer: NodeJS.Timeout;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
    this.#timer = setInterval(() => this.#look(), limits.everyMs).unref();
  }

  /** Watches the body, if there is one. False: the client has too many concurrent bodies. */
  watch(request: IncomingMessage, address: string): boolean {
    const { headers } = request;
    if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return true;
    const client = addressGroup(address);
    const bodies = this.#byClient.get(client) ?? new Set();
    if (bodies.size >= this.#limits.perClient) {
      // Complete and waiting for its response: the delay is the server's, not the client's.
      for (const body of bodies) if (body.complete) bodies.delete(body);
      if (bodies.size >= this.#limits.perClient) return false;
    }
    this.#byClient.set(client, bodies.add(request));
    this.#arriving.set(request, NEW);
    // 'close' is emitted when the response was sent or the connection closed; the body may have ended before.
    request.once('close', () => {
      this.#arriving.delete(request);
      bodies.delete(request);
      if (bodies.size === 0 && this.#byClient.get(client) === bodies) this.#byClient.delete(client);
    });
    return true;
  }

  #look(): void {
    for (const [request, before] of this.#arriving) {
      const { complete, socket, readableLength } = request;
      const isOurTurn = readableLength > 0;
      if (complete) this.#arriving.delete(request);
      else if (isOurTurn || before === NEW || socket.bytesRead - before >= this.#limits.bytes)
        this.#arriving.set(request, socket.bytesRead);
      else socket.destroy();
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
