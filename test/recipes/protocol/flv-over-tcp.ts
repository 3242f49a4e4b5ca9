/**
 * An example of an ingest protocol: a line with the stream key, then an FLV stream, over TCP. Answers are lines of text.
 * It brings publishes and packets to the broadcasts and knows nothing of stores, rules or records.
 */
import type { Socket } from 'node:net';
import type { PublishHandler } from '../../../src/broadcasts/broadcast-engine.js';
import type { CloseReason } from '../../../src/broadcasts/publisher/close-reasons.js';
import type { EncoderChannel, PublishSession, RecordNotice } from '../../../src/broadcasts/publisher/publisher.js';
import type { SliceList } from '../../../src/bytes/slices.js';
import { FlvFileReader, type FlvTagKind } from '../../../src/media/flv/file-reader.js';
import { newMediaMessage } from '../../../src/media/media-message.js';
import type { Clock, Log } from '../../../src/ports/index.js';

/** A stream key is shorter. */
const MAX_LINE_BYTES = 256;
const LINE_FEED = 10;

export interface FlvOverTcpDeps {
  readonly publishes: PublishHandler;
  readonly clock: Clock;
  readonly log: Log;
}

/** Takes connections, which another process may have accepted. */
export function flvOverTcp(deps: FlvOverTcpDeps): (socket: Socket) => void {
  return (socket) => void new FlvConnection(socket, deps);
}

class FlvConnection implements EncoderChannel {
  readonly #socket: Socket;
  readonly #deps: FlvOverTcpDeps;
  readonly #reader: FlvFileReader;
  readonly #message = newMediaMessage();
  #session: PublishSession | undefined;
  #line = Buffer.alloc(0);

  constructor(socket: Socket, deps: FlvOverTcpDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#reader = new FlvFileReader({ tag: (kind, timestampMs, payload) => this.#onTag(kind, timestampMs, payload) });
    socket.on('data', (bytes) => this.#read(bytes));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => void this.#session?.leave('lost'));
  }

  notify({ record }: RecordNotice): void {
    this.#socket.write(`${record.description}\n`);
  }

  closeWith({ description }: CloseReason): void {
    this.#socket.end(`${description}\n`);
  }

  #read(bytes: Buffer): void {
    try {
      if (this.#session !== undefined) this.#reader.push(bytes);
      else this.#readLine(bytes);
    } catch (error) {
      this.#deps.log.warn({ error }, 'connection closed: not an FLV stream');
      this.#socket.destroy();
    }
  }

  #readLine(bytes: Buffer): void {
    this.#line = Buffer.concat([this.#line, bytes]);
    const end = this.#line.indexOf(LINE_FEED);
    if (end > MAX_LINE_BYTES || (end < 0 && this.#line.length > MAX_LINE_BYTES)) this.#socket.destroy();
    if (end < 0 || this.#socket.destroyed) return;
    this.#socket.pause();
    const rest = this.#line.subarray(end + 1);
    this.#publish(this.#line.toString('latin1', 0, end))
      .then(() => {
        this.#read(rest);
        this.#socket.resume();
      })
      .catch((error: unknown) => {
        this.#deps.log.error({ error }, 'the publish could not be decided');
        this.#socket.destroy();
      });
  }

  async #publish(key: string): Promise<void> {
    const { publishes, log } = this.#deps;
    const verdict = await publishes.admit(key, '', { address: this.#socket.remoteAddress ?? '', encoder: '' });
    if (!verdict.accepted) {
      this.#socket.end(`${verdict.description}\n`);
      return;
    }
    this.#session = await publishes.start(verdict, this, { secure: false, clientName: '' }, log);
  }

  #onTag(kind: FlvTagKind, timestampMs: number, payload: SliceList): void {
    const target = this.#session?.target;
    if (target === undefined || kind === 'data') return;
    const message = this.#message;
    message.payload = payload;
    message.timestampMs = timestampMs;
    message.messageNumber += 1;
    message.atMs = this.#deps.clock.monotonicMs();
    target[kind](message);
  }
}
