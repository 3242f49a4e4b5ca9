/** The publisher's command sequence from the handshake to an active publish and to its end. */
import { type AmfValue, amfObject, isAmfObject } from '../amf/amf-value.js';
import { type Capabilities, readCapabilities } from '../messages/capabilities.js';
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
  #state: ClientState = 'handshake';
  #refusal: ClientStatus | undefined;
  #streamId = 0;
  #peerCapabilities: Capabilities | undefined;

  constructor(options: ClientSessionOptions) {
    this.#options = options;
  }

  get state(): ClientState {
    return this.#state;
  }

  get refusal(): ClientStatus | undefined {
    return this.#refusal;
  }

  get peerCapabilities(): Capabilities | undefined {
    return this.#peerCapabilities;
  }

  get streamId(): number {
    return this.#streamId;
  }

  /** The first command, once the handshake is complete. */
  connect(): ClientCommand {
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
    return connectionCommand('connect', CONNECT, properties);
  }

  /** Ends the publish, and returns the commands for it: FCUnpublish, deleteStream. */
  close(): readonly ClientCommand[] {
    const wasPublishing = this.#state === 'publishing';
    this.#state = 'closed';
    if (!wasPublishing) return [];
    return [
      connectionCommand('FCUnpublish', FC_UNPUBLISH, null, this.#options.name),
      connectionCommand('deleteStream', 0, null, this.#streamId),
    ];
  }

  /** Processes an answer of the server, and returns the commands that follow, to be sent in one write. */
  answered(command: Command): readonly ClientCommand[] {
    if (command.name === '_result') return this.#next(command);
    // A server may not support releaseStream and FCPublish.
    const isOptional = command.transactionId === RELEASE_STREAM || command.transactionId === FC_PUBLISH;
    if (command.name === '_error' && !isOptional) this.#refused(readStatus(command));
    return [];
  }

  #next(command: Command): readonly ClientCommand[] {
    const { name } = this.#options;
    if (command.transactionId === CONNECT && this.#state === 'connecting') {
      this.#state = 'creating';
      this.#peerCapabilities = isAmfObject(command.object) ? readCapabilities(command.object) : undefined;
      // In one write, without waiting for answers, as OBS does.
      return [
        connectionCommand('releaseStream', RELEASE_STREAM, null, name),
        connectionCommand('FCPublish', FC_PUBLISH, null, name),
        connectionCommand('createStream', CREATE_STREAM, null),
      ];
    }
    if (command.transactionId === CREATE_STREAM && this.#state === 'creating') {
      this.#state = 'publishing-asked';
      const streamId = command.args[0];
      // Stream IDs have 32 bits; any other value is taken as 1, the usual first ID.
      this.#streamId = typeof streamId === 'number' && streamId >>> 0 === streamId ? streamId : 1;
      const values = [null, name, 'live'];
      return [{ messageStreamId: this.#streamId, name: 'publish', transactionId: PUBLISH, values }];
    }
    // Some servers answer the publish with a result and send no onStatus, as OBS accepts.
    if (command.transactionId === PUBLISH && this.#state === 'publishing-asked') this.#state = 'publishing';
    return [];
  }

  /** Follows an onStatus of the server. */
  follow(status: ClientStatus): void {
    if (this.#state !== 'publishing-asked') return;
    if (status.code === 'NetStream.Publish.Start') this.#state = 'publishing';
    else if (status.level === 'error') this.#refused(status);
  }

  #refused(info: ClientStatus): void {
    this.#state = 'refused';
    this.#refusal = info;
  }
}

function connectionCommand(name: string, transactionId: number, ...values: readonly AmfValue[]): ClientCommand {
  return { messageStreamId: 0, name, transactionId, values };
}

/** Reads the information object, the last argument of onStatus and `_error`. */
export function readStatus(command: Command): ClientStatus {
  const info = command.args.find(isAmfObject);
  const fields = info ?? amfObject();
  const text = (value: AmfValue): string => (typeof value === 'string' ? value : '');
  return { level: text(fields.level), code: text(fields.code), description: text(fields.description), fields };
}
