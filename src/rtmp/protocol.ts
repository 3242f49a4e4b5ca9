/** Numbers of RTMP 1.0 that more than one file needs. */

/** Message type ids (RTMP 1.0 5.4, 6.2, 7.1). */
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
 * Chunk streams of what a server sends. Larix insists on these (rtmp-interop B22); RTMP 1.0 5.4 fixes only the first.
 */
export const CHUNK_STREAM = { control: 2, connection: 3, stream: 5 } as const;

/** RTMP 1.0 5.4.1: in force until a Set Chunk Size arrives. */
export const DEFAULT_CHUNK_SIZE = 128;
/** A 24-bit timestamp field with this value is followed by four more bytes (RTMP 1.0 5.3.1.3). */
export const EXTENDED_TIMESTAMP = 0xffffff;
/** The message length field has 24 bits, so a larger chunk size means "the whole message". */
export const MAX_MESSAGE_LENGTH = 0xffffff;
