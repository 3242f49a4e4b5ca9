/**
 * The recorder's ear on one connection: packets go to the segment as they are, and are left out while the disk is behind.
 * Where parts are wanted, the next one begins with a key frame after ten seconds, and with any packet after twenty.
 */
import type { SliceList } from '../../bytes/slices.js';
import { LatestHeaders } from '../../media/flv/latest-headers.js';
import { RECORDER } from './limits.js';
import type { MediaKind, SegmentFile } from './segment-file.js';

export interface TapEvents {
  /** The queue has grown long. */
  hurry(segment: SegmentFile): void;
  /** Frames are left out from here on; `true` when the gap ends. */
  gap(segment: SegmentFile, over: boolean): void;
  isBehind(segment: SegmentFile): boolean;
}

/** Of a connection whose recording is cut. */
export interface Parts {
  monotonicMs(): number;
  begin(part: number): SegmentFile;
}

/** AMF0 string `@setDataFrame`: what an encoder says to a server; a file begins with the name behind it. */
const SET_DATA_FRAME = Uint8Array.from([2, 0, 13, ...new TextEncoder().encode('@setDataFrame')]);

export class RecordingTap {
  readonly copies = true;
  /** Where packets go now. */
  segment: SegmentFile;
  readonly #events: TapEvents;
  readonly #parts: Parts | undefined;
  readonly #headers = new LatestHeaders();
  #part = 0;
  #partStartMs = 0;
  #leavingOut = false;
  #hasVideo = false;

  constructor(segment: SegmentFile, events: TapEvents, parts?: Parts) {
    this.segment = segment;
    this.#events = events;
    this.#parts = parts;
    if (parts !== undefined) this.#partStartMs = parts.monotonicMs();
  }

  packet(kind: MediaKind, timestampMs: number, payload: SliceList): void {
    if (kind === 'video') this.#hasVideo = true;
    const isHeader = this.#headers.look(kind, timestampMs, payload);
    if (this.#leavingOut && !this.#mayGoOn(kind, payload) && !isHeader) return;
    if (!isHeader && this.#parts !== undefined && this.#isPartOver(this.#parts, kind, payload)) {
      this.#nextPart(this.#parts, timestampMs);
    }
    const { segment } = this;
    this.#append(kind, timestampMs, payload);
    if (segment.waitingBytes < RECORDER.flushBytes) return;
    this.#events.hurry(segment);
    if (!this.#leavingOut && this.#events.isBehind(segment)) {
      this.#leavingOut = true;
      this.#events.gap(segment, false);
    }
  }

  #append(kind: MediaKind, timestampMs: number, payload: SliceList): void {
    this.segment.append(kind, timestampMs, payload, kind === 'data' ? setDataFrameBytes(payload) : 0);
  }

  #isPartOver(parts: Parts, kind: MediaKind, payload: SliceList): boolean {
    if (this.#leavingOut || !this.segment.isOpen) return false;
    const ageMs = parts.monotonicMs() - this.#partStartMs;
    return ageMs >= (this.#startsPicture(kind, payload) ? RECORDER.partMs : RECORDER.partMsMax);
  }

  #nextPart(parts: Parts, timestampMs: number): void {
    const ended = this.segment;
    this.#part++;
    this.#partStartMs = parts.monotonicMs();
    this.segment = parts.begin(this.#part);
    ended.end();
    this.#headers.replay((kind, _, payload) => this.#append(kind, timestampMs, payload));
  }

  /** What follows a key frame can be decoded; a stream without video can be cut anywhere. */
  #startsPicture(kind: MediaKind, payload: SliceList): boolean {
    return kind === 'video' ? ((payload.byteAt(0) >> 4) & 7) === 1 : !this.#hasVideo;
  }

  #mayGoOn(kind: MediaKind, payload: SliceList): boolean {
    if (this.segment.waitingBytes > RECORDER.flushBytes || !this.#startsPicture(kind, payload)) return false;
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
