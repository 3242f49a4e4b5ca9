/** The chunk streams of one connection, and what their unfinished messages keep of the input buffers. */

import type { MessageSink } from '../messages/message.js';
import { MESSAGE_TYPE } from '../protocol.js';
import { ChunkStream, copyUnfinished, sealRetained, sealUnfinished } from './chunk-stream.js';
import { tooManyChunkStreams } from './faults.js';

export class ChunkStreams {
  /** In the order of their coming: a handful with every encoder, so that a look along them is as good as any index. */
  readonly #all: ChunkStream[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  find(id: number): ChunkStream | undefined {
    for (let i = 0; i < this.#all.length; i++) {
      const stream = this.#all[i] as ChunkStream;
      if (stream.id === id) return stream;
    }
    return undefined;
  }

  /** `offset`: where in the connection it begins. @throws WireError when there are too many */
  add(id: number, offset: number): ChunkStream {
    if (this.#all.length >= this.#most) throw tooManyChunkStreams(id, this.#most, offset);
    const stream = new ChunkStream(id);
    this.#all.push(stream);
    return stream;
  }

  /** Memory that unfinished messages keep alive, as of the last input buffer. */
  get heldBytes(): number {
    let held = 0;
    for (let i = 0; i < this.#all.length; i++) held += (this.#all[i] as ChunkStream).heldBytes;
    return held;
  }

  /** The buffer will not be written to any more: unfinished messages go on referring to it, or copy what little they have. */
  seal(bytes: Uint8Array): void {
    for (let i = 0; i < this.#all.length; i++) {
      const stream = this.#all[i] as ChunkStream;
      if (stream.missing > 0) sealUnfinished(stream, bytes);
    }
  }

  /** The buffer will be written to: unfinished messages let go of it, having copied what `sink` wants of them. Gives `heldBytes`. */
  detach(bytes: Uint8Array, sink: MessageSink): number {
    let held = 0;
    for (let i = 0; i < this.#all.length; i++) {
      const stream = this.#all[i] as ChunkStream;
      if (stream.missing === 0) continue;
      const isRetained =
        stream.typeId === MESSAGE_TYPE.video &&
        sink.retainHeaders?.(stream.messageStreamId, stream.payload, stream.partialVideo()) === true;
      if (isRetained) sealRetained(stream);
      else copyUnfinished(stream, bytes);
      held += stream.heldBytes;
    }
    return held;
  }

  /** An unfinished message lies in this buffer in part. */
  referTo(bytes: Uint8Array): boolean {
    return this.#all.some((stream) => stream.payload.buffers.includes(bytes));
  }
}
