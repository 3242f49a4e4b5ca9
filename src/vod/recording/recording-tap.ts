/** The recorder's ear on one connection: packets go to the segment as they are, and are left out while the disk is behind. */
import type { SliceList } from '../../bytes/slices.js';
import { RECORDER } from './limits.js';
import type { MediaKind, SegmentFile } from './segment-file.js';

export interface TapEvents {
  /** The queue has grown long. */
  hurry(segment: SegmentFile): void;
  /** Frames are left out from here on; `true` when the gap ends. */
  gap(segment: SegmentFile, over: boolean): void;
  isBehind(segment: SegmentFile): boolean;
}

/** AMF0 string `@setDataFrame`: what an encoder says to a server; a file begins with the name behind it. */
const SET_DATA_FRAME = Uint8Array.from([2, 0, 13, ...new TextEncoder().encode('@setDataFrame')]);

export class RecordingTap {
  readonly segment: SegmentFile;
  readonly #events: TapEvents;
  #leavingOut = false;
  #hasVideo = false;

  constructor(segment: SegmentFile, events: TapEvents) {
    this.segment = segment;
    this.#events = events;
  }

  packet(kind: MediaKind, timestampMs: number, payload: SliceList): void {
    const { segment } = this;
    if (kind === 'video') this.#hasVideo = true;
    if (this.#leavingOut && !this.#mayGoOn(kind, payload) && !isSequenceHeader(kind, payload)) return;
    segment.append(kind, timestampMs, payload, kind === 'data' ? setDataFrameBytes(payload) : 0);
    if (segment.waitingBytes < RECORDER.flushBytes) return;
    this.#events.hurry(segment);
    if (!this.#leavingOut && this.#events.isBehind(segment)) {
      this.#leavingOut = true;
      this.#events.gap(segment, false);
    }
  }

  /** With a key frame, so that what follows can be decoded; a stream without video goes on with any packet. */
  #mayGoOn(kind: MediaKind, payload: SliceList): boolean {
    if (this.segment.waitingBytes > RECORDER.flushBytes) return false;
    const startsPicture = kind === 'video' ? ((payload.byteAt(0) >> 4) & 7) === 1 : !this.#hasVideo;
    if (!startsPicture) return false;
    this.#leavingOut = false;
    this.#events.gap(this.segment, true);
    return true;
  }

  close(): void {
    this.segment.end();
  }
}

function setDataFrameBytes(payload: SliceList): number {
  for (let i = 0; i < SET_DATA_FRAME.length; i++) if (payload.byteAt(i) !== SET_DATA_FRAME[i]) return 0;
  return SET_DATA_FRAME.length;
}

/** FLV E.4.2.1 and E.4.3.1, and their Enhanced RTMP forms: without them nothing that follows can be decoded. */
function isSequenceHeader(kind: MediaKind, payload: SliceList): boolean {
  const first = payload.byteAt(0);
  if (kind === 'video')
    return (first & 0x80) !== 0 ? (first & 0x0f) === 0 : (first & 0x0f) === 7 && payload.byteAt(1) === 0;
  if (kind === 'audio') return first >> 4 === 9 ? (first & 0x0f) === 0 : first >> 4 === 10 && payload.byteAt(1) === 0;
  return false;
}
