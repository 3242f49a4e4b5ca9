/** Constants of RTMP 1.0. */

/** Message type IDs (RTMP 1.0 5.4, 6.2, 7.1). */
export const MESSAGE_TYPE = {
  setChunkSize: 1,
  abort: 2,
  acknowledgement: 3,
  userControl: 4,
  windowAckSize: 5,
  setPeerBandwidth: 6,
  audio: 8,
  video: 9,
  dataAmf3: 15,
  sharedObjectAmf3: 16,
  commandAmf3: 17,
  dataAmf0: 18,
  sharedObjectAmf0: 19,
  commandAmf0: 20,
  aggregate: 22,
} as const;

/** Event types of user control messages (RTMP 1.0 7.1.7). */
export const USER_CONTROL = {
  streamBegin: 0,
  streamEof: 1,
  streamDry: 2,
  setBufferLength: 3,
  streamIsRecorded: 4,
  pingRequest: 6,
  pingResponse: 7,
} as const;

/**
 * Chunk stream IDs of the server's messages. Larix requires these; RTMP 1.0 5.4 specifies only the first.
 */
export const CHUNK_STREAM = { control: 2, connection: 3, stream: 5 } as const;

/** RTMP 1.0 5.4.1: applies until a Set Chunk Size arrives. */
export const DEFAULT_CHUNK_SIZE = 128;
/** This value in the 24-bit timestamp field means that an extended timestamp follows (RTMP 1.0 5.3.1.3). */
export const EXTENDED_TIMESTAMP = 0xffffff;
/** Largest value of the 24-bit message length field; a larger chunk size has no further effect. */
export const MAX_MESSAGE_LENGTH = 0xffffff;
