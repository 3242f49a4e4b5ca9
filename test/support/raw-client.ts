/** An RTMP client over TLS that writes whatever bytes a test wants, valid up to any point. */
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import type { AmfValue } from '../../src/rtmp/amf/amf-value.js';
import { encodeAmf0 } from '../../src/rtmp/amf/amf0-encoder.js';
import { ChunkEncoder } from '../../src/rtmp/chunks/encoder.js';
import type { Airlock } from './airlock.js';

export class RawClient {
  readonly socket: TLSSocket;
  readonly encoder = new ChunkEncoder();
  readonly closed: Promise<void>;
  isClosed = false;
  #text = '';

  /** TLS and the RTMP handshake. */
  static async open(airlock: Airlock): Promise<RawClient> {
    const { rtmps_port: port } = airlock.quickstart;
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    const client = new RawClient(socket);
    await once(socket, 'secureConnect');
    socket.write(Buffer.concat([Buffer.of(3), Buffer.alloc(1536), Buffer.alloc(1536)]));
    return client;
  }

  private constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      this.#text = (this.#text + bytes.toString('latin1')).slice(-8_000);
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.isClosed = true;
        resolve();
      });
    });
  }

  /** Resolves when the server's answers hold this text; rejects when it closes before. */
  async hears(text: string): Promise<void> {
    while (!this.#text.includes(text)) {
      if (this.isClosed) throw new Error(`closed without ${text}`);
      await Promise.race([once(this.socket, 'data'), this.closed]);
    }
  }

  message(typeId: number, body: Uint8Array, messageStreamId = 0, timestampMs = 0, chunkStreamId = 4): void {
    this.socket.write(Buffer.from(this.encoder.encode(chunkStreamId, typeId, messageStreamId, timestampMs, body)));
  }

  command(messageStreamId: number, name: string, transactionId: number, ...values: AmfValue[]): void {
    this.message(20, encodeAmf0(name, transactionId, ...values), messageStreamId, 0, 3);
  }

  connectApp(): void {
    this.command(0, 'connect', 1, { app: 'live', tcUrl: 'rtmps://localhost/live', flashVer: 'abuse' });
  }

  publish(key: string): void {
    this.connectApp();
    this.command(0, 'createStream', 4, null);
    this.command(1, 'publish', 5, null, key, 'live');
  }

  chunkSize(size: number): void {
    this.message(1, Uint8Array.of(size >>> 24, size >>> 16, size >>> 8, size), 0, 0, 2);
    this.encoder.setChunkSize(size);
  }

  /** The first chunk of a message that says it has `bytes`, with this much of it. */
  begin(chunkStreamId: number, typeId: number, bytes: number, part: Uint8Array): void {
    const basic = chunkStreamId < 64 ? [chunkStreamId] : [0, chunkStreamId - 64];
    const header = [...basic, 0, 0, 0, bytes >>> 16, (bytes >>> 8) & 255, bytes & 255, typeId, 1, 0, 0, 0];
    this.socket.write(Buffer.concat([Uint8Array.from(header), part]));
  }

  /** Resolves when more can be written, or never will be. */
  async drained(): Promise<void> {
    const drain = new Promise<void>((resolve) => this.socket.once('drain', resolve));
    await Promise.race([drain, this.closed]);
  }

  cut(): void {
    this.socket.destroy();
  }
}
