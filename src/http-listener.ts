/** The HTTP server of the process: one port, plain or TLS, or the administration's socket file. */
import { chmodSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Duplex } from 'node:stream';

export interface HttpTls {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A request that sends its headers more slowly than this, or nothing between requests, is let go. */
const HEADERS_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 65_000;
/** Uploads may take their time; what they send is bounded elsewhere. */
const REQUEST_TIMEOUT_MS = 0;

export class HttpListener {
  readonly #server: Server | TlsServer;
  #handler: RequestListener = (_request, response) => response.writeHead(503, { 'retry-after': '1' }).end();
  #upgrade: UpgradeHandler = (_request, socket) => socket.destroy();

  constructor(tls?: HttpTls) {
    const options = {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    };
    const handle: RequestListener = (request, response) => this.#handler(request, response);
    this.#server = tls
      ? createTlsServer({ ...options, ...tls, minVersion: 'TLSv1.2' }, handle)
      : createPlainServer(options, handle);
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
    if ('setSecureContext' in this.#server) this.#server.setSecureContext({ ...tls, minVersion: 'TLSv1.2' });
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
  }
}
