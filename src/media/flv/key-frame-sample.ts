/** A key frame of a stream as an FLV file of its own, which a decoder can open. */
import { SliceList } from '../../bytes/slices.js';
import { flvFileHeader, flvTag } from './file-writer.js';
import { isSequenceHeader } from './latest-headers.js';

/** Sequence headers in practice have some hundred bytes. */
const LARGEST_HEADER_BYTES = 65_536;

export class KeyFrameSample {
  #header: Uint8Array | undefined;

  /** A video message: keeps a copy of a sequence header and returns true. */
  observe(payload: SliceList): boolean {
    if (!isSequenceHeader('video', payload)) return false;
    this.#header = payload.length > LARGEST_HEADER_BYTES ? undefined : payload.copy(0, payload.length);
    return true;
  }

  /** The file of a key frame; undefined without a sequence header before it. */
  file(payload: SliceList): Uint8Array | undefined {
    if (this.#header === undefined) return undefined;
    const tags = [...flvTag('video', 0, SliceList.of(this.#header)), ...flvTag('video', 0, payload)];
    const file = SliceList.of(flvFileHeader(false, true), ...tags);
    return file.copy(0, file.length);
  }
}

/** The frame type stands at the same place in both forms of the video tag. */
export const isKeyFrame = (payload: SliceList): boolean => payload.length > 0 && ((payload.byteAt(0) >> 4) & 7) === 1;
