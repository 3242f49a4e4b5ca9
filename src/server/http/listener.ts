/** The HTTP server of the process: one port, plain or TLS, or the administration's socket file. */
import { constants } from 'node:crypto';
import { chmodSync, renameSync, rmSync, statSync } from 'node:fs';
import {
  createServer as createPlainServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { addressOf } from '../../lib/client-address.js';
import { SafeResponse } from '../../lib/http-refusals.js';
import { portOf } from '../../lib/sockets.js';
import { cipherList } from '../../lib/tls-suites.js';
import type { Log, RefusalLog } from '../../ports/index.js';
import { ArrivingBodies } from './arriving-bodies.js';
import { HttpPlaces } from './places.js';
import { refusalOf, refuseBody } from './refusals.js';

export interface HttpTls {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

export interface HttpListenerOptions {
  /** Overrides the limit, for tests. */
  readonly bodyMs?: number;
  /** Declared proxies, whose forwarding headers are trusted. */
  readonly isProxy?: (address: string) => boolean;
  /** Overrides the limit, for listeners without strangers: each check wakes an idle process. */
  readonly checkMs?: number;
  /** Told of each client that reaches one of the limits below. */
  readonly refusals?: RefusalLog;
  readonly log?: Pick<Log, 'error'>;
}

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Bounds against untrusted clients, each with its reason. */
export const HTTP_LIMITS = {
  /** Headers are a few packets; a slower client is a slowloris attack. */
  headersMs: 10_000,
  /** Interval of the deadline checks. Node's default of 30 s would triple the deadlines. */
  checkMs: 2_000,
  keepAliveMs: 65_000,
  /** Uploads may take hours, so a request as a whole has no deadline. */
  requestMs: 0,
  /** Instead a body must deliver this many bytes in each period while it is read. */
  bodyMs: 20_000,
  bodyBytes: 1_024,
  /** A TLS handshake takes a few round trips. Node's default would keep a silent socket for two minutes. */
  handshakeMs: 10_000,
  /** Concurrent bodies of one client: a browser sends 6, a client with parallel uploads a few more. */
  bodiesPerClient: 64,
  /** Pages, feeds, downloads. More sockets are refused, so that file descriptors remain for encoders. */
  sockets: 4_000,
  /**
   * Sockets of one address (IPv6: one /64): enough for an office of 40 browsers with 6 sockets each, and a sixteenth of the total.
   * A proxy has the same bound unless AIRLOCK_TRUSTED_PROXIES names it.
   */
  socketsPerAddress: 256,
  /** Pending requests of one socket. Browsers send one at a time; a pipelining client, about ten. */
  pipelined: 32,
} as const;

/** The socket file in the data folder cannot be created or listened on. */
export class AdminSocketError extends Error {
  override readonly name = 'AdminSocketError';
  readonly code = 'ADMIN_SOCKET';

  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `the administration socket ${path} cannot be opened (${reason}): remove what is there, or set AIRLOCK_DATA_DIR to a shorter path`,
      { cause },
    );
  }
}

export class HttpListener {
  readonly #server: Server | TlsServer;
  #handler: RequestListener = (_request, response) => response.writeHead(503, { 'retry-after': '1' }).end();
  #upgrade: UpgradeHandler = (_request, socket) => socket.destroy();

  readonly #bodies: ArrivingBodies;
  readonly #places: HttpPlaces;
  readonly #isProxy: (address: string) => boolean;
  readonly #refusals: RefusalLog | undefined;
  readonly #log: HttpListenerOptions['log'];

  constructor(tls?: HttpTls, options: HttpListenerOptions = {}) {
    const {
      bodyMs = HTTP_LIMITS.bodyMs,
      checkMs = HTTP_LIMITS.checkMs,
      isProxy = () => false,
      refusals,
      log,
    } = options;
    const timeouts = {
      headersTimeout: HTTP_LIMITS.headersMs,
      requestTimeout: HTTP_LIMITS.requestMs,
      keepAliveTimeout: HTTP_LIMITS.keepAliveMs,
      connectionsCheckingInterval: checkMs,
      IncomingMessage: HttpRequest,
      ServerResponse: SafeResponse,
    };
    const { bodyBytes, bodiesPerClient, sockets, socketsPerAddress } = HTTP_LIMITS;
    this.#bodies = new ArrivingBodies({ everyMs: bodyMs, bytes: bodyBytes, perClient: bodiesPerClient });
    this.#places = new HttpPlaces({ perAddress: socketsPerAddress, total: sockets }, isProxy);
    this.#isProxy = isProxy;
    this.#refusals = refusals;
    this.#log = log;
    const handle: RequestListener = (request, response) => this.#handle(request, response);
    this.#server = tls
      ? createTlsServer({ ...timeouts, ...contextOptions(tls), handshakeTimeout: HTTP_LIMITS.handshakeMs }, handle)
      : createPlainServer(timeouts, handle);
    admitFirst(this.#server, (socket) => this.#admit(socket));
    // After Node's own listener, which emits `clientError`: a response would wait for the end of the handshake.
    this.#server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
    this.#server.on('secureConnection', (socket: Socket) => this.#places.secured(socket));
    this.#server.on('upgrade', (request, socket, head) => {
      // To its end: an upgraded socket never waits for a request again.
      this.#places.requestBegins(socket);
      // Node takes its own listener off: without one, a client that resets the connection would end the process.
      socket.on('error', () => socket.destroy());
      this.#guarded(socket, () => this.#upgrade(request, socket, head));
    });
    // A connection that cannot be accepted, without a free file descriptor for example, is lost alone.
    this.#server.on('error', (error) => {
      if (this.#server.listening) this.#log?.error({ error }, 'an HTTP connection was not accepted');
    });
    this.#server.on('clientError', (error, socket) => {
      if (socket.writable) socket.end(refusalOf(error));
      else socket.destroy();
    });
  }

  /** Sockets that were refused, or closed to make room. */
  get refusedSockets(): number {
    return this.#places.refused;
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    if (!takesItsTurn(socket)) return;
    this.#places.requestBegins(socket);
    // 'close' is emitted when the response was sent or its connection closed.
    response.once('close', () => {
      unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1);
      this.#places.requestEnds(socket);
    });
    const client = addressOf(request, this.#isProxy);
    if (this.#bodies.watch(request, client)) this.#guarded(socket, () => this.#handler(request, response));
    else {
      this.#limitReached('request bodies of an address', client);
      refuseBody(response);
    }
  }

  /** A handler that throws ends its own connection. */
  #guarded(socket: Duplex, handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.#log?.error({ error }, 'an HTTP request failed');
      socket.destroy();
    }
  }

  #admit(socket: Socket): boolean {
    const { remoteAddress = '' } = socket;
    const isAdmitted = this.#places.admit(socket);
    if (!isAdmitted) this.#limitReached('HTTP sockets', remoteAddress);
    return isAdmitted;
  }

  #limitReached(limit: string, from: string): void {
    this.#refusals?.add({ action: `limit reached: ${limit}`, from });
  }

  /** Until it is called, requests get 503. */
  serve(handler: RequestListener, upgrade?: UpgradeHandler): void {
    this.#handler = handler;
    if (upgrade !== undefined) this.#upgrade = upgrade;
  }

  replaceCertificate(tls: HttpTls): void {
    if ('setSecureContext' in this.#server) this.#server.setSecureContext(contextOptions(tls));
  }

  /** Resolves with the port in use. */
  listen(port: number, host: string): Promise<number> {
    return this.#listening(() => this.#server.listen({ port, host })).then(() => portOf(this.#server) ?? port);
  }

  /** Takes connections that another process accepted. Returns the function that takes one. */
  takeOver(): (socket: Socket) => void {
    // Node starts to check header deadlines when its server listens, which this one never does.
    this.#server.emit('listening');
    return (socket) => this.#server.emit('connection', socket);
  }

  /**
   * A socket file that only the owner of the process may open; one that a killed server left behind is replaced, and that of a
   * process which this one replaces. It listens under a name of its own, because Node removes the name that it listened on.
   */
  async listenOnFile(path: string): Promise<void> {
    const own = `${path}.${process.pid}`;
    rmSync(own, { force: true });
    await this.#listening(() => this.#server.listen({ path: own, readableAll: false, writableAll: false }));
    chmodSync(own, 0o600);
    const { ino } = statSync(own);
    renameSync(own, path);
    this.#server.once('close', () => {
      if (inodeOf(path) === ino) rmSync(path, { force: true });
    });
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

  /** Stops accepting, gives running requests a moment to finish, then closes the remaining sockets. */
  async close(graceMs = 2_000): Promise<void> {
    // A server that took over connections never listened, so its `close` does not wait for them.
    const closed = new Promise<void>((resolve) => {
      if (this.#server.listening) this.#server.close(() => resolve());
      else void this.#places.whenEmpty().then(resolve);
    });
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => {
      this.#server.closeAllConnections();
      this.#places.closeAll();
    }, graceMs);
    await closed;
    clearTimeout(timer);
    this.#bodies.close();
  }
}

/** Passes only admitted connections to Node's own listeners. */
function admitFirst(server: Server | TlsServer, admit: (socket: Socket) => boolean): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (admit(socket)) for (const listener of listeners) listener.call(server, socket);
  });
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function contextOptions({ cert, key }: HttpTls) {
  // A renegotiation costs a private key operation, and no client needs one.
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;
  return { cert, key, minVersion: 'TLSv1.2', ciphers: cipherList('modern'), secureOptions } as const;
}

const unanswered = new WeakMap<Duplex, number>();

/**
 * Node hands over every request of a read at once, however many its peer wrote without waiting for an answer. A socket that
 * has too many pending requests is closed: leaving them unread would keep their memory, and answering costs more.
 */
function takesItsTurn(socket: Socket): boolean {
  if (socket.destroyed) return false;
  const count = (unanswered.get(socket) ?? 0) + 1;
  if (count > HTTP_LIMITS.pipelined) {
    socket.destroy();
    return false;
  }
  unanswered.set(socket, count);
  return true;
}

/**
 * A request that may ask for another protocol. Only WebSocket is offered: what asks for any other is answered as it is (RFC 9110,
 * 7.8). Node takes a connection out of HTTP for every Upgrade header, as those for `h2c` of Java's HttpClient and `curl --http2`.
 * It assigns and reads `upgrade`, here once the headers are known.
 */
class HttpRequest extends IncomingMessage {
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
