/** One connection of a relay to the child: an RTMP publish on loopback. */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { ClientSession } from '../../rtmp/session/client-session.js';
import { STREAM_APP } from '../context/child-messages.js';
import { PLAYBACK_LIMITS } from '../context/limits.js';

/** Large enough for each message to be a single chunk. */
export const RELAY_CHUNK_BYTES = 0xffffff;
/** The stream id that node-media-server gives the first stream of a connection. */
export const RELAY_STREAM_ID = 1;

/** Where a relay publishes: the child's RTMP port. */
export interface RelayEndpoint {
  readonly rtmpPort: number;
  sign(streamName: string): string;
}

export interface LinkEvents {
  /** The child accepts media. */
  onPublishing(): void;
  /** Called at most once, and never after `close`. */
  onLost(reason: string): void;
}

export class RelayLink {
  readonly endpoint: RelayEndpoint;
  readonly #socket: Socket;
  readonly #session: ClientSession;
  readonly #events: LinkEvents;
  readonly #tooLate: NodeJS.Timeout;
  #reason = 'closed by the playback server';
  #closed = false;
  #publishing = false;

  constructor(endpoint: RelayEndpoint, streamName: string, events: LinkEvents) {
    this.endpoint = endpoint;
    this.#events = events;
    const { rtmpPort } = endpoint;
    this.#socket = connect({ host: '127.0.0.1', port: rtmpPort, noDelay: true });
    this.#session = new ClientSession({
      app: STREAM_APP,
      tcUrl: `rtmp://127.0.0.1:${rtmpPort}/${STREAM_APP}`,
      name: `${streamName}?${endpoint.sign(streamName)}`,
      chunkSize: RELAY_CHUNK_BYTES,
      randomBytes: (size) => randomBytes(size),
      sink: {
        onOutput: (bytes) => this.write(bytes),
        onPublishing: () => this.#onPublishing(),
        onRefused: (info) => this.#drop(`refused: ${info.code}`),
      },
    });
    const tooLate = setTimeout(() => this.#drop('did not accept the stream in time'), PLAYBACK_LIMITS.relayStartMs);
    this.#socket.once('connect', () => this.#session.start());
    this.#socket.on('data', (bytes: Buffer) => this.#onBytes(bytes));
    this.#socket.on('error', (error) => {
      this.#reason = error.message;
    });
    this.#socket.once('close', () => {
      clearTimeout(tooLate);
      if (!this.#closed) this.#events.onLost(this.#reason);
      this.#closed = true;
    });
    this.#tooLate = tooLate;
  }

  get publishing(): boolean {
    return this.#publishing && !this.#socket.destroyed;
  }

  /** Writes one message as chunks. Loses the link when more than `relayBytes` are unread. */
  write(bytes: Uint8Array): void {
    if (this.#socket.destroyed) return;
    this.#socket.write(bytes);
    if (this.#socket.writableLength > PLAYBACK_LIMITS.relayBytes) this.#drop('the playback server does not read');
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#tooLate);
    if (this.#socket.destroyed) return;
    this.#session.close();
    // Flush first: the child has yet to read the last frames.
    this.#socket.destroySoon();
    setTimeout(() => this.#socket.destroy(), PLAYBACK_LIMITS.relayEndMs).unref();
  }

  #onBytes(bytes: Buffer): void {
    try {
      this.#session.push(bytes);
    } catch (error) {
      this.#drop(error instanceof Error ? error.message : String(error));
    }
  }

  #onPublishing(): void {
    clearTimeout(this.#tooLate);
    if (this.#session.streamId !== RELAY_STREAM_ID) {
      this.#drop(`unexpected stream id ${this.#session.streamId}`);
      return;
    }
    this.#publishing = true;
    this.#events.onPublishing();
  }

  #drop(reason: string): void {
    this.#reason = reason;
    this.#publishing = false;
    this.#socket.destroy();
  }
}
