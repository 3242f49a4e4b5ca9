/**
 * The server's side of one RTMP connection, without a socket: bytes in, bytes and events out (RTMP 1.0 7.2). The caller
 * decides on a publish asynchronously: `publish` requests a decision, `acceptPublish` or `rejectPublish` gives it.
 *
 * Media without a publish is dropped and reported; so are malformed commands, data and control messages, up to a limit. A
 * corrupt chunk stream or an exceeded bound ends the connection with a WireError from `push`.
 */
import type { PartialFrame } from '../../bytes/partial-frame.js';
import type { SliceList } from '../../bytes/slices.js';
import { WireError } from '../../bytes/wire-error.js';
import { ChunkDecoder } from '../chunks/decoder.js';
import { ServerHandshake } from '../handshake/server-handshake.js';
import type { RtmpLimits } from '../limits.js';
import { AggregateSplitter } from '../messages/aggregate.js';
import type { StatusInfo } from '../messages/command.js';
import { readCommand, readDataMessage } from '../messages/command.js';
import type { ConnectInfo } from '../messages/connect.js';
import { readU32Body, readUserControl } from '../messages/control.js';
import type { ChunkFault, MessageSink, RtmpMessage } from '../messages/message.js';
import { MESSAGE_TYPE, USER_CONTROL } from '../protocol.js';
import type { SessionState } from './publish-negotiation.js';
import { PublishNegotiation, type Step } from './publish-negotiation.js';
import { ServerOutput } from './server-output.js';
import type { ServerSessionOptions, ServerSessionSink, SessionFault } from './server-session-types.js';

export type {
  PublishRequest,
  ServerSessionOptions,
  ServerSessionSink,
  SessionFault,
  UnpublishReason,
} from './server-session-types.js';
export type { ConnectInfo, SessionState, StatusInfo };

/** Minimum acknowledgement window: some peers request an acknowledgement per packet. */
const SMALLEST_ACK_WINDOW = 16 * 1024;
/** Budget: one ignored message per this many, beyond the free ones. */
const IGNORED_SHARE = 16;
/** Metadata is small; a longer data message is not decoded. */
const MAX_DATA_BYTES = 64 * 1024;

export class ServerSession implements MessageSink {
  readonly #limits: RtmpLimits;
  readonly #sink: ServerSessionSink;
  readonly #output = new ServerOutput();
  readonly #handshake: ServerHandshake;
  readonly #decoder: ChunkDecoder;
  readonly #negotiation: PublishNegotiation;
  /** Created with the first aggregate message; no known encoder sends any. */
  #aggregates: AggregateSplitter | undefined;
  /** State of the negotiation, which no packet touches: the objects of many connections fit in no cache. */
  #state: SessionState = 'handshake';
  #publishStreamId = -1;
  readonly #ownWindow: number;
  #ackWindow: number;
  #received = 0;
  #acknowledged = 0;
  #ignored = 0;

  constructor(options: ServerSessionOptions) {
    const { limits, sink } = options;
    this.#limits = limits;
    this.#sink = sink;
    this.#ownWindow = options.windowAckSize ?? 2_500_000;
    this.#ackWindow = this.#ownWindow;
    this.#handshake = new ServerHandshake(options.randomBytes);
    this.#decoder = new ChunkDecoder(this, limits);
    this.#negotiation = new PublishNegotiation({
      output: this.#output,
      windowAckSize: this.#ownWindow,
      chunkSize: options.chunkSize ?? 4096,
      maxMessageStreams: limits.messageStreams,
    });
  }

  get state(): SessionState {
    return this.#negotiation.state;
  }

  #negotiated(): void {
    this.#state = this.#negotiation.state;
    this.#publishStreamId = this.#negotiation.publishStreamId;
  }

  /** Fields of the connect command; undefined before it. */
  get connectInfo(): ConnectInfo | undefined {
    return this.#negotiation.connectInfo;
  }

  /** Bytes of the connection, including the handshake; exact up to 2^53. */
  get bytesReceived(): number {
    return this.#received;
  }

  get messagesReceived(): number {
    return this.#decoder.messageCount;
  }

  /** The client's C1 carried a valid digest. */
  get usedDigest(): boolean {
    return this.#handshake.usedDigest;
  }

  /**
   * Processes bytes from the socket. The buffer must not be overwritten afterward, because messages refer to it. Must not be
   * called from a sink callback.
   * @throws WireError, after which only an onStatus may be sent before closing
   */
  push(bytes: Uint8Array): void {
    this.read(bytes, 0, bytes.length);
    this.seal(bytes);
  }

  /**
   * Processes `bytes[from, to)`. Messages may refer to the buffer until `seal` or `detach`, one of which must be called
   * before another buffer is read.
   * @throws WireError, as `push`
   */
  read(bytes: Uint8Array, from: number, to: number): void {
    this.#received += to - from;
    if (this.#state === 'refused') return;
    let at = from;
    if (this.#state === 'handshake') {
      const { taken, reply } = this.#handshake.push(bytes.subarray(from, to));
      this.#decoder.skip(taken);
      if (reply !== undefined) this.#sink.send(reply);
      if (!this.#handshake.done) return;
      this.#negotiation.handshakeDone();
      this.#negotiated();
      at += taken;
    }
    if (at < to) this.#decoder.read(bytes, at, to);
    // Not before connect is answered: an older librtmp takes the first message as the answer.
    if (this.#received - this.#acknowledged >= this.#ackWindow && this.#negotiation.connectInfo !== undefined) {
      this.#acknowledged = this.#received;
      this.#sink.send(this.#output.acknowledgement(this.#received));
    }
  }

  /** The buffer will not be overwritten: an unfinished message may keep references to it. @throws WireError */
  seal(bytes: Uint8Array): void {
    this.#decoder.seal(bytes);
  }

  /** The buffer will be overwritten: drops all references to it. @throws WireError */
  detach(bytes: Uint8Array): void {
    this.#decoder.detach(bytes);
  }

  /** An unfinished message has bytes in this buffer. */
  refersTo(bytes: Uint8Array): boolean {
    return this.#decoder.refersTo(bytes);
  }

  // ---------------------------------------------------------------- called by the owner

  /** Raises the bound on unfinished messages to `limits.unfinishedBytes`. `acceptPublish` does so too. */
  raiseLimits(): void {
    this.#decoder.raiseLimits();
  }

  /** Accepts the publish. False: `requestId` is not the pending request. */
  acceptPublish(requestId: number): boolean {
    const answer = this.#negotiation.accept(requestId);
    if (answer !== undefined) this.raiseLimits();
    return this.#answer(answer);
  }

  /**
   * Refuses the publish; false as above. Further input is ignored; the caller closes the connection after a grace period.
   * `description` is cut to complete sentences within 255 bytes; an empty one is replaced by the code, because some encoders crash without it.
   */
  rejectPublish(requestId: number, code: string, description: string): boolean {
    return this.#answer(this.#negotiation.reject(requestId, code, description));
  }

  /** Sends onStatus on the stream of the active or last publish. */
  sendStatus(info: StatusInfo): void {
    this.#sink.send(this.#negotiation.status(info));
  }

  /**
   * Asks the client to connect again (Enhanced RTMP v2, "Reconnect Request"); it goes on publishing until it has. False: it did
   * not offer that capability.
   */
  requestReconnect(description: string): boolean {
    return this.#answer(this.#negotiation.reconnectRequest(description));
  }

  /** False: there is no answer, because the caller was late. */
  #answer(bytes: Uint8Array | undefined): boolean {
    this.#negotiated();
    if (bytes !== undefined) this.#sink.send(bytes);
    return bytes !== undefined;
  }

  // ---------------------------------------------------------------- called by the chunk decoder

  takeMessage(message: RtmpMessage): void {
    if (this.#state === 'refused') return;
    switch (message.typeId) {
      case MESSAGE_TYPE.video:
      case MESSAGE_TYPE.audio:
        this.#media(message);
        break;
      case MESSAGE_TYPE.dataAmf0:
      case MESSAGE_TYPE.dataAmf3:
        this.#data(message);
        break;
      case MESSAGE_TYPE.commandAmf0:
      case MESSAGE_TYPE.commandAmf3:
        this.#command(message);
        break;
      case MESSAGE_TYPE.aggregate:
        this.#aggregate(message);
        break;
      case MESSAGE_TYPE.userControl:
      case MESSAGE_TYPE.windowAckSize:
        this.#control(message);
        break;
      case MESSAGE_TYPE.acknowledgement:
      case MESSAGE_TYPE.setPeerBandwidth:
        // The server sends little and does not limit its output.
        break;
      default:
        this.#ignore('unknown-message-type', message);
    }
  }

  retainHeaders(messageStreamId: number, payload: SliceList, partial: PartialFrame): boolean {
    if (this.#state !== 'publishing' || !this.#isPublishStream(messageStreamId)) return false;
    return this.#sink.retainHeaders?.(payload, partial) ?? false;
  }

  reportFault(code: ChunkFault): void {
    this.#fault(code);
  }

  #media(message: RtmpMessage): void {
    if (this.#state !== 'publishing') {
      this.#fault('media-without-publish');
    } else if (!this.#isPublishStream(message.messageStreamId)) {
      this.#fault('media-on-other-stream');
    } else if (message.typeId === MESSAGE_TYPE.video) {
      this.#sink.takeVideo(message);
    } else {
      this.#sink.takeAudio(message);
    }
  }

  /**
   * Media on this stream belongs to the publish. So does media on stream 0, because a header without a stream ID reads as 0.
   * A publisher that skipped createStream may use any stream.
   */
  #isPublishStream(messageStreamId: number): boolean {
    const own = this.#publishStreamId;
    return own >= 0 && (messageStreamId === own || messageStreamId === 0 || own === 0);
  }

  #aggregate(message: RtmpMessage): void {
    this.#aggregates ??= new AggregateSplitter();
    const parts = this.#aggregates;
    parts.begin(message);
    for (let part = parts.next(); part !== undefined; part = parts.next()) this.#part(part);
    if (!parts.isWhole) this.#fault('malformed-aggregate');
  }

  /** A part of an aggregate. */
  #part(part: RtmpMessage): void {
    if (part.typeId === MESSAGE_TYPE.audio || part.typeId === MESSAGE_TYPE.video) this.#media(part);
    else if (part.typeId === MESSAGE_TYPE.dataAmf0 || part.typeId === MESSAGE_TYPE.dataAmf3) this.#data(part);
    else this.#fault('malformed-aggregate');
  }

  #data(message: RtmpMessage): void {
    if (this.#state !== 'publishing') {
      this.#fault('data-without-publish');
      return;
    }
    const data = this.#read('malformed-data', () =>
      readDataMessage(message.typeId, message.payload, this.#limits.amf, MAX_DATA_BYTES),
    );
    // Outside `#read`: errors of the sink must propagate.
    if (data !== undefined) this.#sink.takeData(data.name, data.values, message);
  }

  #control(message: RtmpMessage): void {
    if (message.typeId === MESSAGE_TYPE.windowAckSize) {
      const size = this.#read('malformed-control', () => readU32Body(message.payload, 'RTMP 1.0 5.4.4'));
      if (size !== undefined) this.#ackWindow = size === 0 ? this.#ownWindow : Math.max(size, SMALLEST_ACK_WINDOW);
      return;
    }
    const event = this.#read('malformed-control', () => readUserControl(message.payload));
    if (event?.eventType === USER_CONTROL.pingRequest) this.#sink.send(this.#output.pingResponse(event.argument));
  }

  #command(message: RtmpMessage): void {
    // HaishinKit sent empty command messages.
    if (message.payload.length === 0) return;
    const command = this.#read('malformed-command', () =>
      readCommand(message.typeId, message.payload, this.#limits.amf),
    );
    if (command === undefined) {
      this.#ignore(undefined, message);
      return;
    }
    const steps = this.#negotiation.take(command, message.messageStreamId);
    this.#negotiated();
    if (steps === undefined) this.#ignore('command-out-of-order', message);
    else for (const step of steps) this.#pass(step);
  }

  #pass(step: Step): void {
    switch (step.kind) {
      case 'answer':
        this.#sink.send(step.bytes);
        break;
      case 'publish':
        this.#sink.publish(step.request);
        break;
      case 'unpublish':
        this.#sink.unpublish(step.reason, step.streamId);
        break;
      case 'fault':
        this.#fault(step.code);
        break;
    }
  }

  /** Decodes a body. A decoding error is reported as a fault and does not end the connection. */
  #read<Value>(fault: SessionFault, decode: () => Value): Value | undefined {
    try {
      return decode();
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#fault(fault);
      return undefined;
    }
  }

  // ---------------------------------------------------------------- bookkeeping

  #fault(code: SessionFault): void {
    this.#sink.reportFault?.(code);
  }

  /** Counts an ignored message. Too many of them end the connection. */
  #ignore(code: SessionFault | undefined, message: RtmpMessage): void {
    if (code !== undefined) this.#fault(code);
    this.#ignored++;
    if (this.#ignored > this.#limits.ignoredMessages + message.messageNumber / IGNORED_SHARE) {
      throw new WireError(
        'RTMP_TOO_MANY_IGNORED',
        `${this.#ignored} of ${message.messageNumber} messages were ignored (last: type ${message.typeId})`,
        'RTMP 1.0 7.1',
        message.byteOffset,
      );
    }
  }
}
