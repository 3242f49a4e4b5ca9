/** Bodies of the messages that concern the chunk stream itself. */
import { MAX_MESSAGE_LENGTH } from '../protocol.js';
import type { ChunkStream } from './chunk-stream.js';
import { abortWithoutId, badChunkSize } from './faults.js';
import { readU32 } from './header.js';

/** The new chunk size (RTMP 1.0 5.4.1): 31 bits, at least 1. @throws WireError */
export function chunkSizeOf({ payload, byteOffset }: ChunkStream): number {
  if (payload.length < 4) throw badChunkSize(undefined, byteOffset);
  const size = readU32(payload.copy(0, 4), 0);
  if (size < 1 || size > 0x7fffffff) throw badChunkSize(size, byteOffset);
  return Math.min(size, MAX_MESSAGE_LENGTH);
}

/** The chunk stream whose message is aborted (RTMP 1.0 5.4.2). @throws WireError */
export function abortedId({ payload, byteOffset }: ChunkStream): number {
  if (payload.length < 4) throw abortWithoutId(byteOffset);
  return readU32(payload.copy(0, 4), 0);
}
