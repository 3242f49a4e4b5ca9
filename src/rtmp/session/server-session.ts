/**
 * The server's side of one RTMP connection, without a socket: bytes in, bytes and events out (RTMP 1.0 7.2). Whether a
 * publish is accepted is decided outside, later: `onPublish` asks, `acceptPublish` or `rejectPublish` answers.
 *
 * Media that comes without a publish is dropped and counted; malformed side messages are too, until they are too many. What breaks the chunk stream or a bound ends the connection with a WireError from `push`.
 */
import type { PartialFrame } from '../../bytes/partial-frame.js';
import type { SliceList } from '../../bytes/slices.js';
import { WireError } from '../../bytes/wire-error.js';
import { ChunkDecoder } from '../chunks/decoder.js';
import { ServerHandshake } from '../handshake/server-handshake.js';
import type { RtmpLimits } from '../limits.js';
import { AggregateSplitter } from '../messages/aggregate.js';
import { readCommand } from '../messages/command.js';
import type { ConnectInfo } from '../messages/connect.js';
import { readU32Body, readUserControl } from '../messages/control.js';
import { readDataMessage } from '../messages/data.js';
import type { ChunkFault, MessageSink, RtmpMessage } from '../messages/message.js';
import type { StatusInfo } from '../messages/status.js';
import { MESSAGE_TYPE, USER_CONTROL } from '../protocol.js';
import { PublishNegotiation } from './publish-negotiation.js';
import { ServerOutput } from './server-output.js';
import type { ServerSessionOptions, ServerSessionSink, SessionFault } from './server-session-types.js';
import type { SessionState } from './session-states.js';

export type {
  PublishRequest,
  ServerSessionOptions,
  ServerSessionSink,
  SessionFault,
  UnpublishReason,
} from './server-session-types.js';
export type { ConnectInfo, SessionState, StatusInfo };

/** A peer that asks for an acknowledgement per packet gets one per this many bytes. */
const SMALLEST_ACK_WINDOW = 16 * 1024;
/** One ignorable message in so many is tolerated for ever, beyond the free ones. */
const IGNORED_SHARE = 16;
/** Metadata is small; a longer data message is not looked into. */
const MAX_DATA_BYTES = 64 * 1024;

export class ServerSession implements MessageSink {
  readonly #limits: RtmpLimits;
  readonly #sink: ServerSessionSink;
  readonly #output: ServerOutput;
  readonly #handshake: ServerHandshake;
  readonly #decoder: ChunkDecoder;
  readonly #negotiation: PublishNegotiation;
  /** No encoder in use sends any; made with the first. */
  #aggregates: AggregateSplitter | undefined;
  readonly #ownWindow: number;
  #ackWindow: number;
  #received = 0;
  #acknowledged = 0;
  #ignored = 0;

  constructor(options: ServerSessionOptions) {
    const { limits, sink } = options;
    const write = (bytes: Uint8Array): void => sink.onOutput(bytes);
    this.#limits = limits;
    this.#sink = sink;
    this.#ownWindow = options.windowAckSize ?? 2_500_000;
    this.#ackWindow = this.#ownWindow;
    this.#output = new ServerOutput(write);
    this.#handshake = new ServerHandshake(options.randomBytes, write);
    this.#decoder = new ChunkDecoder(this, limits);
    this.#negotiation = new PublishNegotiation({
      sink,
      output: this.#output,
      windowAckSize: this.#ownWindow,
      chunkSize: options.chunkSize ?? 4096,
      maxMessageStreams: limits.messageStreams,
    });
  }

  get state(): SessionState {
    return this.#negotiation.state;
  }

  /** All bytes of the connection so far, handshake included; exact up to 2^53. */
  get bytesReceived(): number {
    return this.#received;
  }

  get messagesReceived(): number {
    return this.#decoder.messageCount;
  }

  /** The client's handshake carried a digest. */
  get usedDigest(): boolean {
    return this.#handshake.usedDigest;
  }

  /**
   * Takes what the socket delivered. The buffer must not be written to afterwards: messages refer to it. Not to be called from
   * inside a call of the sink.
   * @throws WireError, after which the connection is good for nothing but an onStatus and the end
   */
  push(bytes: Uint8Array): void {
    this.read(bytes, 0, bytes.length);
    this.seal(bytes);
  }

  /**
   * Takes `bytes[from, to)`. Messages may refer to the buffer until `seal` or `detach`, one of which must be called before
   * another buffer is read from.
   * @throws WireError, as `push`
   */
  read(bytes: Uint8Array, from: number, to: number): void {
    this.#received += to - from;
    if (this.state === 'refused') return;
    let at = from;
    if (this.state === 'handshake') {
      const taken = this.#handshake.push(bytes.subarray(from, to));
      this.#decoder.skip(taken);
      if (!this.#handshake.done) return;
      this.#negotiation.handshakeDone();
      at += taken;
    }
    if (at < to) this.#decoder.read(bytes, at, to);
    // Not before connect is answered: an older librtmp takes the first message for the answer.
    if (this.#negotiation.connected && this.#received - this.#acknowledged >= this.#ackWindow) {
      this.#acknowledged = this.#received;
      this.#output.acknowledgement(this.#received);
    }
  }

  /** The buffer is not written to any more: an unfinished message may go on referring to it. @throws WireError */
  seal(bytes: Uint8Array): void {
    this.#decoder.seal(bytes);
  }

  /** The buffer will be written to: nothing refers to it any more. @throws WireError */
  detach(bytes: Uint8Array): void {
    this.#decoder.detach(bytes);
  }

  /** An unfinished message lies in this buffer in part. */
  refersTo(bytes: Uint8Array): boolean {
    return this.#decoder.refersTo(bytes);
  }

  // ---------------------------------------------------------------- answers of the shell

  /** Unfinished messages may now be as large as `limits.unfinishedBytes`. `acceptPublish` does it too. */
  liftLimits(): void {
    this.#decoder.liftLimits();
  }

  /** Lets the encoder send. False: that publish is no longer the one being decided. */
  acceptPublish(requestId: number): boolean {
    if (!this.#negotiation.accept(requestId)) return false;
    this.liftLimits();
    return true;
  }

  /**
   * Tells the encoder why not; false as above. What it sends from now on is ignored, and the shell closes after a grace.
   * `description` is cut to whole sentences of at most 255 bytes; an empty one is replaced by the code, since some encoders crash without.
   */
  rejectPublish(requestId: number, code: string, description: string): boolean {
    return this.#negotiation.reject(requestId, code, description);
  }

  /** Refuses the connect command; only inside `onConnect`. False: too late. */
  rejectConnect(code: string, description: string): boolean {
    return this.#negotiation.rejectConnect(code, description);
  }

  /** An onStatus on the stream of the publish that runs, or of the last one. */
  sendStatus(info: StatusInfo): void {
    this.#negotiation.sendStatus(info);
  }

  // ---------------------------------------------------------------- what the decoder delivers

  /** For the chunk decoder. */
  onMessage(message: RtmpMessage): void {
    if (this.state === 'refused') return;
    switch (message.typeId) {
      case MESSAGE_TYPE.video:
      case MESSAGE_TYPE.audio:
        this.#onMedia(message);
        break;
      case MESSAGE_TYPE.dataAmf0:
      case MESSAGE_TYPE.dataAmf3:
        this.#onData(message);
        break;
      case MESSAGE_TYPE.commandAmf0:
      case MESSAGE_TYPE.commandAmf3:
        this.#onCommandMessage(message);
        break;
      case MESSAGE_TYPE.aggregate:
        this.#onAggregate(message);
        break;
      case MESSAGE_TYPE.userControl:
      case MESSAGE_TYPE.windowAckSize:
        this.#onControl(message);
        break;
      case MESSAGE_TYPE.acknowledgement:
      case MESSAGE_TYPE.setPeerBandwidth:
        // We send little and limit nothing.
        break;
      default:
        this.#ignore('unknown-message-type', message);
    }
  }

  /** For the chunk decoder. */
  retainHeaders(messageStreamId: number, payload: SliceList, partial: PartialFrame): boolean {
    if (this.state !== 'publishing' || !this.#negotiation.isPublishStream(messageStreamId)) return false;
    return this.#sink.retainHeaders?.(payload, partial) ?? false;
  }

  /** For the chunk decoder. */
  onFault(code: ChunkFault): void {
    this.#fault(code);
  }

  #onMedia(message: RtmpMessage): void {
    if (this.state !== 'publishing') {
      this.#fault('media-without-publish');
    } else if (!this.#negotiation.isPublishStream(message.messageStreamId)) {
      this.#fault('media-on-other-stream');
    } else if (message.typeId === MESSAGE_TYPE.video) {
      this.#sink.onVideo(message);
    } else {
      this.#sink.onAudio(message);
    }
  }

  #onAggregate(message: RtmpMessage): void {
    this.#aggregates ??= new AggregateSplitter();
    const isWhole = this.#aggregates.split(message, (part) => this.#onPart(part));
    if (!isWhole) this.#fault('malformed-aggregate');
  }

  /** A part of an aggregate. */
  #onPart(part: RtmpMessage): void {
    if (part.typeId === MESSAGE_TYPE.audio || part.typeId === MESSAGE_TYPE.video) this.#onMedia(part);
    else if (part.typeId === MESSAGE_TYPE.dataAmf0 || part.typeId === MESSAGE_TYPE.dataAmf3) this.#onData(part);
    else this.#fault('malformed-aggregate');
  }

  #onData(message: RtmpMessage): void {
    if (this.state !== 'publishing') {
      this.#fault('data-without-publish');
      return;
    }
    const data = this.#read('malformed-data', () =>
      readDataMessage(message.typeId, message.payload, this.#limits.amf, MAX_DATA_BYTES),
    );
    // The sink may throw what it likes; only reading is guarded.
    if (data !== undefined) this.#sink.onData(data.name, data.values, message);
  }

  #onControl(message: RtmpMessage): void {
    if (message.typeId === MESSAGE_TYPE.windowAckSize) {
      const size = this.#read('malformed-control', () => readU32Body(message.payload, 'RTMP 1.0 5.4.4'));
      if (size !== undefined) this.#ackWindow = size === 0 ? this.#ownWindow : Math.max(size, SMALLEST_ACK_WINDOW);
      return;
    }
    const event = this.#read('malformed-control', () => readUserControl(message.payload));
    if (event?.eventType === USER_CONTROL.pingRequest) this.#output.pingResponse(event.argument);
  }

  #onCommandMessage(message: RtmpMessage): void {
    // HaishinKit sent empty ones (rtmp-interop C5).
    if (message.payload.length === 0) return;
    const command = this.#read('malformed-command', () =>
      readCommand(message.typeId, message.payload, this.#limits.amf),
    );
    if (command === undefined) this.#ignore(undefined, message);
    else if (!this.#negotiation.take(command, message.messageStreamId)) this.#ignore('command-out-of-order', message);
  }

  /** Reads a body; what does not decode is a fault and not the end. */
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
    this.#sink.onFault?.(code);
  }

  /** A message that means nothing. Too many of them are no RTMP publisher (rtmp-interop B18). */
  #ignore(code: SessionFault | undefined, message: RtmpMessage): void {
    if (code !== undefined) this.#fault(code);
    this.#ignored++;
    if (this.#ignored > this.#limits.ignoredMessages + message.messageNumber / IGNORED_SHARE) {
      throw new WireError(
        'RTMP_TOO_MANY_IGNORED',
        `${this.#ignored} of ${message.messageNumber} messages mean nothing (this one: type ${message.typeId})`,
        'RTMP 1.0 7.1',
        message.byteOffset,
      );
    }
  }
}
