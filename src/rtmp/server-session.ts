/**
 * The server's side of one RTMP connection, without a socket: bytes in, bytes and events out (RTMP 1.0 7.2). Whether a
 * publish is accepted is decided outside, later: `onPublish` asks, `acceptPublish` or `rejectPublish` answers.
 *
 * One publish runs at a time. Media that comes without one is dropped and counted; malformed side messages are too, until
 * they are too many. What breaks the chunk stream or a bound ends the connection with a WireError from `push`.
 */
import { WireError } from '../bytes/wire-error.js';
import type { AmfValue } from './amf/amf-value.js';
import { ChunkDecoder } from './chunk-decoder.js';
import { ServerHandshake } from './handshake/server-handshake.js';
import type { RtmpLimits } from './limits.js';
import type { ChunkFault, MessageSink, RtmpMessage } from './message.js';
import { AggregateSplitter } from './messages/aggregate.js';
import { type Command, readCommand } from './messages/command.js';
import { type ConnectInfo, readConnect } from './messages/connect.js';
import { readU32Body, readUserControl } from './messages/control.js';
import { readDataMessage } from './messages/data.js';
import { type StatusInfo, statusObject } from './messages/status.js';
import { MESSAGE_TYPE, USER_CONTROL } from './protocol.js';
import { ServerOutput } from './server-output.js';
import type { ServerSessionOptions, ServerSessionSink, SessionFault, UnpublishReason } from './server-session-types.js';
import { SESSION_TABLE, type SessionEvent, type SessionState } from './session-states.js';

export type {
  PublishRequest,
  ServerSessionOptions,
  ServerSessionSink,
  SessionFault,
  UnpublishReason,
} from './server-session-types.js';
export type { ConnectInfo, SessionState, StatusInfo };

interface Publish {
  readonly requestId: number;
  readonly streamId: number;
  readonly name: string;
  accepted: boolean;
}

/** A peer that asks for an acknowledgement per packet gets one per this many bytes. */
const SMALLEST_ACK_WINDOW = 16 * 1024;
/** One ignorable message in so many is tolerated for ever, beyond the free ones. */
const IGNORED_SHARE = 16;
/** Metadata is small; a longer data message is not looked into. */
const MAX_DATA_BYTES = 64 * 1024;
const FIRST_STREAM_ID = 1;

export class ServerSession implements MessageSink {
  readonly #limits: RtmpLimits;
  readonly #sink: ServerSessionSink;
  readonly #output: ServerOutput;
  readonly #handshake: ServerHandshake;
  readonly #decoder: ChunkDecoder;
  readonly #aggregates = new AggregateSplitter();
  readonly #takePart = (part: RtmpMessage): void => this.#onMedia(part);
  readonly #chunkSize: number;
  readonly #ownWindow: number;

  #state: SessionState = 'handshake';
  #received = 0;
  #ackWindow: number;
  #acknowledged = 0;
  #ignored = 0;
  #connect: ConnectInfo | undefined;
  /** Set while `onConnect` runs. */
  #connectTransaction: number | undefined;
  readonly #streams = new Set<number>();
  #nextStreamId = FIRST_STREAM_ID;
  #publish: Publish | undefined;
  #publishes = 0;
  #refusedPublishes = 0;
  #fcPublish: number | undefined;
  #statusStreamId = 0;

  constructor(options: ServerSessionOptions) {
    this.#limits = options.limits;
    this.#sink = options.sink;
    this.#chunkSize = options.chunkSize ?? 4096;
    this.#ownWindow = options.windowAckSize ?? 2_500_000;
    this.#ackWindow = this.#ownWindow;
    const write = (bytes: Uint8Array): void => this.#sink.onOutput(bytes);
    this.#output = new ServerOutput(write);
    this.#handshake = new ServerHandshake(options.randomBytes, write);
    this.#decoder = new ChunkDecoder(this, options.limits);
  }

  get state(): SessionState {
    return this.#state;
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
   * Takes what the socket delivered. The buffer must not be written to afterwards: messages refer to it.
   * @throws WireError, after which the connection is good for nothing but an onStatus and the end
   */
  push(bytes: Uint8Array): void {
    this.#received += bytes.length;
    if (this.#state === 'refused') return;
    let from = 0;
    if (this.#state === 'handshake') {
      from = this.#handshake.push(bytes);
      this.#decoder.skip(from);
      if (!this.#handshake.done) return;
      this.#move('handshake');
    }
    if (from < bytes.length) this.#decoder.push(bytes, from);
    // Not before connect is answered: an older librtmp takes the first message for the answer.
    if (this.#connect !== undefined && this.#received - this.#acknowledged >= this.#ackWindow) {
      this.#acknowledged = this.#received;
      this.#output.acknowledgement(this.#received);
    }
  }

  // ---------------------------------------------------------------- answers of the shell

  /** Unfinished messages may now be as large as `limits.unfinishedBytes`. `acceptPublish` does it too. */
  liftLimits(): void {
    this.#decoder.liftLimits();
  }

  /** Lets the encoder send. False: that publish is no longer the one being decided. */
  acceptPublish(requestId: number): boolean {
    const publish = this.#publish;
    if (publish?.requestId !== requestId || !this.#move('accept')) return false;
    publish.accepted = true;
    this.liftLimits();
    const info = { level: 'status', code: 'NetStream.Publish.Start', description: 'Publishing has started.' } as const;
    this.#output.publishStart(publish.streamId, statusObject(info), this.#fcPublish);
    this.#fcPublish = undefined;
    return true;
  }

  /** Tells the encoder why not. What it sends from now on is ignored; the shell closes after a grace. */
  rejectPublish(requestId: number, code: string, description: string): boolean {
    const publish = this.#publish;
    if (publish?.requestId !== requestId || publish.accepted || !this.#move('refuse')) return false;
    this.#publish = undefined;
    this.#output.status(publish.streamId, statusObject({ level: 'error', code, description }));
    return true;
  }

  /** Refuses the connect command; only inside `onConnect`. */
  rejectConnect(code: string, description: string): void {
    if (this.#connectTransaction === undefined || !this.#move('refuse')) return;
    this.#output.error(this.#connectTransaction, statusObject({ level: 'error', code, description }));
  }

  /** An onStatus on the stream of the publish that runs, or of the last one. */
  sendStatus(info: StatusInfo): void {
    this.#output.status(this.#statusStreamId, statusObject(info));
  }

  // ---------------------------------------------------------------- what the decoder delivers

  /** For the chunk decoder. */
  onMessage(message: RtmpMessage): void {
    if (this.#state === 'refused') return;
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
        if (!this.#aggregates.split(message, this.#takePart)) this.#fault('malformed-aggregate');
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
  onFault(code: ChunkFault): void {
    this.#fault(code);
  }

  #onMedia(message: RtmpMessage): void {
    const publish = this.#publish;
    if (this.#state !== 'publishing' || publish === undefined) {
      this.#fault('media-without-publish');
    } else if (message.messageStreamId !== publish.streamId && message.messageStreamId !== 0) {
      this.#fault('media-on-other-stream');
    } else if (message.typeId === MESSAGE_TYPE.video) {
      this.#sink.onVideo(message);
    } else if (message.typeId === MESSAGE_TYPE.audio) {
      this.#sink.onAudio(message);
    } else if (message.typeId === MESSAGE_TYPE.dataAmf0 || message.typeId === MESSAGE_TYPE.dataAmf3) {
      this.#onData(message);
    }
  }

  #onData(message: RtmpMessage): void {
    if (this.#state !== 'publishing') {
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
    else this.#onCommand(command, message);
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

  // ---------------------------------------------------------------- commands

  #onCommand(command: Command, message: RtmpMessage): void {
    if (command.name === 'connect') {
      this.#onConnect(command);
      return;
    }
    if (this.#connect === undefined) {
      this.#ignore('command-out-of-order', message);
      return;
    }
    switch (command.name) {
      case 'createStream':
        this.#onCreateStream(command);
        break;
      case 'publish':
        this.#onPublish(command, message.messageStreamId);
        break;
      case 'FCPublish':
        // Encoders that wait for onFCPublish want their transaction id in it (rtmp-interop C13).
        if (this.#publish === undefined) this.#fcPublish = command.transactionId;
        this.#answer(command, undefined);
        break;
      case 'FCUnpublish':
        this.#answer(command, undefined);
        if (this.#publish !== undefined && namesSame(command.args[0], this.#publish.name))
          this.#unpublish('FCUnpublish');
        break;
      case 'deleteStream':
        this.#onDeleteStream(command);
        break;
      case 'closeStream':
        if (message.messageStreamId === 0 || message.messageStreamId === this.#publish?.streamId) {
          this.#unpublish('closeStream');
        }
        break;
      case 'getStreamLength':
        this.#answer(command, 0);
        break;
      case 'play':
      case 'play2':
        this.#output.status(
          message.messageStreamId,
          statusObject({
            level: 'error',
            code: 'NetStream.Play.Failed',
            description: 'This server takes streams in and plays none.',
          }),
        );
        break;
      case '_result':
      case '_error':
      case 'onStatus':
      case 'close':
        // Answering an answer could go on for ever.
        break;
      default:
        // releaseStream, _checkbw and whatever else an encoder asks: an error would stop some (rtmp-interop C15, C16).
        this.#answer(command, undefined);
    }
  }

  #answer(command: Command, value: AmfValue): void {
    if (command.transactionId !== 0) this.#output.result(command.transactionId, value);
  }

  #onConnect(command: Command): void {
    if (this.#connect !== undefined) {
      this.#fault('command-out-of-order');
      return;
    }
    const info = readConnect(command);
    this.#connect = info;
    this.#move('connect');
    this.#connectTransaction = command.transactionId;
    this.#sink.onConnect?.(info);
    this.#connectTransaction = undefined;
    if (this.#state === 'connected') {
      this.#output.connectSuccess(command.transactionId, this.#ownWindow, this.#chunkSize);
    }
  }

  #onCreateStream(command: Command): void {
    if (this.#streams.size >= this.#limits.messageStreams) {
      const description = `This connection has ${this.#streams.size} streams already.`;
      const code = 'NetConnection.Call.Failed';
      this.#output.error(command.transactionId, statusObject({ level: 'error', code, description }));
      return;
    }
    const streamId = this.#nextStreamId++;
    this.#streams.add(streamId);
    this.#output.result(command.transactionId, streamId);
  }

  #onPublish(command: Command, sentOn: number): void {
    const name = typeof command.args[0] === 'string' ? command.args[0] : '';
    const type = typeof command.args[1] === 'string' ? command.args[1] : 'live';
    const streamId = this.#publishStream(sentOn);
    const running = this.#publish;
    if (streamId === undefined) {
      this.#refusePublish(sentOn, `Stream ${sentOn} was not created. Send createStream before publish.`);
      return;
    }
    if (running !== undefined) {
      if (running.streamId !== streamId) {
        this.#refusePublish(streamId, 'This connection publishes another stream already. Use one connection a stream.');
        return;
      }
      // Asked twice for the same: IP cameras mix two styles (rtmp-interop C14).
      if (running.name === name) return;
      this.#unpublish('republish');
    }
    if (!this.#move('publish')) return;
    const requestId = ++this.#publishes;
    this.#publish = { requestId, streamId, name, accepted: false };
    this.#statusStreamId = streamId;
    const { app = '', tcUrl = '', flashVer = '' } = this.#connect ?? {};
    this.#sink.onPublish({ requestId, app, tcUrl, name, type, flashVer, streamId });
  }

  /** Which stream a publish means (rtmp-interop B8, C12); undefined when there is no such stream. */
  #publishStream(sentOn: number): number | undefined {
    if (this.#streams.has(sentOn)) return sentOn;
    // Sent before createStream, on the id that it would have given; or without createStream, on 0.
    if (this.#streams.size === 0 && sentOn <= FIRST_STREAM_ID) return sentOn;
    // A header without stream id reads as 0, while the client waits on the id that it was given.
    if (sentOn === 0) return this.#nextStreamId - 1;
    return undefined;
  }

  /** A publish that cannot be, while the connection goes on. */
  #refusePublish(streamId: number, description: string): void {
    this.#fault('second-publish');
    if (++this.#refusedPublishes > this.#limits.messageStreams) {
      throw new WireError(
        'RTMP_TOO_MANY_PUBLISHES',
        'refused publishes without end',
        'RTMP 1.0 7.2.2.6',
        this.#received,
      );
    }
    const code = 'NetStream.Publish.BadName';
    this.#output.status(streamId, statusObject({ level: 'error', code, description }));
  }

  #onDeleteStream(command: Command): void {
    const streamId = command.args[0];
    this.#answer(command, undefined);
    if (typeof streamId === 'number') this.#streams.delete(streamId);
    const publish = this.#publish;
    if (publish !== undefined && (publish.streamId === 0 || streamId === publish.streamId)) {
      this.#unpublish('deleteStream');
    }
  }

  #unpublish(reason: UnpublishReason): void {
    const publish = this.#publish;
    if (publish === undefined || !this.#move('unpublish')) return;
    this.#publish = undefined;
    this.#fcPublish = undefined;
    if (publish.accepted) {
      const info = {
        level: 'status',
        code: 'NetStream.Unpublish.Success',
        description: 'The stream has ended.',
      } as const;
      this.#output.status(publish.streamId, statusObject(info));
    }
    this.#sink.onUnpublish(reason, publish.streamId);
  }

  // ---------------------------------------------------------------- bookkeeping

  #move(event: SessionEvent): boolean {
    const next = SESSION_TABLE[this.#state][event];
    if (next === undefined) return false;
    this.#state = next;
    return true;
  }

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

/** FCUnpublish names what it ends; some encoders drop the query, some send no name. */
function namesSame(given: AmfValue, name: string): boolean {
  const part = (text: string): string | undefined => text.split('?', 1)[0];
  return typeof given !== 'string' || given === '' || part(given) === part(name);
}
