/** An ingest made of server sessions and nothing else, for the conformance cases: in memory, or behind a socket of this process. */
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { type Line, type Peer, UnreachableError } from '../../src/conform/peer.js';
import { DEFAULT_RTMP_LIMITS, type RtmpLimits } from '../../src/rtmp/limits.js';
import {
  type PublishRequest,
  ServerSession,
  type ServerSessionOptions,
} from '../../src/rtmp/session/server-session.js';
import { counting } from '../unit/rtmp/peers.js';

export const KEYS = ['1-first', '2-second'] as const;

/** The part of a server session that is needed; that of a copy with a planted fault is another class. */
export interface Session {
  push(bytes: Uint8Array): void;
  acceptPublish(requestId: number): boolean;
  rejectPublish(requestId: number, code: string, description: string): boolean;
}

export interface SessionIngestOptions {
  /** Another session than the server's own. */
  readonly open?: (options: ServerSessionOptions) => Session;
  readonly limits?: Partial<RtmpLimits>;
}

interface Client {
  write(bytes: Uint8Array): void;
  end(): void;
}

/** Seeds random bytes that differ from connection to connection. */
let opened = 0;

export class SessionIngest implements Peer {
  readonly isSecure = false;
  readonly isVerifying = false;
  readonly hasDeadlines = false;
  readonly app = 'live';
  readonly tcUrl = 'rtmp://localhost/live';
  readonly #options: SessionIngestOptions;
  readonly #publishers = new Map<string, Connection>();
  readonly #connections = new Set<Connection>();
  /** An error that no session may throw: it would end the process of a server. */
  death: unknown;

  constructor(options: SessionIngestOptions = {}) {
    this.#options = options;
  }

  async open(): Promise<Line> {
    if (this.death !== undefined) throw new UnreachableError('the process has ended', 'ECONNREFUSED');
    return new MemoryLine(this);
  }

  connect(client: Client): Connection {
    const connection: Connection = new Connection({
      open: this.#options.open ?? ((options) => new ServerSession(options)),
      limits: { ...DEFAULT_RTMP_LIMITS, ...this.#options.limits },
      client,
      decide: (request) => this.#decide(connection, request),
      release: () => this.#release(connection),
      die: (error) => this.#die(error),
    });
    this.#connections.add(connection);
    return connection;
  }

  #decide(connection: Connection, { name }: PublishRequest): string | undefined {
    const key = name.split('?', 1)[0] ?? '';
    if (!KEYS.some((known) => known === key)) return 'No broadcast has this stream key.';
    if (this.#publishers.has(key)) return 'Another encoder is already publishing with this stream key.';
    this.#publishers.set(key, connection);
    return undefined;
  }

  #release(connection: Connection): void {
    for (const [key, holder] of this.#publishers) if (holder === connection) this.#publishers.delete(key);
  }

  #die(error: unknown): void {
    this.death = error;
    for (const connection of this.#connections) connection.close();
  }
}

interface ConnectionOptions {
  readonly open: (options: ServerSessionOptions) => Session;
  readonly limits: RtmpLimits;
  readonly client: Client;
  /** Undefined: accepted; else why not. */
  readonly decide: (request: PublishRequest) => string | undefined;
  readonly release: () => void;
  readonly die: (error: unknown) => void;
}

class Connection {
  readonly #options: ConnectionOptions;
  readonly #session: Session;
  #isClosed = false;
  #isRefused = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#session = options.open({
      limits: options.limits,
      randomBytes: counting(++opened),
      sink: {
        send: (bytes) => this.#isClosed || options.client.write(bytes.slice()),
        publish: (request) => {
          const refusal = options.decide(request);
          if (refusal === undefined) this.#session.acceptPublish(request.requestId);
          else this.#isRefused = this.#session.rejectPublish(request.requestId, 'NetStream.Publish.BadName', refusal);
        },
        takeVideo: () => undefined,
        takeAudio: () => undefined,
        takeData: () => undefined,
        unpublish: options.release,
      },
    });
  }

  push(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    try {
      this.#session.push(bytes);
    } catch (error) {
      if (!(error instanceof Error && error.name === 'WireError')) this.#options.die(error);
      this.close();
    }
    if (this.#isRefused) this.close();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.release();
    this.#options.client.end();
  }
}

/** Answers are there when `send` returns: nothing comes later. */
class MemoryLine implements Line {
  readonly tls = undefined;
  readonly #received: Uint8Array[] = [];
  readonly #connection: Connection;
  #isEnded = false;

  constructor(ingest: SessionIngest) {
    this.#connection = ingest.connect({
      write: (bytes) => void this.#received.push(bytes),
      end: () => {
        this.#isEnded = true;
      },
    });
  }

  get isClosed(): boolean {
    return this.#isEnded && this.#received.length === 0;
  }

  async send(bytes: Uint8Array): Promise<void> {
    this.#connection.push(bytes.slice());
  }

  async receive(): Promise<Uint8Array | undefined> {
    return this.#received.shift();
  }

  close(): void {
    this.#connection.close();
  }
}

/** The ingest behind a port of this machine. `tls` absent: plain. */
export async function listen(
  ingest: SessionIngest,
  tls?: TlsOptions,
): Promise<{ port: number; close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    const connection = ingest.connect({ write: (bytes) => void socket.write(bytes), end: () => socket.destroySoon() });
    socket.on('data', (bytes: Buffer) => {
      connection.push(bytes);
      if (ingest.death !== undefined) server.close();
    });
    socket.on('close', () => connection.close());
    socket.on('error', () => connection.close());
  };
  const server: Server = tls === undefined ? createTcpServer(accept) : createTlsServer(tls, accept);
  server.on('tlsClientError', (_error, socket: Socket) => socket.destroy());
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  return { port: (server.address() as AddressInfo).port, close };
}
