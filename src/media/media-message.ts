import { SliceList } from '../bytes/slices.js';

/**
 * An audio, video or data message on its way from a connection or a file to judge and taps. Its giver has one such object
 * and fills it anew for each message, so that no packet allocates one: read it during the call, keep nothing of it.
 */
export interface MediaMessage {
  payload: SliceList;
  /** As sent: 32-bit milliseconds that wrap. */
  timestampMs: number;
  /** Counts all messages of the connection or file from 1. */
  messageNumber: number;
  /** Of its first byte, from the start of the connection or file. */
  byteOffset: number;
  /** When it arrived, on the monotonic clock; 0 in a file. */
  atMs: number;
}

export function newMediaMessage(): MediaMessage {
  return { payload: new SliceList(), timestampMs: 0, messageNumber: 0, byteOffset: 0, atMs: 0 };
}
