/** The publisher's command sequence from the handshake to an active publish and to its end. */
import { type AmfValue, amfObject, isAmfObject } from '../amf/amf-value.js';
import type { Command } from '../messages/command.js';
import type { ClientSessionOptions, ClientState, ClientStatus } from './client-session-types.js';

const CONNECT = 1;
const RELEASE_STREAM = 2;
const FC_PUBLISH = 3;
const CREATE_STREAM = 4;
const PUBLISH = 5;
const FC_UNPUBLISH = 6;
const DEFAULT_FLASH_VERSION = 'FMLE/3.0 (compatible; Airlock)';

export interface ClientCommand {
  /** 0 addresses the connection. */
  readonly messageStreamId: number;
  readonly name: string;
  readonly transactionId: number;
  readonly values: readonly AmfValue[];
}

export class ClientNegotiation {
  readonly #options: ClientSessionOptions;
  /** Sends the commands in one write. */
  readonly #send: (...commands: readonly ClientCommand[]) => void;
  #state: ClientState = 'handshake';
  #streamId = 0;

  constructor(options: ClientSessionOptions, send: (...commands: readonly ClientCommand[]) => void) {
    this.#options = options;
    this.#send = send;
  }

  get state(): ClientState {
    return this.#state;
  }

  get streamId(): number {
    return this.#streamId;
  }

  /** Call when the handshake is complete. */
  connect(): void {
    this.#state = 'connecting';
    const { app, tcUrl, flashVer, fourCcList, connectProperties } = this.#options;
    const properties = amfObject({
      app,
      type: 'nonprivate',
      flashVer: flashVer ?? DEFAULT_FLASH_VERSION,
      tcUrl,
      ...(fourCcList === undefined ? {} : { fourCcList: [...fourCcList] }),
      ...connectProperties,
    });
    this.#send(onConnection('connect', CONNECT, properties));
  }

  /** Ends the publish: FCUnpublish, deleteStream. */
  close(): void {
    if (this.#state === 'publishing') {
      this.#send(onConnection('FCUnpublish', FC_UNPUBLISH, null, this.#options.name));
      this.#send(onConnection('deleteStream', 0, null, this.#streamId));
    }
    this.#state = 'closed';
  }

  /** Processes a command from the server. */
  take(command: Command, messageStreamId: number): void {
    switch (command.name) {
      case '_result':
        this.#onResult(command);
        break;
      case '_error':
        // A server may not support releaseStream and FCPublish.
        if (command.transactionId !== RELEASE_STREAM && command.transactionId !== FC_PUBLISH) {
          this.#refused(readStatus(command));
        }
        break;
      case 'onStatus':
        this.#onStatus(readStatus(command), messageStreamId);
        break;
      default:
        break;
    }
  }

  #onResult(command: Command): void {
    const { name } = this.#options;
    if (command.transactionId === CONNECT && this.#state === 'connecting') {
      this.#state = 'creating';
      // In one write, without waiting for answers, as OBS does.
      this.#send(
        onConnection('releaseStream', RELEASE_STREAM, null, name),
        onConnection('FCPublish', FC_PUBLISH, null, name),
        onConnection('createStream', CREATE_STREAM, null),
      );
    } else if (command.transactionId === CREATE_STREAM && this.#state === 'creating') {
      this.#state = 'publishing-asked';
      const streamId = command.args[0];
      // Stream IDs have 32 bits; any other value is taken as 1, the usual first ID.
      this.#streamId = typeof streamId === 'number' && streamId >>> 0 === streamId ? streamId : 1;
      const values = [null, name, 'live'];
      this.#send({ messageStreamId: this.#streamId, name: 'publish', transactionId: PUBLISH, values });
    }
  }

  #onStatus(info: ClientStatus, messageStreamId: number): void {
    const { sink } = this.#options;
    sink.onStatus?.(info, messageStreamId);
    if (this.#state !== 'publishing-asked') return;
    if (info.code === 'NetStream.Publish.Start') {
      this.#state = 'publishing';
      sink.onPublishing();
    } else if (info.level === 'error') {
      this.#refused(info);
    }
  }

  #refused(info: ClientStatus): void {
    this.#state = 'refused';
    this.#options.sink.onRefused(info);
  }
}

function onConnection(name: string, transactionId: number, ...values: readonly AmfValue[]): ClientCommand {
  return { messageStreamId: 0, name, transactionId, values };
}

/** Reads the information object, the last argument of onStatus and `_error`. */
function readStatus(command: Command): ClientStatus {
  const info = command.args.find(isAmfObject);
  const fields = info ?? amfObject();
  const text = (value: AmfValue): string => (typeof value === 'string' ? value : '');
  return { level: text(fields.level), code: text(fields.code), description: text(fields.description), fields };
}
