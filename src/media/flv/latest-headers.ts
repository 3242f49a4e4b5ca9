/** The latest metadata and sequence headers of a connection, which a tap that joins mid-stream needs first. */
import { SliceList } from '../../bytes/slices.js';
import { packetTypeOf } from './enhanced-header.js';
import { flvFileHeader, flvTag } from './file-writer.js';

const ENHANCED_VIDEO = 0x80;
const ENHANCED_AUDIO = 9;
const AVC = 7;
const AAC = 10;
const SEQUENCE_START = 0;
const CODED_FRAME = 1;

/** Whether it is a sequence header, which a decoder needs before any frame: FLV Annex E.4.3.1 and E.4.2.1, and their Enhanced RTMP forms. Reads two bytes, and ModEx prefixes. */
export function isSequenceHeader(kind: 'audio' | 'video', payload: SliceList): boolean {
  const first = payload.byteAt(0);
  if (kind === 'video') {
    if ((first & ENHANCED_VIDEO) !== 0) return packetTypeOf(payload) === SEQUENCE_START;
    return (first & 0x0f) === AVC && payload.byteAt(1) === SEQUENCE_START;
  }
  if (first >> 4 === ENHANCED_AUDIO) return packetTypeOf(payload) === SEQUENCE_START;
  return first >> 4 === AAC && payload.byteAt(1) === SEQUENCE_START;
}

/** Surely a coded frame of one track, in the form that nearly all have. Reads two bytes of the first piece. */
export function isPlainFrame(kind: 'audio' | 'video', payload: SliceList): boolean {
  if (payload.count === 0 || payload.sizeAt(0) < 2) return false;
  const bytes = payload.bufferAt(0);
  const at = payload.startAt(0);
  if (bytes[at + 1] !== CODED_FRAME) return false;
  const first = bytes[at] as number;
  return kind === 'video' ? first < ENHANCED_VIDEO && (first & 0x0f) === AVC : first >> 4 === AAC;
}

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

/** A key frame of a stream as an FLV file of its own, which a decoder can open. */
export class KeyFrameSample {
  #header: Uint8Array | undefined;

  /** A video message: keeps a copy of a sequence header and returns true. */
  observe(payload: SliceList): boolean {
    if (!isSequenceHeader('video', payload)) return false;
    this.#header = payload.length > LARGEST_BYTES ? undefined : payload.copy(0, payload.length);
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
