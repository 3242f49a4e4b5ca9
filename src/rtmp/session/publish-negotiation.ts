/**
 * The commands of a publisher (RTMP 1.0 7.2): connect, createStream, publish and related ones, answered as encoders expect.
 * One publish is active at a time. State transitions: `session-states.ts`.
 */
import { WireError } from '../../bytes/wire-error.js';
import type { AmfValue } from '../amf/amf-value.js';
import { CAPS_EX, SERVER_CAPABILITIES } from '../messages/capabilities.js';
import type { Command } from '../messages/command.js';
import { type ConnectInfo, readConnect } from '../messages/connect.js';
import { type StatusInfo, statusObject } from '../messages/status.js';
import { MessageStreams } from './message-streams.js';
import type { ServerOutput } from './server-output.js';
import type { ServerSessionSink, SessionFault, UnpublishReason } from './server-session-types.js';
import { SESSION_TABLE, type SessionEvent, type SessionState } from './session-states.js';

interface Publish {
  readonly requestId: number;
  readonly streamId: number;
  readonly name: string;
  accepted: boolean;
}

export interface PublishNegotiationOptions {
  readonly sink: ServerSessionSink;
  readonly output: ServerOutput;
  readonly windowAckSize: number;
  readonly chunkSize: number;
  readonly maxMessageStreams: number;
}

export class PublishNegotiation {
  readonly #sink: ServerSessionSink;
  readonly #output: ServerOutput;
  readonly #options: PublishNegotiationOptions;
  readonly #streams = new MessageStreams();
  #state: SessionState = 'handshake';
  #connect: ConnectInfo | undefined;
  /** Set while `onConnect` runs. */
  #connectTransaction: number | undefined;
  #publish: Publish | undefined;
  #publishes = 0;
  #refusedPublishes = 0;
  #fcPublish: number | undefined;
  #statusStreamId = 0;

  constructor(options: PublishNegotiationOptions) {
    this.#options = options;
    this.#sink = options.sink;
    this.#output = options.output;
  }

  get state(): SessionState {
    return this.#state;
  }

  get connected(): boolean {
    return this.#connect !== undefined;
  }

  /** Message stream of the publish; -1 without one. */
  get publishStreamId(): number {
    return this.#publish?.streamId ?? -1;
  }

  /** The handshake is complete; chunks follow. */
  handshakeDone(): void {
    this.#move('handshake');
  }

  /** Accepts the publish. False: `requestId` is not the pending request. */
  accept(requestId: number): boolean {
    const publish = this.#publish;
    if (publish?.requestId !== requestId || !this.#move('accept')) return false;
    publish.accepted = true;
    const info = { level: 'status', code: 'NetStream.Publish.Start', description: 'Publishing has started.' } as const;
    this.#output.publishStart(publish.streamId, statusObject(info), this.#fcPublish);
    this.#fcPublish = undefined;
    return true;
  }

  /** Refuses the publish. Further input is ignored; the caller closes the connection after a grace period. */
  reject(requestId: number, code: string, description: string): boolean {
    const publish = this.#publish;
    if (publish?.requestId !== requestId || publish.accepted || !this.#move('refuse')) return false;
    this.#publish = undefined;
    this.#output.status(publish.streamId, statusObject({ level: 'error', code, description }));
    return true;
  }

  /** Refuses the connect command; valid only during `onConnect`. */
  rejectConnect(code: string, description: string): boolean {
    if (this.#connectTransaction === undefined || !this.#move('refuse')) return false;
    this.#output.error(this.#connectTransaction, statusObject({ level: 'error', code, description }));
    return true;
  }

  /** Sends onStatus on the stream of the active or last publish. */
  sendStatus(info: StatusInfo): void {
    this.#output.status(this.#statusStreamId, statusObject(info));
  }

  /** On the connection, not on the stream. False: the client did not offer to reconnect. */
  requestReconnect(description: string): boolean {
    if (((this.#connect?.capabilities?.capsEx ?? 0) & CAPS_EX.reconnect) === 0) return false;
    const code = 'NetConnection.Connect.ReconnectRequest';
    this.#output.status(0, statusObject({ level: 'status', code, description }));
    return true;
  }

  // ---------------------------------------------------------------- commands

  /** Processes a command. False: it came before connect and was ignored. */
  take(command: Command, sentOn: number): boolean {
    if (command.name === 'connect') this.#onConnect(command);
    else if (this.#connect !== undefined) this.#onCommand(command, sentOn);
    else return false;
    return true;
  }

  #onCommand(command: Command, sentOn: number): void {
    switch (command.name) {
      case 'createStream':
        this.#onCreateStream(command);
        break;
      case 'publish':
        this.#onPublish(command, sentOn);
        break;
      case 'FCPublish':
        // Encoders that wait for onFCPublish expect their transaction ID in it.
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
        if (sentOn === 0 || sentOn === this.#publish?.streamId) {
          this.#unpublish('closeStream');
        }
        break;
      case 'getStreamLength':
        this.#answer(command, 0);
        break;
      case 'play':
      case 'play2':
        this.#output.status(
          sentOn,
          statusObject({
            level: 'error',
            code: 'NetStream.Play.Failed',
            description: 'This server accepts publishing only; it does not support play.',
          }),
        );
        break;
      case '_result':
      case '_error':
      case 'onStatus':
      case 'close':
        // Answers are not answered, or two peers could loop.
        break;
      default:
        // releaseStream, _checkbw and any other call: an error would stop some encoders.
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
      // Clients without Enhanced RTMP get the answer that they know.
      const capabilities = info.capabilities === undefined ? undefined : SERVER_CAPABILITIES;
      this.#output.connectSuccess(command.transactionId, this.#options, capabilities);
    }
  }

  #onCreateStream(command: Command): void {
    if (this.#streams.size >= this.#options.maxMessageStreams) {
      const description = `This connection already has ${this.#streams.size} streams, the maximum.`;
      const code = 'NetConnection.Call.Failed';
      this.#output.error(command.transactionId, statusObject({ level: 'error', code, description }));
      return;
    }
    this.#output.result(command.transactionId, this.#streams.create());
  }

  #onPublish(command: Command, sentOn: number): void {
    const name = typeof command.args[0] === 'string' ? command.args[0] : '';
    const type = typeof command.args[1] === 'string' ? command.args[1] : 'live';
    const streamId = this.#streams.resolve(sentOn);
    const running = this.#publish;
    if (streamId === undefined) {
      this.#refusePublish(sentOn, `Stream ${sentOn} was not created. Send createStream before publish.`);
      return;
    }
    if (running !== undefined) {
      if (running.streamId !== streamId) {
        this.#refusePublish(
          streamId,
          'This connection already publishes another stream. Use one connection per stream.',
        );
        return;
      }
      // A repeated publish of the same name: some IP cameras mix two command styles.
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

  /** Refuses an invalid publish without ending the connection. */
  #refusePublish(streamId: number, description: string): void {
    this.#fault('second-publish');
    if (++this.#refusedPublishes > this.#options.maxMessageStreams) {
      throw new WireError('RTMP_TOO_MANY_PUBLISHES', 'too many refused publishes', 'RTMP 1.0 7.2.2.6');
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

  #move(event: SessionEvent): boolean {
    const next = SESSION_TABLE[this.#state][event];
    if (next === undefined) return false;
    this.#state = next;
    return true;
  }

  #fault(code: SessionFault): void {
    this.#sink.onFault?.(code);
  }
}

/** Whether FCUnpublish names the active publish; some encoders omit the query or the name. */
function namesSame(given: AmfValue, name: string): boolean {
  const part = (text: string): string | undefined => text.split('?', 1)[0];
  return typeof given !== 'string' || given === '' || part(given) === part(name);
}
