import { SliceList } from '../bytes/slices.js';

/**
 * An audio, video or data message from a connection or a file, for judge and taps. One object is reused for all messages,
 * so that packets do not allocate: it is valid only during the call.
 */
export interface MediaMessage {
  payload: SliceList;
  /** Timestamp as sent: 32-bit milliseconds that wrap. */
  timestampMs: number;
  /** Number of the message in the connection or file, from 1. */
  messageNumber: number;
  /** Offset of its first byte in the connection or file. */
  byteOffset: number;
  /** Arrival on the monotonic clock; 0 for a file. */
  atMs: number;
}

export function newMediaMessage(): MediaMessage {
  return { payload: new SliceList(), timestampMs: 0, messageNumber: 0, byteOffset: Number.NaN, atMs: Number.NaN };
}
