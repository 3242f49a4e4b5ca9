/** The chunk streams of one connection, and the memory that their unfinished messages hold. */

import { WireError } from '../../bytes/wire-error.js';
import type { MessageSink } from '../messages/message.js';
import { MESSAGE_TYPE } from '../protocol.js';
import { ChunkStream, copyUnfinished, sealRetained, sealUnfinished } from './chunk-stream.js';

export class ChunkStreams {
  /** In order of arrival. Encoders use a handful, so a linear search is as fast as an index. */
  readonly #all: ChunkStream[] = [];
  /** Their ids: a search touches no other stream. */
  readonly #ids: number[] = [];
  readonly #most: number;
  /** The two that were found last, for encoders alternate between one of audio and one of video; -1: none. */
  #recentId = -1;
  #recent: ChunkStream | undefined;
  #earlierId = -1;
  #earlier: ChunkStream | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  find(id: number): ChunkStream | undefined {
    if (id === this.#recentId) return this.#recent;
    if (id === this.#earlierId) return this.#earlier;
    const found = this.#all[this.#ids.indexOf(id)];
    if (found === undefined) return undefined;
    this.#earlierId = this.#recentId;
    this.#earlier = this.#recent;
    this.#recentId = id;
    this.#recent = found;
    return found;
  }

  /** `offset`: connection offset of its first chunk. @throws WireError if there are too many */
  add(id: number, offset: number): ChunkStream {
    if (this.#all.length >= this.#most) throw tooManyChunkStreams(id, this.#most, offset);
    const stream = new ChunkStream(id);
    this.#all.push(stream);
    this.#ids.push(id);
    return stream;
  }

  /** Memory held by unfinished messages, as of the last input buffer. */
  get heldBytes(): number {
    let held = 0;
    for (let i = 0; i < this.#all.length; i++) held += (this.#all[i] as ChunkStream).heldBytes;
    return held;
  }

  /** The buffer will not be overwritten: unfinished messages keep references to it, or copy small parts. */
  seal(bytes: Uint8Array): void {
    for (let i = 0; i < this.#all.length; i++) {
      const stream = this.#all[i] as ChunkStream;
      if (stream.missing > 0) sealUnfinished(stream, bytes);
    }
  }

  /** The buffer will be overwritten: unfinished messages copy what `sink` needs of them. Returns `heldBytes`. */
  detach(bytes: Uint8Array, sink: MessageSink): number {
    let held = 0;
    for (let i = 0; i < this.#all.length; i++) {
      const stream = this.#all[i] as ChunkStream;
      if (stream.missing > 0) held += detachUnfinished(stream, bytes, sink);
    }
    return held;
  }

  /** An unfinished message has bytes in this buffer. */
  referTo(bytes: Uint8Array): boolean {
    return this.#all.some((stream) => stream.payload.refersTo(bytes));
  }
}

/** The buffer will be overwritten: the unfinished message copies what `sink` needs of it. Returns its `heldBytes`. */
export function detachUnfinished(stream: ChunkStream, bytes: Uint8Array, sink: MessageSink): number {
  if (isInOrder(stream)) return stream.heldBytes;
  const isRetained =
    stream.typeId === MESSAGE_TYPE.video &&
    sink.retainHeaders?.(stream.messageStreamId, stream.payload, stream.partialVideo()) === true;
  if (isRetained) sealRetained(stream);
  else copyUnfinished(stream, bytes);
  return stream.heldBytes;
}

/** All bytes of the unfinished message were skipped or copied before: nothing refers to a buffer that is read into. */
function isInOrder({ partial, payload }: ChunkStream): boolean {
  return partial !== undefined && partial.skipTo > 0 && partial.decided === payload.length;
}

/** Errors of the chunk decoder. `offset` counts bytes of the connection. */
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
