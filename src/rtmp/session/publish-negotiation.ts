/**
 * The commands of a publisher (RTMP 1.0 7.2): connect, createStream, publish and related ones, answered as encoders expect.
 * One publish is active at a time. State transitions: `session-states.ts`.
 */
import { WireError } from '../../bytes/wire-error.js';
import type { AmfValue } from '../amf/amf-value.js';
import { CAPS_EX, SERVER_CAPABILITIES } from '../messages/capabilities.js';
import { type Command, type StatusInfo, statusObject } from '../messages/command.js';
import { type ConnectInfo, readConnect } from '../messages/connect.js';
import type { ServerOutput } from './server-output.js';
import type { PublishRequest, SessionFault, UnpublishReason } from './server-session-types.js';

/** State table of the server session. Events that are not listed for a state are ignored. */
export type SessionState =
  /** C0, C1 and C2 have not all arrived. */
  | 'handshake'
  /** Chunks are read; the connect command has not arrived. */
  | 'handshaken'
  | 'connected'
  /** A publish was requested; the decision is pending. */
  | 'deciding'
  | 'publishing'
  /** The publish was refused. Input is counted and discarded until the connection is closed. */
  | 'refused';

export type SessionEvent = 'handshake' | 'connect' | 'publish' | 'accept' | 'unpublish' | 'refuse';

export const SESSION_TABLE: Readonly<Record<SessionState, Readonly<Partial<Record<SessionEvent, SessionState>>>>> = {
  handshake: { handshake: 'handshaken' },
  handshaken: { connect: 'connected' },
  connected: { publish: 'deciding' },
  deciding: { accept: 'publishing', unpublish: 'connected', refuse: 'refused' },
  publishing: { unpublish: 'connected', refuse: 'refused' },
  refused: {},
};

/** Outcome of a command, for the session to pass on. */
export type Step =
  | { readonly kind: 'answer'; readonly bytes: Uint8Array }
  | { readonly kind: 'publish'; readonly request: PublishRequest }
  | { readonly kind: 'unpublish'; readonly reason: UnpublishReason; readonly streamId: number }
  | { readonly kind: 'fault'; readonly code: SessionFault };

type Steps = readonly Step[];
const NOTHING: Steps = [];

interface Publish {
  readonly requestId: number;
  readonly streamId: number;
  readonly name: string;
  accepted: boolean;
}

/** First ID returned by createStream. Clients that do not wait for the answer assume it. */
const FIRST_ID = 1;

/** The message streams of a connection, and the one that a publish refers to. */
class MessageStreams {
  readonly #ids = new Set<number>();
  #next = FIRST_ID;

  get size(): number {
    return this.#ids.size;
  }

  create(): number {
    const id = this.#next++;
    this.#ids.add(id);
    return id;
  }

  delete(id: number): void {
    this.#ids.delete(id);
  }

  /** The stream that a publish sent on `id` refers to, or undefined if there is none. */
  resolve(id: number): number | undefined {
    if (this.#ids.has(id)) return id;
    // Sent before createStream, on the ID that it will return; or without createStream, on 0.
    if (this.#ids.size === 0 && id <= FIRST_ID) return id;
    // A chunk header without a stream ID reads as 0, but the client expects answers on its created stream.
    if (id === 0) return this.#next - 1;
    return undefined;
  }
}

export interface PublishNegotiationOptions {
  readonly output: ServerOutput;
  readonly windowAckSize: number;
  readonly chunkSize: number;
  readonly maxMessageStreams: number;
}

export class PublishNegotiation {
  readonly #output: ServerOutput;
  readonly #options: PublishNegotiationOptions;
  readonly #streams = new MessageStreams();
  #state: SessionState = 'handshake';
  #connect: ConnectInfo | undefined;
  #publish: Publish | undefined;
  #publishes = 0;
  #refusedPublishes = 0;
  #fcPublish: number | undefined;
  #statusStreamId = 0;

  constructor(options: PublishNegotiationOptions) {
    this.#options = options;
    this.#output = options.output;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Fields of the connect command; undefined before it. */
  get connectInfo(): ConnectInfo | undefined {
    return this.#connect;
  }

  /** Message stream of the publish; -1 without one. */
  get publishStreamId(): number {
    return this.#publish?.streamId ?? -1;
  }

  /** The handshake is complete; chunks follow. */
  handshakeDone(): void {
    this.#move('handshake');
  }

  /** Accepts the publish, and returns the answer. Undefined: `requestId` is not the pending request. */
  accept(requestId: number): Uint8Array | undefined {
    const publish = this.#publish;
    if (publish?.requestId !== requestId || !this.#move('accept')) return undefined;
    publish.accepted = true;
    const info = { level: 'status', code: 'NetStream.Publish.Start', description: 'Publishing has started.' } as const;
    const answer = this.#output.publishStart(publish.streamId, statusObject(info), this.#fcPublish);
    this.#fcPublish = undefined;
    return answer;
  }

  /** Refuses the publish, and returns the answer. Further input is ignored; the caller closes the connection after a grace period. */
  reject(requestId: number, code: string, description: string): Uint8Array | undefined {
    const publish = this.#publish;
    if (publish?.requestId !== requestId || publish.accepted || !this.#move('refuse')) return undefined;
    this.#publish = undefined;
    return this.#output.status(publish.streamId, statusObject({ level: 'error', code, description }));
  }

  /** An onStatus on the stream of the active or last publish. */
  status(info: StatusInfo): Uint8Array {
    return this.#output.status(this.#statusStreamId, statusObject(info));
  }

  /** A request on the connection, not on the stream. Undefined: the client did not offer to reconnect. */
  reconnectRequest(description: string): Uint8Array | undefined {
    if (((this.#connect?.capabilities?.capsEx ?? 0) & CAPS_EX.reconnect) === 0) return undefined;
    const code = 'NetConnection.Connect.ReconnectRequest';
    return this.#output.status(0, statusObject({ level: 'status', code, description }));
  }

  // ---------------------------------------------------------------- commands

  /** Processes a command. Undefined: it came before connect and was ignored. */
  take(command: Command, sentOn: number): Steps | undefined {
    if (command.name === 'connect') return [this.#connected(command)];
    return this.#connect === undefined ? undefined : this.#steps(command, sentOn);
  }

  #steps(command: Command, sentOn: number): Steps {
    switch (command.name) {
      case 'createStream':
        return [answer(this.#createStream(command))];
      case 'publish':
        return this.#request(command, sentOn);
      case 'FCPublish':
        // Encoders that wait for onFCPublish expect their transaction ID in it.
        if (this.#publish === undefined) this.#fcPublish = command.transactionId;
        return this.#result(command, undefined);
      case 'FCUnpublish': {
        const result = this.#result(command, undefined);
        if (this.#publish === undefined || !namesSame(command.args[0], this.#publish.name)) return result;
        return [...result, ...this.#unpublish('FCUnpublish')];
      }
      case 'deleteStream':
        return [...this.#result(command, undefined), ...this.#deleteStream(command.args[0])];
      case 'closeStream':
        return sentOn === 0 || sentOn === this.#publish?.streamId ? this.#unpublish('closeStream') : NOTHING;
      case 'getStreamLength':
        return this.#result(command, 0);
      case 'play':
      case 'play2': {
        const code = 'NetStream.Play.Failed';
        const description = 'This server accepts publishing only; it does not support play.';
        return [answer(this.#output.status(sentOn, statusObject({ level: 'error', code, description })))];
      }
      case '_result':
      case '_error':
      case 'onStatus':
      case 'close':
        // Answers are not answered, or two peers could loop.
        return NOTHING;
      default:
        // releaseStream, _checkbw and any other call: an error would stop some encoders.
        return this.#result(command, undefined);
    }
  }

  #result(command: Command, value: AmfValue): Steps {
    return command.transactionId === 0 ? NOTHING : [answer(this.#output.result(command.transactionId, value))];
  }

  #connected(command: Command): Step {
    if (this.#connect !== undefined) return { kind: 'fault', code: 'command-out-of-order' };
    const info = readConnect(command);
    this.#connect = info;
    this.#move('connect');
    // Clients without Enhanced RTMP get the answer that they know.
    const capabilities = info.capabilities === undefined ? undefined : SERVER_CAPABILITIES;
    return answer(this.#output.connectSuccess(command.transactionId, this.#options, capabilities));
  }

  #createStream(command: Command): Uint8Array {
    if (this.#streams.size < this.#options.maxMessageStreams)
      return this.#output.result(command.transactionId, this.#streams.create());
    const description = `This connection already has ${this.#streams.size} streams, the maximum.`;
    const code = 'NetConnection.Call.Failed';
    return this.#output.error(command.transactionId, statusObject({ level: 'error', code, description }));
  }

  #request(command: Command, sentOn: number): Steps {
    const name = typeof command.args[0] === 'string' ? command.args[0] : '';
    const type = typeof command.args[1] === 'string' ? command.args[1] : 'live';
    const streamId = this.#streams.resolve(sentOn);
    const running = this.#publish;
    if (streamId === undefined)
      return this.#refusePublish(sentOn, `Stream ${sentOn} was not created. Send createStream before publish.`);
    if (running !== undefined && running.streamId !== streamId) {
      const description = 'This connection already publishes another stream. Use one connection per stream.';
      return this.#refusePublish(streamId, description);
    }
    // A repeated publish of the same name: some IP cameras mix two command styles.
    if (running?.name === name) return NOTHING;
    const before = this.#unpublish('republish');
    if (!this.#move('publish')) return before;
    const requestId = ++this.#publishes;
    this.#publish = { requestId, streamId, name, accepted: false };
    this.#statusStreamId = streamId;
    const { app = '', tcUrl = '', flashVer = '' } = this.#connect ?? {};
    return [...before, { kind: 'publish', request: { requestId, app, tcUrl, name, type, flashVer, streamId } }];
  }

  /** Refuses an invalid publish without ending the connection. */
  #refusePublish(streamId: number, description: string): Steps {
    if (++this.#refusedPublishes > this.#options.maxMessageStreams) {
      throw new WireError('RTMP_TOO_MANY_PUBLISHES', 'too many refused publishes', 'RTMP 1.0 7.2.2.6');
    }
    const code = 'NetStream.Publish.BadName';
    const bytes = this.#output.status(streamId, statusObject({ level: 'error', code, description }));
    return [{ kind: 'fault', code: 'second-publish' }, answer(bytes)];
  }

  #deleteStream(streamId: AmfValue): Steps {
    if (typeof streamId === 'number') this.#streams.delete(streamId);
    const publish = this.#publish;
    const isOfPublish = publish !== undefined && (publish.streamId === 0 || streamId === publish.streamId);
    return isOfPublish ? this.#unpublish('deleteStream') : NOTHING;
  }

  #unpublish(reason: UnpublishReason): Steps {
    const publish = this.#publish;
    if (publish === undefined || !this.#move('unpublish')) return NOTHING;
    this.#publish = undefined;
    this.#fcPublish = undefined;
    const { streamId } = publish;
    const ended: Step = { kind: 'unpublish', reason, streamId };
    if (!publish.accepted) return [ended];
    const code = 'NetStream.Unpublish.Success';
    const info = { level: 'status', code, description: 'The stream has ended.' } as const;
    return [answer(this.#output.status(streamId, statusObject(info))), ended];
  }

  #move(event: SessionEvent): boolean {
    const next = SESSION_TABLE[this.#state][event];
    if (next === undefined) return false;
    this.#state = next;
    return true;
  }
}

function answer(bytes: Uint8Array): Step {
  return { kind: 'answer', bytes };
}

/** Whether FCUnpublish names the active publish; some encoders omit the query or the name. */
function namesSame(given: AmfValue, name: string): boolean {
  const part = (text: string): string | undefined => text.split('?', 1)[0];
  return typeof given !== 'string' || given === '' || part(given) === part(name);
}
