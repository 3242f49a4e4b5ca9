/**
 * Collects the sound of a running broadcast in samples that follow each other, and its last key frames. Packets are copied
 * into one buffer of the tap, so that a packet of sound allocates nothing.
 */
import { SliceList } from '../bytes/slices.js';
import { flvFileHeader, flvTag } from '../media/flv/file-writer.js';
import { isSequenceHeader } from '../media/flv/latest-headers.js';
import { BACK_POINTER_BYTES, TAG_HEADER_BYTES } from '../media/flv/sizes.js';
import type { MediaTap } from '../ports/index.js';
import { type KeptKeyFrame, KeyFrames } from './key-frames.js';
import { SOUND_SAMPLE, sampleMs } from './limits.js';

export interface SoundSample {
  readonly liveVideoId: string;
  /** Session of the tap: times of one session are comparable. */
  readonly session: string;
  /** Media time since the start of the session. */
  readonly startMs: number;
  /** Length of the sound, in windows. */
  readonly windows: number;
  /** The start of a sample that is still collected, and is sent too. */
  readonly isPart?: boolean;
}

/** Sample that a tap has collected. `flv`: the sound. */
export interface Collected {
  readonly sample: SoundSample;
  readonly flv: Uint8Array;
  /** The last key frames, the oldest first. */
  readonly keyFrames: readonly KeptKeyFrame[];
}

export interface SoundTapDeps {
  readonly liveVideoId: string;
  readonly session: string;
  /** Whether there is anything to compare with. */
  readonly isOn: () => boolean;
  readonly submit: (collected: Collected) => void;
}

const AUDIO = 8;
const HEADER_BYTES_MAX = 4_096;

export class SoundTap implements MediaTap {
  readonly copies = true;
  readonly #deps: SoundTapDeps;
  readonly #keyFrames = new KeyFrames();
  #header: Uint8Array | undefined;
  #bytes: Buffer | undefined;
  #used = 0;
  /** Windows of the sample that is collected. */
  #windows = 1;
  #isPaused = false;
  #pause: NodeJS.Timeout | undefined;
  /** Time stamp of the first packet of the sample. */
  #firstStamp = 0;
  /** Time stamp of the last packet; undefined before the first. */
  #lastStamp: number | undefined;
  /** Media time of the last packet, and of the first one of the sample, since the start of the session. */
  #timeMs = 0;
  #startMs = 0;
  /** Media time up to which sound is wanted before the sample is complete. */
  #wantedToMs = Number.POSITIVE_INFINITY;
  /** Where the next sample starts in the buffer; -1 until its first packet has arrived. */
  #nextAt = -1;
  #nextStamp = 0;

  constructor(deps: SoundTapDeps) {
    this.#deps = deps;
  }

  get isIdle(): boolean {
    return this.#isPaused || !this.#deps.isOn();
  }

  /** The windows of the next samples, of that which is collected too. */
  lengthen(windows: number): void {
    this.#windows = windows;
  }

  /** Also sends what there is at this media time of the sample that is collected then, if it ends a print. */
  want(toMs: number): void {
    if (toMs - SOUND_SAMPLE.leadMs > this.#startMs) this.#wantedToMs = toMs;
  }

  /** Drops what is collected, and collects nothing for this time or until `resume`. */
  pause(ms: number): void {
    this.#isPaused = true;
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.resume(), ms).unref();
    this.#restart();
    this.#keyFrames.clear();
    this.#bytes = undefined;
  }

  resume(): void {
    clearTimeout(this.#pause);
    this.#isPaused = false;
  }

  packet(kind: 'audio' | 'video' | 'data', timestampMs: number, payload: SliceList): void {
    if (kind === 'video') this.#lookAt(timestampMs, payload);
    if (kind !== 'audio') return;
    if (isSequenceHeader('audio', payload)) this.#begin(payload);
    else if (this.#header !== undefined && !this.isIdle) this.#collect(timestampMs, payload);
  }

  /** Pictures without sound are not compared. */
  #lookAt(stamp: number, payload: SliceList): void {
    if (this.#keyFrames.observe(payload) || this.#used === 0 || this.isIdle) return;
    this.#keyFrames.offer(this.#startMs + ((stamp - this.#firstStamp) | 0), payload);
  }

  #begin(payload: SliceList): void {
    if (payload.length > HEADER_BYTES_MAX) return;
    const header = payload.copy(0, payload.length);
    if (this.#header !== undefined && Buffer.compare(this.#header, header) === 0) return;
    this.#header = header;
    this.#restart();
  }

  #collect(stamp: number, payload: SliceList): void {
    const step = this.#lastStamp === undefined ? 0 : (stamp - this.#lastStamp) | 0;
    this.#lastStamp = stamp;
    this.#timeMs += Math.max(0, step);
    if (step < 0 || step > SOUND_SAMPLE.gapMs) this.#restart();
    if (this.#used === 0) {
      this.#firstStamp = stamp;
      this.#startMs = this.#timeMs;
    }
    const elapsedMs = (stamp - this.#firstStamp) | 0;
    if (this.#nextAt < 0 && elapsedMs >= this.#windows * SOUND_SAMPLE.stepMs) {
      this.#nextAt = this.#used;
      this.#nextStamp = stamp;
    }
    if (!this.#append(stamp, payload)) {
      this.#restart();
      return;
    }
    if (elapsedMs >= sampleMs(this.#windows)) this.#submit();
    else if (this.#startMs + elapsedMs >= this.#wantedToMs) this.#submitPart();
  }

  /** False if the sample would be too large. */
  #append(stamp: number, payload: SliceList): boolean {
    const size = payload.length;
    const end = this.#used + TAG_HEADER_BYTES + size + BACK_POINTER_BYTES;
    if (end > SOUND_SAMPLE.bytesMaxPerMs * sampleMs(this.#windows)) return false;
    const bytes = this.#room(end);
    const tag = this.#used;
    bytes[tag] = AUDIO;
    bytes.writeUIntBE(size, tag + 1, 3);
    bytes.writeUIntBE(stamp & 0xff_ffff, tag + 4, 3);
    bytes[tag + 7] = (stamp >>> 24) & 0xff;
    bytes.fill(0, tag + 8, tag + TAG_HEADER_BYTES);
    payload.copyInto(bytes, tag + TAG_HEADER_BYTES, 0, size);
    bytes.writeUInt32BE(TAG_HEADER_BYTES + size, end - BACK_POINTER_BYTES);
    this.#used = end;
    return true;
  }

  #room(size: number): Buffer {
    const known = this.#bytes;
    if (known !== undefined && known.length >= size) return known;
    const { bytesPerMs, bytesMaxPerMs } = SOUND_SAMPLE;
    const lengthMs = sampleMs(this.#windows);
    const bytes = Buffer.alloc((size <= bytesPerMs * lengthMs ? bytesPerMs : bytesMaxPerMs) * lengthMs);
    known?.copy(bytes, 0, 0, this.#used);
    this.#bytes = bytes;
    return bytes;
  }

  #submit(): void {
    const bytes = this.#bytes;
    const collected = this.#collected();
    if (bytes === undefined || collected === undefined) return;
    const at = this.#nextAt < 0 ? this.#used : this.#nextAt;
    bytes.copyWithin(0, at, this.#used);
    this.#used -= at;
    this.#startMs += (this.#nextStamp - this.#firstStamp) | 0;
    this.#firstStamp = this.#nextStamp;
    this.#nextAt = -1;
    this.#wantedToMs = Number.POSITIVE_INFINITY;
    this.#deps.submit(collected);
  }

  #submitPart(): void {
    this.#wantedToMs = Number.POSITIVE_INFINITY;
    const collected = this.#collected();
    if (collected === undefined) return;
    this.#deps.submit({ ...collected, sample: { ...collected.sample, windows: 1, isPart: true } });
  }

  #collected(): Collected | undefined {
    const bytes = this.#bytes;
    if (bytes === undefined || this.#header === undefined) return undefined;
    const { liveVideoId, session } = this.#deps;
    const headerTag = flvTag('audio', this.#firstStamp, SliceList.of(this.#header));
    const flv = Buffer.concat([flvFileHeader(true, false), ...headerTag, bytes.subarray(0, this.#used)]);
    const sample = { liveVideoId, session, startMs: this.#startMs, windows: this.#windows };
    return { sample, flv, keyFrames: this.#keyFrames.kept() };
  }

  /** The sound is not continuous. */
  #restart(): void {
    this.#used = 0;
    this.#nextAt = -1;
    this.#wantedToMs = Number.POSITIVE_INFINITY;
  }

  close(): void {
    this.#bytes = undefined;
    this.#used = 0;
    this.#keyFrames.clear();
    clearTimeout(this.#pause);
  }
}
