/** The chunk streams of one connection, and the memory that their unfinished messages hold. */

import type { MessageSink } from '../messages/message.js';
import { MESSAGE_TYPE } from '../protocol.js';
import { ChunkStream, copyUnfinished, sealRetained, sealUnfinished } from './chunk-stream.js';
import { tooManyChunkStreams } from './faults.js';

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
