/** An ingest that a forward sends to: a real listener, which takes, refuses, stalls or breaks off as a test asks. */
import { randomBytes } from 'node:crypto';
import { createServer as createPlain, type Server, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import { portOf } from '../../src/lib/sockets.js';
import { amfObject } from '../../src/rtmp/amf/amf-value.js';
import { encodeAmf0 } from '../../src/rtmp/amf/amf0-encoder.js';
import { ChunkEncoder } from '../../src/rtmp/chunks/encoder.js';
import { DEFAULT_RTMP_LIMITS } from '../../src/rtmp/limits.js';
import { MESSAGE_TYPE } from '../../src/rtmp/protocol.js';
import { type PublishRequest, ServerSession } from '../../src/rtmp/session/server-session.js';

export interface TakenMessage {
  readonly kind: 'audio' | 'video' | 'data';
  readonly timestampMs: number;
  readonly bytes: Buffer;
}

/** One connection to the target. */
export interface TakenConnection {
  readonly socket: Socket;
  readonly session: ServerSession;
  readonly messages: TakenMessage[];
  request?: PublishRequest;
  unpublished?: string;
  isClosed: boolean;
}

export type TargetManner = (connection: TakenConnection, request: PublishRequest) => void;

export const accepts: TargetManner = ({ session }, { requestId }) => session.acceptPublish(requestId);

const HANDSHAKE_BYTES = 1536;

/** For `raw`: completes the handshake, and refuses the connect in these words. */
export function rejectsConnect(description: string): (socket: Socket, bytes: Buffer) => void {
  const received = new WeakMap<Socket, Buffer>();
  return (socket, bytes) => {
    const before = received.get(socket) ?? Buffer.alloc(0);
    const all = Buffer.concat([before, bytes]);
    received.set(socket, all);
    const isGreeting = all.length > HANDSHAKE_BYTES && before.length <= HANDSHAKE_BYTES;
    if (isGreeting)
      socket.write(
        Buffer.concat([Buffer.from([3]), Buffer.alloc(HANDSHAKE_BYTES), all.subarray(1, 1 + HANDSHAKE_BYTES)]),
      );
    if (!all.includes('connect') || before.includes('connect')) return;
    const info = amfObject({ level: 'error', code: 'NetConnection.Connect.Rejected', description });
    socket.write(new ChunkEncoder().encode(3, MESSAGE_TYPE.commandAmf0, 0, 0, encodeAmf0('_error', 1, null, info)));
  };
}

/** The member under a name that no client knows. */
function withoutCapsEx(bytes: Uint8Array): Uint8Array {
  const at = Buffer.from(bytes).indexOf('capsEx');
  if (at < 0) return bytes;
  const out = Buffer.from(bytes);
  out.write('unused', at);
  return out;
}

export class RtmpTarget {
  readonly connections: TakenConnection[] = [];
  manner: TargetManner = accepts;
  /** Says in its answer to the connect that it reads several tracks. */
  takesTracks = false;
  /** In place of RTMP, with the first bytes of each connection. */
  raw: ((socket: Socket, bytes: Buffer) => void) | undefined;
  readonly #server: Server;
  readonly #changed = new Set<() => void>();
  readonly #isSecure: boolean;

  constructor(tls?: { readonly cert: string | Buffer; readonly key: string | Buffer }) {
    this.#isSecure = tls !== undefined;
    const take = (socket: Socket): void => this.#take(socket);
    this.#server = tls === undefined ? createPlain(take) : createTls(tls, take);
  }

  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return this;
  }

  get port(): number {
    return portOf(this.#server) ?? 0;
  }

  url(app = 'live'): string {
    return `${this.#isSecure ? 'rtmps' : 'rtmp'}://127.0.0.1:${this.port}/${app}`;
  }

  get messages(): readonly TakenMessage[] {
    return this.connections.at(-1)?.messages ?? [];
  }

  /** Resolves with what `read` gives, once that is neither undefined nor false. */
  until<T>(read: () => T | undefined | false): Promise<T> {
    return new Promise((resolve) => {
      const look = (): void => {
        const value = read();
        if (value === undefined || value === false) return;
        this.#changed.delete(look);
        resolve(value);
      };
      this.#changed.add(look);
      look();
    });
  }

  #notify(): void {
    for (const look of [...this.#changed]) look();
  }

  #take(socket: Socket): void {
    const messages: TakenMessage[] = [];
    const session: ServerSession = new ServerSession({
      limits: DEFAULT_RTMP_LIMITS,
      randomBytes: (count) => randomBytes(count),
      sink: {
        send: (bytes) => void (socket.destroyed || socket.write(this.takesTracks ? bytes : withoutCapsEx(bytes))),
        publish: (request) => {
          connection.request = request;
          this.manner(connection, request);
        },
        takeVideo: ({ timestampMs, payload }) =>
          messages.push({ kind: 'video', timestampMs, bytes: Buffer.from(payload.copy(0, payload.length)) }),
        takeAudio: ({ timestampMs, payload }) =>
          messages.push({ kind: 'audio', timestampMs, bytes: Buffer.from(payload.copy(0, payload.length)) }),
        takeData: (_name, _values, { timestampMs, payload }) =>
          messages.push({ kind: 'data', timestampMs, bytes: Buffer.from(payload.copy(0, payload.length)) }),
        unpublish: (reason) => {
          connection.unpublished = reason;
        },
      },
    });
    const connection: TakenConnection = { socket, session, messages, isClosed: false };
    this.connections.push(connection);
    socket.on('data', (bytes: Buffer) => {
      if (this.raw !== undefined) this.raw(socket, bytes);
      else session.push(bytes);
      this.#notify();
    });
    socket.on('error', () => this.#notify());
    socket.on('close', () => {
      connection.isClosed = true;
      this.#notify();
    });
    this.#notify();
  }

  async close(): Promise<void> {
    for (const { socket } of this.connections) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
