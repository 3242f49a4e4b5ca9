/** The latest metadata and sequence headers of a connection, which a tap that joins mid-stream needs first. */
import { SliceList } from '../../bytes/slices.js';
import { isSequenceHeader } from './sequence-header.js';

export type MessageKind = 'audio' | 'video' | 'data';

/** Larger messages are not kept as headers. */
const LARGEST_BYTES = 65_536;

interface Header {
  readonly timestampMs: number;
  readonly bytes: Uint8Array;
}

export class LatestHeaders {
  #data: Header | undefined;
  #video: Header | undefined;
  #audio: Header | undefined;

  /** Keeps a copy if the message is metadata or a sequence header, and returns true. Otherwise reads two bytes only. */
  observe(kind: MessageKind, timestampMs: number, payload: SliceList): boolean {
    if (kind !== 'data' && !isSequenceHeader(kind, payload)) return false;
    if (payload.length > LARGEST_BYTES) return true;
    const header = { timestampMs, bytes: payload.copy(0, payload.length) };
    if (kind === 'data') this.#data = header;
    else if (kind === 'video') this.#video = header;
    else this.#audio = header;
    return true;
  }

  /** Sends metadata first, as at the start of a file. */
  replay(to: (kind: MessageKind, timestampMs: number, payload: SliceList) => void): void {
    if (this.#data !== undefined) to('data', this.#data.timestampMs, SliceList.of(this.#data.bytes));
    if (this.#video !== undefined) to('video', this.#video.timestampMs, SliceList.of(this.#video.bytes));
    if (this.#audio !== undefined) to('audio', this.#audio.timestampMs, SliceList.of(this.#audio.bytes));
  }
}
