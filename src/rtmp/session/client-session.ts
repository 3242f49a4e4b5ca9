/**
 * The publisher's side of one RTMP connection, without a socket (RTMP 1.0 7.2): handshake, connect, releaseStream, FCPublish,
 * createStream, publish, media. Used to replay recordings and to test servers, so the chunk encoding is configurable.
 */
import type { SliceList } from '../../bytes/slices.js';
import type { AmfObject, AmfValue } from '../amf/amf-value.js';
import { EcmaArray, encodeAmf0 } from '../amf/amf0-encoder.js';
import { ChunkDecoder } from '../chunks/decoder.js';
import { ChunkEncoder } from '../chunks/encoder.js';
import { ClientHandshake } from '../handshake/client-handshake.js';
import { DEFAULT_RTMP_LIMITS, type RtmpLimits } from '../limits.js';
import type { Capabilities } from '../messages/capabilities.js';
import { readCommand } from '../messages/command.js';
import { readUserControl, u32Body, userControlBody } from '../messages/control.js';
import type { MessageSink, RtmpMessage } from '../messages/message.js';
import { CHUNK_STREAM, MESSAGE_TYPE, USER_CONTROL } from '../protocol.js';
import { type ClientCommand, ClientNegotiation, readStatus } from './client-negotiation.js';
import type { ClientSessionOptions, ClientSessionSink, ClientState, ClientStatus } from './client-session-types.js';

export type { ClientSessionOptions, ClientSessionSink, ClientState, ClientStatus } from './client-session-types.js';

export class ClientSession implements MessageSink {
  readonly #options: ClientSessionOptions;
  readonly #sink: ClientSessionSink;
  readonly #limits: RtmpLimits;
  readonly #handshake: ClientHandshake;
  readonly #decoder: ChunkDecoder;
  readonly #encoder: ChunkEncoder;
  readonly #negotiation: ClientNegotiation;
  readonly #mediaChunkStream: number;
  readonly #offsetMs: number;
  #received = 0;
  #sent = 0;
  #acknowledged = 0;
  #peerWindow = 0;
  #lastAck = 0;

  constructor(options: ClientSessionOptions) {
    this.#options = options;
    this.#sink = options.sink;
    this.#limits = options.limits ?? DEFAULT_RTMP_LIMITS;
    this.#mediaChunkStream = options.mediaChunkStreamId ?? 4;
    this.#offsetMs = options.timestampOffsetMs ?? 0;
    this.#handshake = new ClientHandshake(options.randomBytes, options.digest);
    this.#decoder = new ChunkDecoder(this, this.#limits);
    this.#encoder = new ChunkEncoder({
      headers: options.headers ?? 'full',
      omitRepeatedTimestamps: options.omitRepeatedTimestamps ?? false,
    });
    this.#negotiation = new ClientNegotiation(options);
  }

  get state(): ClientState {
    return this.#negotiation.state;
  }

  /** Why the server refused connect, createStream or publish; `code` and `description` may be empty. */
  get refusal(): ClientStatus | undefined {
    return this.#negotiation.refusal;
  }

  /** Undefined: the server does not speak Enhanced RTMP, or does not say so. */
  get peerCapabilities(): Capabilities | undefined {
    return this.#negotiation.peerCapabilities;
  }

  get streamId(): number {
    return this.#negotiation.streamId;
  }

  get bytesSent(): number {
    return this.#sent;
  }

  /** The server's last acknowledgement: bytes received modulo 2^32. */
  get acknowledgedBytes(): number {
    return this.#acknowledged;
  }

  get handshake(): Pick<ClientHandshake, 'done' | 'serverVerified' | 'serverEchoed'> {
    return this.#handshake;
  }

  /** Sends C0 and C1. `push` drives the rest. */
  start(): void {
    this.#write(this.#handshake.start());
  }

  /** Must not be called from a sink callback. @throws WireError */
  push(bytes: Uint8Array): void {
    this.#received += bytes.length;
    let from = 0;
    if (this.state === 'handshake') {
      const { taken, reply } = this.#handshake.push(bytes);
      from = taken;
      this.#decoder.skip(taken);
      if (reply !== undefined) this.#write(reply);
      if (!this.#handshake.done) return;
      const { chunkSize = 4096 } = this.#options;
      if (chunkSize !== this.#encoder.chunkSize) this.setChunkSize(chunkSize);
      this.#sendCommands([this.#negotiation.connect()]);
    }
    if (from < bytes.length) this.#decoder.push(bytes, from);
    if (this.#peerWindow > 0 && this.#received - this.#lastAck >= this.#peerWindow) {
      this.#lastAck = this.#received;
      this.#control(MESSAGE_TYPE.acknowledgement, u32Body(this.#received % 0x1_0000_0000));
    }
  }

  /** Payload: an FLV video tag body. */
  sendVideo(timestampMs: number, payload: Uint8Array | SliceList): void {
    this.send(MESSAGE_TYPE.video, timestampMs, payload);
  }

  /** Payload: an FLV audio tag body. */
  sendAudio(timestampMs: number, payload: Uint8Array | SliceList): void {
    this.send(MESSAGE_TYPE.audio, timestampMs, payload);
  }

  /** Payload: AMF0 values, such as an FLV script tag body. */
  sendData(timestampMs: number, payload: Uint8Array | SliceList): void {
    this.send(MESSAGE_TYPE.dataAmf0, timestampMs, payload);
  }

  /** Sends onMetaData after `@setDataFrame`, as encoders do. */
  sendMetadata(members: Readonly<AmfObject>): void {
    this.sendData(0, encodeAmf0('@setDataFrame', 'onMetaData', new EcmaArray(members)));
  }

  /** Sends any message on the publishing stream. */
  send(
    typeId: number,
    timestampMs: number,
    payload: Uint8Array | SliceList,
    chunkStreamId = this.#mediaChunkStream,
  ): void {
    this.#write(
      this.#encoder.encode(chunkStreamId, typeId, this.#negotiation.streamId, this.#timeOf(timestampMs), payload),
    );
  }

  /** Upper bound of the encoded size of a message with a body of this length. */
  maxEncodedBytes(length: number): number {
    return this.#encoder.maxEncodedBytes(length);
  }

  /**
   * Sends into the caller's buffer, where `maxEncodedBytes` must be free, so that several messages share one write. The
   * buffer must be written before the session sends anything else. Returns the end offset.
   */
  sendInto(target: Buffer, at: number, typeId: number, timestampMs: number, payload: Uint8Array | SliceList): number {
    const time = this.#timeOf(timestampMs);
    const end = this.#encoder.encodeInto(
      target,
      at,
      this.#mediaChunkStream,
      typeId,
      this.#negotiation.streamId,
      time,
      payload,
    );
    this.#sent += end - at;
    return end;
  }

  /** Modulo 2^32, also for an offset beyond 2^32. */
  #timeOf(timestampMs: number): number {
    return (timestampMs + this.#offsetMs) % 0x1_0000_0000;
  }

  /** Changes the chunk size in mid-stream, as ffmpeg does when the server announces one. */
  setChunkSize(size: number): void {
    this.#control(MESSAGE_TYPE.setChunkSize, u32Body(size));
    this.#encoder.setChunkSize(size);
  }

  /** Sends any command. `messageStreamId` 0 addresses the connection. */
  sendCommand(messageStreamId: number, name: string, transactionId: number, ...values: readonly AmfValue[]): void {
    this.#sendCommands([{ messageStreamId, name, transactionId, values }]);
  }

  /** Ends the publish: FCUnpublish, deleteStream. */
  close(): void {
    this.#sendCommands(this.#negotiation.close());
  }

  #write(bytes: Uint8Array): void {
    this.#sent += bytes.length;
    this.#sink.send(bytes);
  }

  #control(typeId: number, body: Uint8Array): void {
    this.#write(this.#encoder.encode(CHUNK_STREAM.control, typeId, 0, 0, body));
  }

  #sendCommands(commands: readonly ClientCommand[]): void {
    if (commands.length === 0) return;
    const parts = commands.map(({ messageStreamId, name, transactionId, values }) => {
      const body = encodeAmf0(name, transactionId, ...values);
      const chunkStream = messageStreamId === 0 ? CHUNK_STREAM.connection : this.#mediaChunkStream;
      return this.#encoder.encode(chunkStream, MESSAGE_TYPE.commandAmf0, messageStreamId, 0, body);
    });
    this.#write(Buffer.concat(parts));
  }

  // ---------------------------------------------------------------- from the server

  /** Called by the chunk decoder. */
  takeMessage(message: RtmpMessage): void {
    if (this.state === 'closed') return;
    switch (message.typeId) {
      case MESSAGE_TYPE.acknowledgement:
        this.#acknowledged = readU32(message);
        break;
      case MESSAGE_TYPE.windowAckSize:
        this.#peerWindow = readU32(message);
        break;
      case MESSAGE_TYPE.userControl: {
        const event = readUserControl(message.payload);
        if (event.eventType === USER_CONTROL.pingRequest) {
          this.#control(MESSAGE_TYPE.userControl, userControlBody(USER_CONTROL.pingResponse, event.argument));
        }
        break;
      }
      case MESSAGE_TYPE.commandAmf0:
      case MESSAGE_TYPE.commandAmf3:
        if (message.payload.length > 0) {
          const command = readCommand(message.typeId, message.payload, this.#limits.amf);
          if (command.name === 'onStatus') this.#followStatus(readStatus(command), message.messageStreamId);
          else this.#sendCommands(this.#negotiation.answered(command));
        }
        break;
      default:
        break;
    }
    this.#sink.takeMessage?.(message);
  }

  #followStatus(status: ClientStatus, messageStreamId: number): void {
    this.#negotiation.follow(status);
    this.#sink.takeStatus?.(status, messageStreamId);
  }
}

function readU32(message: RtmpMessage): number {
  const body = message.payload.copy(0, 4);
  return body.length < 4 ? 0 : new DataView(body.buffer).getUint32(0);
}
