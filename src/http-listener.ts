/** The HTTP server of the process: one port, plain or TLS, or the administration's socket file. */
import { constants } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Duplex } from 'node:stream';

export interface HttpTls {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Bounds against strangers, each with its reason. */
export const HTTP_LIMITS = {
  /** Headers are a few packets; slower is a slow-loris. */
  headersMs: 10_000,
  /** How often the deadlines are looked at. Node's own half a minute would treble them. */
  checkMs: 2_000,
  keepAliveMs: 65_000,
  /** Uploads may take hours, so a request as a whole has no deadline. */
  requestMs: 0,
  /** Instead a body must bring so much in each such time, while we take it. */
  bodyMs: 20_000,
  bodyBytes: 1_024,
  /** Pages, feeds, downloads. Beyond it a socket is refused, so that encoders never lack the descriptors. */
  sockets: 4_000,
  /** Requests of one socket that wait for their answers. Browsers send one at a time; a client that pipelines, ten or so. */
  pipelined: 32,
} as const;

export class HttpListener {
  readonly #server: Server | TlsServer;
  #handler: RequestListener = (_request, response) => response.writeHead(503, { 'retry-after': '1' }).end();
  #upgrade: UpgradeHandler = (_request, socket) => socket.destroy();

  readonly #bodies: Bodies;

  /** `bodyMs`: another time than that of the limits. */
  constructor(tls?: HttpTls, bodyMs: number = HTTP_LIMITS.bodyMs) {
    const options = {
      headersTimeout: HTTP_LIMITS.headersMs,
      requestTimeout: HTTP_LIMITS.requestMs,
      keepAliveTimeout: HTTP_LIMITS.keepAliveMs,
      connectionsCheckingInterval: HTTP_LIMITS.checkMs,
    };
    this.#bodies = new Bodies(bodyMs);
    const handle: RequestListener = (request, response) => {
      if (!takesItsTurn(request, response)) return;
      this.#bodies.watch(request);
      this.#handler(request, response);
    };
    this.#server = tls
      ? createTlsServer({ ...options, ...contextOptions(tls) }, handle)
      : createPlainServer(options, handle);
    this.#server.maxConnections = HTTP_LIMITS.sockets;
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.#server.on('clientError', (_error, socket) => {
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      else socket.destroy();
    });
  }

  /** Until then requests are answered with 503. */
  serve(handler: RequestListener, upgrade?: UpgradeHandler): void {
    this.#handler = handler;
    if (upgrade !== undefined) this.#upgrade = upgrade;
  }

  replaceCertificate(tls: HttpTls): void {
    if ('setSecureContext' in this.#server) this.#server.setSecureContext(contextOptions(tls));
  }

  /** Resolves with the port in use. */
  listen(port: number, host: string): Promise<number> {
    return this.#listening(() => this.#server.listen({ port, host })).then(() => {
      const address = this.#server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    });
  }

  /** A socket file that only the owner of the process may open; one that a killed server left behind is replaced. */
  async listenOnFile(path: string): Promise<void> {
    rmSync(path, { force: true });
    await this.#listening(() => this.#server.listen({ path, readableAll: false, writableAll: false }));
    chmodSync(path, 0o600);
  }

  #listening(listen: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.once('listening', () => {
        this.#server.off('error', reject);
        resolve();
      });
      listen();
    });
  }

  /** Stops accepting, lets running requests finish for a moment, then closes what is left. */
  async close(graceMs = 2_000): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(timer);
    this.#bodies.close();
  }
}

function contextOptions({ cert, key }: HttpTls) {
  // A renegotiation costs us a private key operation and nobody needs one.
  return { cert, key, minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_RENEGOTIATION } as const;
}

const unanswered = new WeakMap<Duplex, number>();

/**
 * Node hands over every request of a read at once, however many its peer wrote without waiting for an answer. A socket that
 * has too many under way is closed: to leave them unread would keep what it asked for already, to answer would cost more.
 */
function takesItsTurn({ socket }: IncomingMessage, response: ServerResponse): boolean {
  if (socket.destroyed) return false;
  const count = (unanswered.get(socket) ?? 0) + 1;
  if (count > HTTP_LIMITS.pipelined) {
    socket.destroy();
    return false;
  }
  unanswered.set(socket, count);
  // 'close' comes when the answer is out, or its connection gone.
  response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
  return true;
}

/** A body that came since the last look has had no whole time yet. */
const NEW = -1;

/** Request bodies that still arrive. One that hardly moves, although we would take it, costs its connection. */
class Bodies {
  readonly #arriving = new Map<IncomingMessage, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(everyMs: number) {
    this.#timer = setInterval(() => this.#look(), everyMs).unref();
  }

  watch(request: IncomingMessage): void {
    const { headers } = request;
    if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return;
    this.#arriving.set(request, NEW);
    // 'close' comes when the answer is out or the connection gone, whichever is first; the body may have ended before.
    request.once('close', () => this.#arriving.delete(request));
  }

  #look(): void {
    for (const [request, before] of this.#arriving) {
      const { complete, socket, readableLength } = request;
      const isOurTurn = readableLength > 0;
      if (complete) this.#arriving.delete(request);
      else if (isOurTurn || before === NEW || socket.bytesRead - before >= HTTP_LIMITS.bodyBytes)
        this.#arriving.set(request, socket.bytesRead);
      else socket.destroy();
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
