/** Options and events of a client session. */
import type { AmfObject, AmfValue } from '../amf/amf-value.js';
import type { DigestScheme } from '../handshake/digest.js';
import type { RtmpLimits } from '../limits.js';
import type { RtmpMessage } from '../messages/message.js';

export interface ClientSessionSink {
  /** Bytes to be sent in one write: one message or several. */
  send(bytes: Uint8Array): void;
  /** Every onStatus, after the state of the session has followed it. */
  takeStatus?(info: ClientStatus, messageStreamId: number): void;
  /** Any other message from the server; payload as in `RtmpMessage`. */
  takeMessage?(message: RtmpMessage): void;
}

export interface ClientStatus {
  readonly level: string;
  readonly code: string;
  readonly description: string;
  /** All members of the information object. */
  readonly fields: Readonly<AmfObject>;
}

export interface ClientSessionOptions {
  readonly randomBytes: (count: number) => Uint8Array;
  readonly sink: ClientSessionSink;
  readonly app: string;
  readonly tcUrl: string;
  /** The publish name: the stream key, with an optional query. */
  readonly name: string;
  readonly flashVer?: string;
  /** Enhanced RTMP: sent in connect as a strict array. */
  readonly fourCcList?: readonly string[];
  /** More members of the connect object. */
  readonly connectProperties?: Readonly<Record<string, AmfValue>>;
  /** Chunk size of messages we send, announced before connect. Default 4096; 128, the default of RTMP, is not announced. */
  readonly chunkSize?: number;
  /** Chunk stream of audio, video and data. Default 4, as in OBS. */
  readonly mediaChunkStreamId?: number;
  readonly headers?: 'full' | 'delta';
  readonly omitRepeatedTimestamps?: boolean;
  /** Added to the timestamps of all media. Default 0. */
  readonly timestampOffsetMs?: number;
  /** Absent: the plain handshake. */
  readonly digest?: DigestScheme;
  readonly limits?: RtmpLimits;
}

export type ClientState =
  | 'handshake'
  | 'connecting'
  | 'creating'
  | 'publishing-asked'
  | 'publishing'
  | 'refused'
  | 'closed';
