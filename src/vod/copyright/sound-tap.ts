/**
 * Collects the sound of a running broadcast in samples that follow each other. Packets are copied into one buffer of the
 * tap, so that a packet allocates nothing.
 */
import { SliceList } from '../../bytes/slices.js';
import { flvFileHeader, flvTag } from '../../media/flv/file-writer.js';
import { isSequenceHeader } from '../../media/flv/sequence-header.js';
import type { MediaTap } from '../../ports/index.js';
import { SOUND_SAMPLE } from './limits.js';

export interface SoundSample {
  readonly liveVideoId: string;
  /** Of the tap: times of one session are comparable. */
  readonly session: string;
  /** Media time since the start of the session. */
  readonly startMs: number;
}

export interface SoundTapDeps {
  readonly liveVideoId: string;
  readonly session: string;
  /** Whether there is anything to compare with. */
  readonly isOn: () => boolean;
  readonly submit: (sample: SoundSample, flv: Uint8Array) => void;
}

const TAG_BYTES = 11;
const POINTER_BYTES = 4;
const AUDIO = 8;
const HEADER_BYTES_MAX = 4_096;

export class SoundTap implements MediaTap {
  readonly copies = true;
  readonly #deps: SoundTapDeps;
  #header: Uint8Array | undefined;
  #bytes: Buffer | undefined;
  #used = 0;
  /** Time stamp of the first packet of the sample, and of the last packet. */
  #firstStamp = 0;
  #lastStamp = 0;
  /** Media time of the first packet of the sample, since the start of the session. */
  #startMs = 0;
  /** Where the next sample starts in the buffer; -1 until its first packet has arrived. */
  #nextAt = -1;
  #nextStamp = 0;

  constructor(deps: SoundTapDeps) {
    this.#deps = deps;
  }

  get isIdle(): boolean {
    return !this.#deps.isOn();
  }

  packet(kind: 'audio' | 'video' | 'data', timestampMs: number, payload: SliceList): void {
    if (kind !== 'audio') return;
    if (isSequenceHeader('audio', payload)) this.#onHeader(payload);
    else if (this.#header !== undefined && this.#deps.isOn()) this.#onSound(timestampMs, payload);
  }

  #onHeader(payload: SliceList): void {
    if (payload.length > HEADER_BYTES_MAX) return;
    const header = payload.copy(0, payload.length);
    if (this.#header !== undefined && Buffer.compare(this.#header, header) === 0) return;
    this.#header = header;
    this.#restart();
  }

  #onSound(stamp: number, payload: SliceList): void {
    const step = (stamp - this.#lastStamp) | 0;
    if (this.#used > 0 && (step < 0 || step > SOUND_SAMPLE.gapMs)) this.#restart(step);
    if (this.#used === 0) {
      this.#firstStamp = stamp;
      this.#nextAt = -1;
    }
    this.#lastStamp = stamp;
    const elapsedMs = (stamp - this.#firstStamp) | 0;
    if (this.#nextAt < 0 && elapsedMs >= SOUND_SAMPLE.stepMs) {
      this.#nextAt = this.#used;
      this.#nextStamp = stamp;
    }
    if (!this.#append(stamp, payload)) {
      this.#restart();
      return;
    }
    if (elapsedMs >= SOUND_SAMPLE.lengthMs) this.#submit();
  }

  /** False if the sample would be too large. */
  #append(stamp: number, payload: SliceList): boolean {
    const size = payload.length;
    const end = this.#used + TAG_BYTES + size + POINTER_BYTES;
    if (end > SOUND_SAMPLE.bytesMax) return false;
    const bytes = this.#room(end);
    const tag = this.#used;
    bytes[tag] = AUDIO;
    bytes.writeUIntBE(size, tag + 1, 3);
    bytes.writeUIntBE(stamp & 0xff_ffff, tag + 4, 3);
    bytes[tag + 7] = (stamp >>> 24) & 0xff;
    bytes.fill(0, tag + 8, tag + TAG_BYTES);
    payload.copyInto(bytes, tag + TAG_BYTES, 0, size);
    bytes.writeUInt32BE(TAG_BYTES + size, end - POINTER_BYTES);
    this.#used = end;
    return true;
  }

  #room(size: number): Buffer {
    const known = this.#bytes;
    if (known !== undefined && known.length >= size) return known;
    const bytes = Buffer.alloc(known === undefined ? SOUND_SAMPLE.bytes : SOUND_SAMPLE.bytesMax);
    known?.copy(bytes, 0, 0, this.#used);
    this.#bytes = bytes;
    return bytes;
  }

  #submit(): void {
    const bytes = this.#bytes;
    if (bytes === undefined || this.#header === undefined) return;
    const { liveVideoId, session, submit } = this.#deps;
    const headerTag = flvTag('audio', this.#firstStamp, SliceList.of(this.#header));
    const flv = Buffer.concat([flvFileHeader(true, false), ...headerTag, bytes.subarray(0, this.#used)]);
    submit({ liveVideoId, session, startMs: this.#startMs }, flv);
    const at = this.#nextAt < 0 ? this.#used : this.#nextAt;
    bytes.copyWithin(0, at, this.#used);
    this.#used -= at;
    this.#startMs += (this.#nextStamp - this.#firstStamp) | 0;
    this.#firstStamp = this.#nextStamp;
    this.#nextAt = -1;
  }

  /** The sound is not continuous. `stepMs` is what the time stamps say of the gap. */
  #restart(stepMs = 0): void {
    if (this.#used > 0) this.#startMs += ((this.#lastStamp - this.#firstStamp) | 0) + Math.max(0, stepMs);
    this.#used = 0;
    this.#nextAt = -1;
  }

  close(): void {
    this.#bytes = undefined;
    this.#used = 0;
  }
}
