/** What a client session is given, and what it tells. */
import type { AmfObject, AmfValue } from '../amf/amf-value.js';
import type { DigestScheme } from '../handshake/digest.js';
import type { RtmpLimits } from '../limits.js';
import type { RtmpMessage } from '../messages/message.js';

export interface ClientSessionSink {
  /** One message or a burst: one write. */
  onOutput(bytes: Uint8Array): void;
  /** NetStream.Publish.Start has come: media may be sent. */
  onPublishing(): void;
  /** The server said no to connect, createStream or publish. `info` has at least `code` and `description`, maybe empty. */
  onRefused(info: ClientStatus): void;
  /** Every onStatus, those that made `onPublishing` or `onRefused` included. */
  onStatus?(info: ClientStatus, messageStreamId: number): void;
  /** Any other message of the server; payload as in `RtmpMessage`. */
  onMessage?(message: RtmpMessage): void;
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
  /** The publish name: the key, with its query if it has one. */
  readonly name: string;
  readonly flashVer?: string;
  /** Enhanced RTMP: written as a strict array into connect. */
  readonly fourCcList?: readonly string[];
  /** More members of the connect object. */
  readonly connectProperties?: Readonly<Record<string, AmfValue>>;
  /** Of what we send; told to the server before connect. Default 4096; 128 is not told, being the default of RTMP. */
  readonly chunkSize?: number;
  /** For audio, video and data. Default 4, as OBS has it. */
  readonly mediaChunkStreamId?: number;
  readonly headers?: 'full' | 'delta';
  readonly omitRepeatedTimestamps?: boolean;
  /** Added to the time of all media. Default 0. */
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
