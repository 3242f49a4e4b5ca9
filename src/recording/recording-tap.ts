/**
 * Writes the packets of one connection to a segment and drops them while the disk is behind.
 * If the recording is cut into parts, the next part starts at a key frame after ten seconds, or at any packet after twenty.
 * While the disk is nearly full there is no segment; a new one starts at the first key frame after `resume`.
 */
import type { SliceList } from '../bytes/slices.js';
import type { FlvTagKind } from '../media/flv/file-reader.js';
import { LatestHeaders } from '../media/flv/latest-headers.js';
import type { MediaTap, TappedStream } from '../ports/index.js';
import { RECORDER } from './limits.js';
import type { SegmentFile } from './segment-file.js';

/** The broadcast, which is told why it is not recorded. */
export type RecordedStream = Pick<TappedStream, 'liveVideoId' | 'hasStorage' | 'note'>;

export interface TapEvents {
  /** The queue has grown long: write it now. */
  hurry(segment: SegmentFile): void;
  /** Frames are dropped from here on; `true` when the gap ends. */
  gap(tap: RecordingTap, over: boolean): void;
  isBehind(segment: SegmentFile): boolean;
  closed(tap: RecordingTap): void;
}

/** Creates the segments of one connection. */
export interface SegmentSource {
  /** `next-part`: continues the previous segment without a gap. */
  begin(how: 'anew' | 'next-part'): SegmentFile;
  /** Set when the recording is cut into parts. */
  readonly monotonicMs?: () => number;
}

/** AMF0 string `@setDataFrame`: a command to the server that precedes the data message; files omit it. */
const SET_DATA_FRAME = Uint8Array.from([2, 0, 13, ...new TextEncoder().encode('@setDataFrame')]);

export class RecordingTap implements MediaTap {
  readonly copies = true;
  readonly stream: RecordedStream;
  readonly #source: SegmentSource;
  readonly #events: TapEvents;
  readonly #headers = new LatestHeaders();
  #segment: SegmentFile | undefined;
  #isPaused = true;
  #partStartMs = 0;
  #leavingOut = false;
  #hasVideo = false;

  /** Paused until `start` or `resume`. */
  constructor(stream: RecordedStream, source: SegmentSource, events: TapEvents) {
    this.stream = stream;
    this.#source = source;
    this.#events = events;
  }

  /** The current segment. */
  get segment(): SegmentFile | undefined {
    return this.#segment;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Sequence headers are kept for the next segment. */
  get isIdle(): boolean {
    return this.#isPaused;
  }

  /** A segment starts with the next packet, which on a new connection is metadata or a sequence header. */
  start(): void {
    this.#isPaused = false;
    this.#begin('anew');
  }

  /** A segment starts at the next key frame. */
  resume(): void {
    this.#isPaused = false;
  }

  /** Ends the segment. */
  pause(): void {
    this.#isPaused = true;
    this.#leavingOut = false;
    this.#segment?.end();
    this.#segment = undefined;
  }

  packet(kind: FlvTagKind, timestampMs: number, payload: SliceList): void {
    if (kind === 'video') this.#hasVideo = true;
    const isHeader = this.#headers.observe(kind, timestampMs, payload);
    if (this.#isPaused) return;
    const segment = this.#segmentFor(kind, timestampMs, payload, isHeader);
    if (segment === undefined) return;
    this.#append(segment, kind, timestampMs, payload);
    if (segment.waitingBytes < RECORDER.writeBytes) return;
    this.#events.hurry(segment);
    if (!this.#leavingOut && this.#events.isBehind(segment)) {
      this.#leavingOut = true;
      this.#events.gap(this, false);
    }
  }

  /** `undefined` when the packet must be dropped. */
  #segmentFor(kind: FlvTagKind, timestampMs: number, payload: SliceList, isHeader: boolean): SegmentFile | undefined {
    const segment = this.#segment;
    if (segment === undefined) {
      if (isHeader || !this.#startsPicture(kind, payload)) return undefined;
      return this.#beginWithHeaders('anew', timestampMs);
    }
    if (isHeader) return segment;
    if (this.#leavingOut && !this.#mayGoOn(segment, kind, payload)) return undefined;
    if (!this.#isPartOver(segment, kind, payload)) return segment;
    const next = this.#beginWithHeaders('next-part', timestampMs);
    segment.end();
    return next;
  }

  #append(segment: SegmentFile, kind: FlvTagKind, timestampMs: number, payload: SliceList): void {
    segment.append(kind, timestampMs, payload, kind === 'data' ? setDataFrameBytes(payload) : 0);
  }

  #isPartOver(segment: SegmentFile, kind: FlvTagKind, payload: SliceList): boolean {
    const { monotonicMs } = this.#source;
    if (monotonicMs === undefined || this.#leavingOut || !segment.isOpen) return false;
    const ageMs = monotonicMs() - this.#partStartMs;
    return ageMs >= (this.#startsPicture(kind, payload) ? RECORDER.partMs : RECORDER.partMsMax);
  }

  #begin(how: 'anew' | 'next-part'): SegmentFile {
    this.#partStartMs = this.#source.monotonicMs?.() ?? 0;
    const segment = this.#source.begin(how);
    this.#segment = segment;
    return segment;
  }

  #beginWithHeaders(how: 'anew' | 'next-part', timestampMs: number): SegmentFile {
    const segment = this.#begin(how);
    this.#headers.replay((kind, _, payload) => this.#append(segment, kind, timestampMs, payload));
    return segment;
  }

  /** Decoding can start at a key frame; a stream without video can be cut anywhere. */
  #startsPicture(kind: FlvTagKind, payload: SliceList): boolean {
    return kind === 'video' ? ((payload.byteAt(0) >> 4) & 7) === 1 : !this.#hasVideo;
  }

  #mayGoOn(segment: SegmentFile, kind: FlvTagKind, payload: SliceList): boolean {
    if (segment.waitingBytes > RECORDER.writeBytes || !this.#startsPicture(kind, payload)) return false;
    this.#leavingOut = false;
    this.#events.gap(this, true);
    return true;
  }

  close(): void {
    this.pause();
    this.#events.closed(this);
  }
}

function setDataFrameBytes(payload: SliceList): number {
  for (let i = 0; i < SET_DATA_FRAME.length; i++) if (payload.byteAt(i) !== SET_DATA_FRAME[i]) return 0;
  return SET_DATA_FRAME.length;
}
