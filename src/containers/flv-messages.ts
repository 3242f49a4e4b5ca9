/**
 * Frames of a file as the messages that FFmpeg, remuxing it to FLV, would send: the same times in whole milliseconds, the same
 * order. Findings then do not depend on which of them has read the file.
 */
import { SliceList } from '../bytes/slices.js';
import { NamedTrack } from './named-track.js';
import { REORDERED_MAX, WAITING_BYTES_MAX, WAITING_FRAMES_MAX } from './source/limits.js';
import { type FileMessage, type Frame, isReadable, type Reader, type SourceTrack } from './source/media-file.js';

/** Legacy headers of AVC (FLV E.4.3.1) and AAC (E.4.2.1). */
const AVC_KEY = 0x17;
const AVC_INTER = 0x27;
const AAC = 0xaf;
const SETTINGS = 0;
const LATM = 'aac_latm';
const CODED = 1;
const SEQUENCE_END = 2;
/** A track that lies this far behind the others is no longer waited for (FFmpeg, `max_interleave_delta`). */
const WAIT_MS = 10_000;

interface Waiting {
  readonly decodeMs: number;
  readonly payload: SliceList;
  readonly isDiscarded: boolean;
  readonly byteOffset: number;
  /** Memory that it keeps. */
  readonly heldBytes: number;
}

/** A readable track while its frames are sent. */
class TrackQueue {
  readonly kind: SourceTrack['kind'];
  readonly waiting: Waiting[] = [];
  #first = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** Memory that all waiting frames keep. */
  heldBytes = 0;
  #lastBuffer: ArrayBufferLike | undefined;
  #isStarted: boolean;

  constructor(track: SourceTrack) {
    this.kind = track.kind;
    this.#isStarted = track.kind === 'audio';
  }

  /** Decode time of the last frame; -Infinity before the first one. */
  get lastMs(): number {
    return this.#lastMs;
  }

  get head(): Waiting | undefined {
    return this.waiting[this.#first];
  }

  get last(): Waiting | undefined {
    return this.waiting.at(-1);
  }

  get count(): number {
    return this.waiting.length - this.#first;
  }

  take(): void {
    this.heldBytes -= this.head?.heldBytes ?? 0;
    this.#first++;
    if (this.#first < 64 && this.#first < this.waiting.length) return;
    this.waiting.splice(0, this.#first);
    this.#first = 0;
  }

  /** Times of a frame in milliseconds, decode times never decreasing. Nothing is sent before the first key frame. */
  add(frame: Frame, decodeMs: number, presentationMs: number): void {
    if (!this.#isStarted && !frame.isKey) return;
    this.#isStarted = true;
    let [decode, presentation] = [decodeMs, presentationMs];
    // A frame that would be presented before it is decoded: the middle one of these times and the next possible one.
    if (decode > presentation) decode = presentation = middle(decode, presentation, this.#lastMs + 1);
    if (decode < this.#lastMs) {
      if (presentation >= decode) presentation = Math.max(presentation, this.#lastMs);
      decode = this.#lastMs;
    }
    this.#lastMs = decode;
    const head = headOf(this.kind, frame.isKey, presentation - decode);
    const payload = new SliceList();
    payload.push(head, 0, head.length);
    const { data } = frame;
    // A frame keeps the blocks of the file that it lies in, however small it is.
    let heldBytes = 0;
    for (let i = 0; i < data.count; i++) {
      const { buffer } = data.bufferAt(i);
      if (buffer !== this.#lastBuffer) heldBytes += buffer.byteLength;
      this.#lastBuffer = buffer;
      payload.push(data.bufferAt(i), data.startAt(i), data.endAt(i));
    }
    const { isDiscarded, byteOffset } = frame;
    this.waiting.push({ decodeMs: decode, payload, isDiscarded, byteOffset, heldBytes });
    this.heldBytes += heldBytes;
  }

  addSettings(settings: Uint8Array, frame: Frame, decodeMs: number): void {
    const payload = settingsMessage(this.kind, settings);
    const { byteOffset } = frame;
    const place = { isDiscarded: false, byteOffset, heldBytes: 0 };
    this.waiting.push({ decodeMs: Math.max(decodeMs, this.#lastMs), payload, ...place });
  }
}

interface Named {
  readonly track: NamedTrack;
  readonly waiting: { readonly timeMs: number; readonly isKey: boolean; readonly bytes: number; readonly at: number }[];
}

export class FlvMessages {
  /** Numbers of the tracks that had frames. */
  readonly filledTracks = new Set<number>();
  readonly #reader: Reader;
  readonly #queues = new Map<number, TrackQueue>();
  readonly #named = new Map<number, Named>();
  readonly #message: FileMessage = {
    kind: 'video',
    timestampMs: 0,
    payload: new SliceList(),
    isDiscarded: false,
    byteOffset: 0,
  };
  readonly #tracks: readonly SourceTrack[];
  /** Start of the tracks that are sent, in seconds. */
  readonly #startS: number;
  #hasBegun = false;
  /** Added to all times, so that none is negative; known with the first message. */
  #shiftMs: number | undefined;

  constructor(reader: Reader, tracks: readonly SourceTrack[]) {
    this.#reader = reader;
    this.#tracks = tracks;
    const starts = tracks.filter(isReadable).flatMap(({ index }) => reader.startsS?.get(index) ?? []);
    this.#startS = starts.length === 0 ? reader.startS : Math.min(...starts);
    for (const track of tracks) {
      if (isReadable(track)) this.#queues.set(track.index, new TrackQueue(track));
      else this.#named.set(track.index, { track: new NamedTrack(track), waiting: [] });
    }
  }

  async *messages(): AsyncGenerator<FileMessage> {
    for (const { codec, kind, settings } of this.#tracks) {
      // AAC in LATM is named, and judged by its settings.
      if (codec === LATM && settings !== undefined) yield this.#set(kind, 0, NamedTrack.aacHeader(settings), false, 0);
    }
    for await (const frame of this.#reader.frames(new Set(this.#tracks.map(({ index }) => index)))) {
      this.filledTracks.add(frame.track.index);
      this.#add(frame);
      yield* this.#ready(false);
    }
    yield* this.#ready(true);
    if (!this.#hasBegun) yield* this.#begin();
    yield* this.#sequenceEnds();
    yield* this.#namedUntil(Number.POSITIVE_INFINITY);
  }

  /** The settings of the tracks, behind what is named and begins with them. */
  *#begin(): Generator<FileMessage> {
    this.#hasBegun = true;
    yield* this.#namedUntil(0);
    for (const track of this.#tracks) {
      if (!isReadable(track) || track.settings === undefined) continue;
      const settings = track.areSettingsInFrames === true ? new Uint8Array(0) : track.settings;
      yield this.#set(track.kind, 0, settingsMessage(track.kind, settings), false, 0);
    }
  }

  #add(frame: Frame): void {
    const { track, data } = frame;
    const { ticksPerSecond } = track;
    const named = this.#named.get(track.index);
    if (named !== undefined) {
      const timeMs = Math.max(0, Math.round((frame.decodeTime / ticksPerSecond - this.#reader.startS) * 1000));
      // Frames without a decode time go by their presentation, which is not ascending.
      let place = named.waiting.length;
      const lowest = Math.max(0, place - REORDERED_MAX);
      while (place > lowest && (named.waiting[place - 1]?.timeMs ?? 0) > timeMs) place--;
      named.waiting.splice(place, 0, { timeMs, isKey: frame.isKey, bytes: data.length, at: frame.byteOffset });
      return;
    }
    const queue = this.#queues.get(track.index);
    if (queue === undefined) return;
    // FFmpeg rounds the start of the file to microseconds, then to units of the track.
    const start = nearest((nearest(this.#startS * 1_000_000) * ticksPerSecond) / 1_000_000);
    const decodeMs = nearest(((frame.decodeTime - start) * 1000) / ticksPerSecond);
    const presentationMs = nearest(((frame.presentationTime - start) * 1000) / ticksPerSecond);
    if (frame.settings !== undefined) queue.addSettings(frame.settings, frame, decodeMs);
    queue.add(frame, decodeMs, presentationMs);
  }

  /** Messages whose turn is known: each track has a later one waiting, or too much waits. */
  *#ready(isEnded: boolean): Generator<FileMessage> {
    for (;;) {
      let next: TrackQueue | undefined;
      let latest = Number.NEGATIVE_INFINITY;
      let isComplete = true;
      for (const queue of this.#queues.values()) {
        const { head } = queue;
        if (head === undefined) isComplete = false;
        else if (next?.head === undefined || head.decodeMs < next.head.decodeMs) next = queue;
        latest = Math.max(latest, queue.last?.decodeMs ?? latest);
      }
      if (this.#queues.size === 0 && this.#named.size > 0) return yield* this.#namedReady(isEnded);
      const head = next?.head;
      if (next === undefined || head === undefined) return;
      const shift = this.#shiftMs ?? Math.max(0, -head.decodeMs);
      for (const { waiting } of this.#named.values()) {
        const lastMs = waiting.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY;
        if (lastMs < head.decodeMs + shift) isComplete = false;
        latest = Math.max(latest, lastMs);
      }
      if (!isComplete && !isEnded && !this.#isFull && latest - head.decodeMs <= WAIT_MS) return;
      next.take();
      this.#shiftMs = shift;
      const timestampMs = Math.max(0, head.decodeMs + this.#shiftMs);
      if (!this.#hasBegun) yield* this.#begin();
      yield* this.#namedUntil(timestampMs);
      yield this.#set(next.kind, timestampMs, head.payload, head.isDiscarded, head.byteOffset);
    }
  }

  get #isFull(): boolean {
    let [bytes, frames] = [0, 0];
    for (const queue of this.#queues.values()) {
      bytes += queue.heldBytes;
      frames += queue.count;
    }
    for (const { waiting } of this.#named.values()) frames += waiting.length;
    return bytes > WAITING_BYTES_MAX || frames > WAITING_FRAMES_MAX;
  }

  *#sequenceEnds(): Generator<FileMessage> {
    for (const { kind, lastMs } of this.#queues.values()) {
      if (kind === 'audio' || lastMs === Number.NEGATIVE_INFINITY) continue;
      const timestampMs = Math.max(0, lastMs + (this.#shiftMs ?? 0));
      yield this.#set(kind, timestampMs, SliceList.of(Uint8Array.of(AVC_KEY, SEQUENCE_END, 0, 0, 0)), false, 0);
    }
  }

  /** Without readable tracks, those that are named wait for each other alone. */
  *#namedReady(isEnded: boolean): Generator<FileMessage> {
    const lasts = [...this.#named.values()].map(({ waiting }) => waiting.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY);
    yield* this.#namedUntil(isEnded || this.#isFull ? Number.POSITIVE_INFINITY : Math.min(...lasts) - 1);
  }

  *#namedUntil(timeMs: number): Generator<FileMessage> {
    for (;;) {
      let next: Named | undefined;
      for (const named of this.#named.values()) {
        const at = named.waiting[0]?.timeMs ?? Number.POSITIVE_INFINITY;
        if (at <= timeMs && at <= (next?.waiting[0]?.timeMs ?? Number.POSITIVE_INFINITY)) next = named;
      }
      const frame = next?.waiting.shift();
      if (next === undefined || frame === undefined) return;
      yield this.#set(next.track.kind, frame.timeMs, next.track.payload(frame), false, frame.at);
    }
  }

  #set(
    kind: SourceTrack['kind'],
    timestampMs: number,
    body: SliceList,
    isDiscarded: boolean,
    byteOffset: number,
  ): FileMessage {
    const message = this.#message;
    message.kind = kind;
    message.timestampMs = timestampMs;
    message.payload = body;
    message.isDiscarded = isDiscarded;
    message.byteOffset = byteOffset;
    return message;
  }
}

function settingsMessage(kind: SourceTrack['kind'], settings: Uint8Array): SliceList {
  const head = kind === 'video' ? Uint8Array.of(AVC_KEY, SETTINGS, 0, 0, 0) : Uint8Array.of(AAC, SETTINGS);
  return SliceList.of(head, settings);
}

function headOf(kind: SourceTrack['kind'], isKey: boolean, offsetMs: number): Uint8Array {
  if (kind === 'audio') return Uint8Array.of(AAC, CODED);
  return Uint8Array.of(isKey ? AVC_KEY : AVC_INTER, CODED, offsetMs >> 16, offsetMs >> 8, offsetMs);
}

/** To the nearest integer, halves away from zero. */
function nearest(value: number): number {
  return value < 0 ? -Math.floor(0.5 - value) : Math.floor(value + 0.5);
}

function middle(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
