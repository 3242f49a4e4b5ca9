import type { PartialFrame } from '../../bytes/partial-frame.js';
import type { SliceList } from '../../bytes/slices.js';

/** One RTMP message. A decoder has one such object and fills it anew: read it before returning, keep nothing of it. */
export interface RtmpMessage {
  typeId: number;
  /** Absolute time of the message, 32-bit milliseconds that wrap. */
  timestampMs: number;
  messageStreamId: number;
  chunkStreamId: number;
  /** Cleared when the sink returns. */
  payload: SliceList;
  /** 1 for the first message of the connection. */
  messageNumber: number;
  /** Where the message's first chunk began, counted in bytes of the connection from the handshake's first. */
  byteOffset: number;
}

export interface MessageSink {
  onMessage(message: RtmpMessage): void;
  /**
   * An unfinished video message, when its buffer will be written to. True: what will be looked at was kept of it, and it
   * refers to that buffer no more. False, or not there: all of it is copied.
   */
  retainHeaders?(messageStreamId: number, payload: SliceList, partial: PartialFrame): boolean;
  /** Something was dropped that a tolerant receiver may drop. */
  onFault?(code: ChunkFault): void;
}

export type ChunkFault =
  /** A new message began on a chunk stream whose message was not complete (rtmp-interop B17). */
  | 'partial-message-dropped'
  /** The peer took a message back (RTMP 1.0 5.4.2). */
  | 'message-aborted';
