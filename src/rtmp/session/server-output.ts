/** Messages that a server session sends. Each method returns the bytes of one write. */
import type { AmfObject, AmfValue } from '../amf/amf-value.js';
import { encodeAmf0 } from '../amf/amf0-encoder.js';
import { ChunkEncoder } from '../chunks/encoder.js';
import { PEER_BANDWIDTH_LIMIT, setPeerBandwidthBody, u32Body, userControlBody } from '../messages/control.js';
import { CHUNK_STREAM, MESSAGE_TYPE, USER_CONTROL } from '../protocol.js';

/** Clients derive features from this string; the format is that of Flash Media Server. */
const SERVER_VERSION = 'FMS/3,5,7,7009';
const CAPABILITIES = 31;

/** Encoders number their connect 1 (RTMP 1.0 7.2.1.1), so that the answers to all of them are the same bytes. */
const CONNECT_TRANSACTION = 1;
const connectBody = (transactionId: number, capabilities: Readonly<Record<string, AmfValue>> | undefined): Uint8Array =>
  encodeAmf0(
    '_result',
    transactionId,
    { fmsVer: SERVER_VERSION, capabilities: CAPABILITIES, ...capabilities },
    { level: 'status', code: 'NetConnection.Connect.Success', description: 'Connection succeeded.', objectEncoding: 0 },
  );
const PLAIN_CONNECT = connectBody(CONNECT_TRANSACTION, undefined);

export class ServerOutput {
  readonly #encoder = new ChunkEncoder();

  #control(typeId: number, body: Uint8Array): Buffer {
    return this.#encoder.encode(CHUNK_STREAM.control, typeId, 0, 0, body);
  }

  #command(messageStreamId: number, values: readonly AmfValue[]): Buffer {
    return this.#encoded(messageStreamId, encodeAmf0(...values));
  }

  #encoded(messageStreamId: number, body: Uint8Array): Buffer {
    const chunkStream = messageStreamId === 0 ? CHUNK_STREAM.connection : CHUNK_STREAM.stream;
    return this.#encoder.encode(chunkStream, MESSAGE_TYPE.commandAmf0, messageStreamId, 0, body);
  }

  acknowledgement(totalBytes: number): Uint8Array {
    // The sequence number has 32 bits and wraps (RTMP 1.0 5.4.3).
    return this.#control(MESSAGE_TYPE.acknowledgement, u32Body(totalBytes % 0x1_0000_0000));
  }

  pingResponse(time: number): Uint8Array {
    return this.#control(MESSAGE_TYPE.userControl, userControlBody(USER_CONTROL.pingResponse, time));
  }

  /** Includes the only Set Chunk Size of the connection: OBS misreads the stream after any later one. */
  connectSuccess(
    transactionId: number,
    { windowAckSize, chunkSize }: { readonly windowAckSize: number; readonly chunkSize: number },
    capabilities: Readonly<Record<string, AmfValue>> | undefined,
  ): Uint8Array {
    const parts = [
      this.#control(MESSAGE_TYPE.windowAckSize, u32Body(windowAckSize)),
      this.#control(MESSAGE_TYPE.setPeerBandwidth, setPeerBandwidthBody(windowAckSize, PEER_BANDWIDTH_LIMIT.dynamic)),
      this.#control(MESSAGE_TYPE.setChunkSize, u32Body(chunkSize)),
    ];
    this.#encoder.setChunkSize(chunkSize);
    const isPlain = transactionId === CONNECT_TRANSACTION && capabilities === undefined;
    parts.push(this.#encoded(0, isPlain ? PLAIN_CONNECT : connectBody(transactionId, capabilities)));
    return Buffer.concat(parts);
  }

  /** `_result` of a call: a null command object and the values. */
  result(transactionId: number, ...values: readonly AmfValue[]): Uint8Array {
    return this.#command(0, ['_result', transactionId, null, ...values]);
  }

  error(transactionId: number, info: AmfObject): Uint8Array {
    return this.#command(0, ['_error', transactionId, null, info]);
  }

  /** Stream Begin, onFCPublish if the client called FCPublish, and the onStatus on which the encoder begins to send. */
  publishStart(messageStreamId: number, info: AmfObject, fcPublish?: number): Uint8Array {
    const parts = [this.#control(MESSAGE_TYPE.userControl, userControlBody(USER_CONTROL.streamBegin, messageStreamId))];
    if (fcPublish !== undefined) parts.push(this.#command(0, ['onFCPublish', fcPublish, null, info]));
    parts.push(this.#command(messageStreamId, ['onStatus', 0, null, info]));
    return Buffer.concat(parts);
  }

  status(messageStreamId: number, info: AmfObject): Uint8Array {
    return this.#command(messageStreamId, ['onStatus', 0, null, info]);
  }
}
