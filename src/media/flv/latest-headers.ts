/** The latest metadata and sequence headers of a connection: what somebody who comes in mid-stream must see first. */
import { SliceList } from '../../bytes/slices.js';
import { isSequenceHeader } from './sequence-header.js';

export type MessageKind = 'audio' | 'video' | 'data';

/** A header that is larger is nobody's. */
const LARGEST_BYTES = 65_536;

interface Header {
  readonly timestampMs: number;
  readonly bytes: Uint8Array;
}

export class LatestHeaders {
  #data: Header | undefined;
  #video: Header | undefined;
  #audio: Header | undefined;

  /** Keeps a copy when the message is one of those, and says so; looks at two bytes otherwise. */
  look(kind: MessageKind, timestampMs: number, payload: SliceList): boolean {
    if (kind !== 'data' && !isSequenceHeader(kind, payload)) return false;
    if (payload.length > LARGEST_BYTES) return true;
    const header = { timestampMs, bytes: payload.copy(0, payload.length) };
    if (kind === 'data') this.#data = header;
    else if (kind === 'video') this.#video = header;
    else this.#audio = header;
    return true;
  }

  /** Metadata first, as a file begins. */
  replay(to: (kind: MessageKind, timestampMs: number, payload: SliceList) => void): void {
    if (this.#data !== undefined) to('data', this.#data.timestampMs, SliceList.of(this.#data.bytes));
    if (this.#video !== undefined) to('video', this.#video.timestampMs, SliceList.of(this.#video.bytes));
    if (this.#audio !== undefined) to('audio', this.#audio.timestampMs, SliceList.of(this.#audio.bytes));
  }
}
