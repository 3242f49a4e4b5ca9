import type { PartialFrame } from '../../bytes/partial-frame.js';
import { SliceList } from '../../bytes/slices.js';

/** One RTMP message. The decoder reuses one object for all messages: it is valid only during the call. */
export interface RtmpMessage {
  typeId: number;
  /** Absolute timestamp, 32-bit milliseconds that wrap. */
  timestampMs: number;
  messageStreamId: number;
  chunkStreamId: number;
  /** Cleared when the sink returns. */
  payload: SliceList;
  /** 1 for the first message of the connection. */
  messageNumber: number;
  /** Offset of the message's first chunk, in bytes of the connection including the handshake. */
  byteOffset: number;
  /** Arrival on the receiver's monotonic clock. For the receiver to set: the decoder has no clock. */
  atMs: number;
}

/** With doubles from the start where numbers become large: V8 would otherwise compile its readers again. */
export function newRtmpMessage(): RtmpMessage {
  return {
    typeId: 0,
    timestampMs: 0,
    messageStreamId: 0,
    chunkStreamId: 0,
    payload: new SliceList(),
    messageNumber: 0,
    byteOffset: Number.NaN,
    atMs: Number.NaN,
  };
}

export interface MessageSink {
  takeMessage(message: RtmpMessage): void;
  /**
   * Called for an unfinished video message whose buffer will be overwritten. True: the bytes that will be parsed were kept,
   * and the message no longer refers to that buffer. False or absent: all of the message is copied.
   */
  retainHeaders?(messageStreamId: number, payload: SliceList, partial: PartialFrame): boolean;
  /** A message was dropped without ending the connection. */
  reportFault?(code: ChunkFault): void;
}

export type ChunkFault =
  /** A new message began on a chunk stream whose message was not complete. */
  | 'partial-message-dropped'
  /** The peer aborted a message (RTMP 1.0 5.4.2). */
  | 'message-aborted';
