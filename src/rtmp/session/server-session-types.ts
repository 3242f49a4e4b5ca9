/** Options and events of a server session. */
import type { PartialFrame } from '../../bytes/partial-frame.js';
import type { SliceList } from '../../bytes/slices.js';
import type { AmfValue } from '../amf/amf-value.js';
import type { RtmpLimits } from '../limits.js';
import type { ChunkFault, RtmpMessage } from '../messages/message.js';

export interface PublishRequest {
  /** Identifies this publish in `acceptPublish` and `rejectPublish`. */
  readonly requestId: number;
  readonly app: string;
  readonly tcUrl: string;
  /** Name as sent, with its query; empty if the encoder has one URL field and put the stream key into the app. */
  readonly name: string;
  /** `live`, `record` or `append`, as sent. */
  readonly type: string;
  readonly flashVer: string;
  readonly streamId: number;
}

export type UnpublishReason = 'FCUnpublish' | 'deleteStream' | 'closeStream' | 'republish';

/** Input that was dropped, ignored or corrected. Reported each time, never fatal by itself. */
export type SessionFault =
  | ChunkFault
  | 'unknown-message-type'
  | 'malformed-command'
  | 'malformed-data'
  | 'malformed-control'
  | 'malformed-aggregate'
  | 'command-out-of-order'
  | 'media-without-publish'
  | 'data-without-publish'
  | 'media-on-other-stream'
  | 'second-publish';

export interface ServerSessionSink {
  /** Bytes to be sent in one write: one message or several. */
  send(bytes: Uint8Array): void;
  publish(request: PublishRequest): void;
  takeVideo(message: RtmpMessage): void;
  takeAudio(message: RtmpMessage): void;
  /** An unfinished video message of the publish; see `MessageSink.retainHeaders`. */
  retainHeaders?(payload: SliceList, partial: PartialFrame): boolean;
  /** `name` is the handler name, after `@setDataFrame` if present. */
  takeData(name: string, values: readonly AmfValue[], message: RtmpMessage): void;
  /** Once for each `publish`, unless it was rejected or the connection ends without a command. */
  unpublish(reason: UnpublishReason, streamId: number): void;
  reportFault?(code: SessionFault): void;
}

export interface ServerSessionOptions {
  readonly limits: RtmpLimits;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly sink: ServerSessionSink;
  /** Bytes between acknowledgements, until the peer sends its own window size. Default 2,500,000. */
  readonly windowAckSize?: number;
  /** Chunk size of messages we send, announced once. Default 4096. */
  readonly chunkSize?: number;
}
