/** What a server session asks of its surroundings and tells them. */
import type { PartialFrame } from '../../bytes/partial-frame.js';
import type { SliceList } from '../../bytes/slices.js';
import type { AmfValue } from '../amf/amf-value.js';
import type { RtmpLimits } from '../limits.js';
import type { ConnectInfo } from '../messages/connect.js';
import type { ChunkFault, RtmpMessage } from '../messages/message.js';

export interface PublishRequest {
  /** Names this publish to `acceptPublish` and `rejectPublish`. */
  readonly requestId: number;
  readonly app: string;
  readonly tcUrl: string;
  /** As sent, with its query; empty when the encoder has one URL field and put the key into the app (rtmp-interop C11). */
  readonly name: string;
  /** `live`, `record` or `append`, as sent. */
  readonly type: string;
  readonly flashVer: string;
  readonly streamId: number;
}

export type UnpublishReason = 'FCUnpublish' | 'deleteStream' | 'closeStream' | 'republish';

/** Things that were dropped, ignored or put right. Told each time, never fatal by themselves. */
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
  /** One server message, or several that belong together: one write. */
  onOutput(bytes: Uint8Array): void;
  /** Before the connect command is answered; `rejectConnect` may be called here and nowhere else. */
  onConnect?(info: ConnectInfo): void;
  onPublish(request: PublishRequest): void;
  onVideo(message: RtmpMessage): void;
  onAudio(message: RtmpMessage): void;
  /** A video message of the publish that is still arriving; see `MessageSink.retainHeaders`. */
  retainHeaders?(payload: SliceList, partial: PartialFrame): boolean;
  /** `@setDataFrame` is taken off: `name` is what it named. */
  onData(name: string, values: readonly AmfValue[], message: RtmpMessage): void;
  /** Once for each `onPublish`, unless it was rejected or the connection just ends. */
  onUnpublish(reason: UnpublishReason, streamId: number): void;
  onFault?(code: SessionFault): void;
}

export interface ServerSessionOptions {
  readonly limits: RtmpLimits;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly sink: ServerSessionSink;
  /** Bytes between two acknowledgements, until the peer names its own. Default 2,500,000. */
  readonly windowAckSize?: number;
  /** Of what we send; told to the peer once. Default 4096. */
  readonly chunkSize?: number;
}
