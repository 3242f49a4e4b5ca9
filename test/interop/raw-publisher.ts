/** A publisher that writes arbitrary bytes into an in-memory server session. */
import { SliceList } from '../../src/bytes/slices.js';
import type { AmfValue } from '../../src/rtmp/amf/amf-value.js';
import { encodeAmf0 } from '../../src/rtmp/amf/amf0-encoder.js';
import { ChunkDecoder } from '../../src/rtmp/chunks/decoder.js';
import { ChunkEncoder } from '../../src/rtmp/chunks/encoder.js';
import { DEFAULT_RTMP_LIMITS } from '../../src/rtmp/limits.js';
import { readCommand } from '../../src/rtmp/messages/command.js';
import { counting, type Heard, Messages, ServerPeer } from '../unit/rtmp/peers.js';

export const HELLO = new Uint8Array([3, ...new Uint8Array(8), ...counting(5)(1528)]);
export const C2 = new Uint8Array(1536);

export interface Answer {
  readonly name: string;
  readonly transactionId: number;
  readonly values: readonly AmfValue[];
  readonly messageStreamId: number;
  readonly chunkStreamId: number;
}

export class RawPublisher {
  readonly server: ServerPeer;
  readonly encoder = new ChunkEncoder();

  constructor(server: ServerPeer = new ServerPeer()) {
    this.server = server;
  }

  push(...parts: readonly (Uint8Array | readonly number[])[]): this {
    this.server.session.push(new Uint8Array(Buffer.concat(parts.map((part) => Uint8Array.from(part)))));
    return this;
  }

  shakeHands(): this {
    return this.push(HELLO, C2);
  }

  command(messageStreamId: number, name: string, transactionId: number, ...values: AmfValue[]): this {
    return this.message(20, encodeAmf0(name, transactionId, ...values), messageStreamId, 0, 3);
  }

  message(typeId: number, body: Uint8Array, messageStreamId = 0, timestampMs = 0, chunkStreamId = 4): this {
    return this.push(this.encoder.encode(chunkStreamId, typeId, messageStreamId, timestampMs, body));
  }

  connect(properties: Record<string, AmfValue> = {}): this {
    return this.command(0, 'connect', 1, {
      app: 'live',
      tcUrl: 'rtmps://localhost/live',
      flashVer: 'test',
      ...properties,
    });
  }

  /** Up to an accepted publish on stream 1. */
  publish(name = 'key'): this {
    this.shakeHands().connect();
    return this.command(0, 'createStream', 4, null).command(1, 'publish', 5, null, name, 'live');
  }

  chunkSize(size: number): this {
    this.message(1, new Uint8Array([size >>> 24, size >>> 16, size >>> 8, size]), 0, 0, 2);
    this.encoder.setChunkSize(size);
    return this;
  }

  /** All messages that the server sent after the handshake. */
  received(): Heard[] {
    const messages = new Messages();
    const decoder = new ChunkDecoder(messages, DEFAULT_RTMP_LIMITS);
    for (const [i, bytes] of this.server.writes.entries()) {
      if (i > 0) decoder.push(bytes.slice());
    }
    return messages.all;
  }

  answers(): Answer[] {
    return this.received()
      .filter((message) => message.typeId === 20)
      .map((message) => {
        const command = readCommand(20, SliceList.of(message.payload), DEFAULT_RTMP_LIMITS.amf);
        return {
          name: command.name,
          transactionId: command.transactionId,
          values: command.args,
          messageStreamId: message.messageStreamId,
          chunkStreamId: message.chunkStreamId,
        };
      });
  }

  /** The onStatus messages, as [stream, code, description]. */
  statuses(): [number, unknown, unknown][] {
    return this.answers()
      .filter((answer) => answer.name === 'onStatus')
      .map((answer) => {
        const info = answer.values[0] as Record<string, unknown>;
        return [answer.messageStreamId, info.code, info.description];
      });
  }
}
