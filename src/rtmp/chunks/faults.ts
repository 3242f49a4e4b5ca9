/** Errors of the chunk decoder. `offset` counts bytes of the connection. */
import { WireError } from '../../bytes/wire-error.js';

export function messageTooLong(
  message: { readonly typeId: number; readonly length: number; readonly id: number },
  most: number,
  offset: number,
): WireError {
  const { typeId, length, id } = message;
  const text = `message of type ${typeId} with ${length} bytes on chunk stream ${id}; the limit is ${most}`;
  return new WireError('RTMP_MESSAGE_TOO_LONG', text, 'RTMP 1.0 5.3.1.2.1', offset);
}

export function chunkWithoutHeader(id: number, format: number, offset: number): WireError {
  const text = `chunk stream ${id} begins with a chunk of type ${format}, which needs an earlier header`;
  return new WireError('RTMP_CHUNK_WITHOUT_HEADER', text, 'RTMP 1.0 5.3.1.2', offset);
}

export function tooManyChunkStreams(id: number, most: number, offset: number): WireError {
  const text = `too many chunk streams: chunk stream ${id} exceeds the limit of ${most}`;
  return new WireError('RTMP_TOO_MANY_CHUNK_STREAMS', text, 'RTMP 1.0 5.3.1.1', offset);
}

/** `size` is undefined if the body is shorter than four bytes. */
export function badChunkSize(size: number | undefined, offset: number): WireError {
  const text = size === undefined ? 'Set Chunk Size shorter than 4 bytes' : `invalid chunk size: ${size}`;
  return new WireError('RTMP_CHUNK_SIZE', text, 'RTMP 1.0 5.4.1', offset);
}

export function abortWithoutId(offset: number): WireError {
  return new WireError('RTMP_ABORT', 'Abort message shorter than 4 bytes', 'RTMP 1.0 5.4.2', offset);
}

export function unfinishedTooLarge(held: number, most: number, offset: number): WireError {
  const text = `unfinished messages hold ${held} bytes; the limit is ${most}`;
  return new WireError('RTMP_UNFINISHED_TOO_LARGE', text, 'RTMP 1.0 5.3', offset);
}

export function chunksTooSmall(chunks: number, bytes: number, chunkSize: number): WireError {
  const text = `${chunks} chunks in ${bytes} bytes (chunk size ${chunkSize})`;
  return new WireError('RTMP_CHUNKS_TOO_SMALL', text, 'RTMP 1.0 5.4.1', bytes);
}
