/** Bounds on what a peer makes the chunk decoder hold and do. */
import type { WireError } from '../../bytes/wire-error.js';
import type { RtmpLimits } from '../limits.js';
import { chunksTooSmall, unfinishedTooLarge } from './faults.js';

export class DecoderBounds {
  readonly #limits: RtmpLimits;
  /** Bytes of unfinished messages. A plain field: it is compared after each read. */
  heldMax: number;

  constructor(limits: RtmpLimits) {
    this.#limits = limits;
    this.heldMax = limits.unfinishedBytesBeforePublish;
  }

  /** Raises the bound on unfinished messages to `unfinishedBytes`. */
  raise(): void {
    this.heldMax = this.#limits.unfinishedBytes;
  }

  heldFault(bytes: number, offset: number): WireError {
    return unfinishedTooLarge(bytes, this.heldMax, offset);
  }

  /** Bounds the number of chunks by the bytes received. @throws WireError */
  limitWork(chunks: number, receivedBytes: number, chunkSize: number): void {
    const { freeChunks, bytesPerChunk } = this.#limits;
    if (chunks > freeChunks && (chunks - freeChunks) * bytesPerChunk > receivedBytes) {
      throw chunksTooSmall(chunks, receivedBytes, chunkSize);
    }
  }
}
