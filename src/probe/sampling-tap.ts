/** Collects samples of a live stream, one at a time: a few seconds as FLV, starting with a key frame. */
import { SliceList } from '../bytes/slices.js';
import { flvFileHeader, flvTag } from '../media/flv/file-writer.js';
import { isSequenceHeader } from '../media/flv/latest-headers.js';
import type { Clock, MediaTap, StreamHealth, TappedStream } from '../ports/index.js';

export const DEEP_PROBE = {
  /** Long enough for a key frame at the longest interval allowed. */
  sampleMs: 4_000,
  sampleBytes: 8 * 1024 * 1024,
  /** Concurrent samples: each is a copy of seconds of video, and many encoders may reconnect at once. */
  gatheredAtOnce: 3,
  /** Minimum time between samples of one connection. */
  againMs: 30_000,
} as const;

type Kind = 'audio' | 'video' | 'data';

/** The sample slots, shared by all streams of the process. */
export interface SamplePlaces {
  /** Whether a slot is free. */
  readonly hasRoom: boolean;
  /** Slots in use. */
  gathering: number;
  readonly counts: { skipped: number };
  /** Compares a sample with `health`; never rejects. */
  judge(liveVideoId: string, flv: Uint8Array, health: StreamHealth): Promise<void>;
}

export class SamplingTap implements MediaTap {
  readonly copies = true;
  readonly #stream: Pick<TappedStream, 'liveVideoId' | 'health'>;
  readonly #clock: Clock;
  readonly #places: SamplePlaces;
  /** Latest sequence headers: a sample begins with them, and a change triggers a new one. */
  #videoHeader: Uint8Array | undefined;
  #audioHeader: Uint8Array | undefined;
  #sample: Uint8Array[] | undefined;
  #sampleBytes = 0;
  #firstMs = 0;
  #lastSampleMs = Number.NEGATIVE_INFINITY;
  /** A slot is held, and the sample starts at the next key frame. */
  #wanted = false;
  /** The headers changed too soon after a sample, or it was not judged: one is due when the interval has passed. */
  #isDue = false;
  /** No slot was free; counted once, though both tracks have a header. */
  #isSkipped = false;

  constructor(stream: Pick<TappedStream, 'liveVideoId' | 'health'>, clock: Clock, places: SamplePlaces) {
    this.#stream = stream;
    this.#clock = clock;
    this.#places = places;
  }

  /** Between samples it waits for a change of the sequence headers. */
  get isIdle(): boolean {
    return !this.#hasPlace && !(this.#isDue && this.#mayAgain);
  }

  get #hasPlace(): boolean {
    return this.#wanted || this.#sample !== undefined;
  }

  get #mayAgain(): boolean {
    return this.#clock.monotonicMs() - this.#lastSampleMs >= DEEP_PROBE.againMs;
  }

  packet(kind: Kind, timestampMs: number, payload: SliceList): void {
    if (kind === 'data') return;
    const isHeader = isSequenceHeader(kind, payload);
    if (this.#isDue && this.#mayAgain) this.#reserve();
    if (isHeader) this.#keepHeader(kind, payload);
    else if (this.#wanted && this.#sample === undefined) this.#begin(kind, timestampMs, payload);
    if (this.#sample === undefined || isHeader) return;
    this.#keep(kind, timestampMs, payload);
    const elapsedMs = (timestampMs - this.#firstMs) | 0;
    if (elapsedMs >= DEEP_PROBE.sampleMs || this.#sampleBytes >= DEEP_PROBE.sampleBytes) this.#submit();
  }

  #keepHeader(kind: 'audio' | 'video', payload: SliceList): void {
    const bytes = payload.copy(0, Math.min(payload.length, 65_536));
    const before = kind === 'video' ? this.#videoHeader : this.#audioHeader;
    if (before !== undefined && Buffer.compare(before, bytes) === 0) return;
    if (kind === 'video') this.#videoHeader = bytes;
    else this.#audioHeader = bytes;
    // The packets collected so far belong to the old settings.
    if (this.#hasPlace) {
      this.#sample = undefined;
      this.#wanted = true;
    } else if (this.#mayAgain) {
      this.#reserve();
    } else {
      this.#isDue = true;
    }
  }

  /** The slot is taken at the header, so that without a slot no further packet is examined. */
  #reserve(): void {
    this.#isDue = false;
    if (!this.#places.hasRoom) {
      if (!this.#isSkipped) this.#places.counts.skipped++;
      this.#isSkipped = true;
      return;
    }
    this.#places.gathering++;
    this.#wanted = true;
  }

  /** Starts at a key frame, or at an audio packet when there is no video. */
  #begin(kind: 'audio' | 'video', timestampMs: number, payload: SliceList): void {
    const starts = kind === 'video' ? ((payload.byteAt(0) >> 4) & 7) === 1 : this.#videoHeader === undefined;
    if (!starts) return;
    this.#wanted = false;
    this.#isSkipped = false;
    this.#lastSampleMs = this.#clock.monotonicMs();
    this.#sample = [flvFileHeader(true, true)];
    this.#sampleBytes = 0;
    this.#firstMs = timestampMs;
    for (const header of [this.#videoHeader, this.#audioHeader]) {
      if (header === undefined) continue;
      this.#keep(header === this.#videoHeader ? 'video' : 'audio', timestampMs, SliceList.of(header));
    }
  }

  /** Copies: network buffers must not be held for seconds. */
  #keep(kind: Kind, timestampMs: number, payload: SliceList): void {
    const tag = Buffer.concat(flvTag(kind, timestampMs, payload));
    this.#sample?.push(tag);
    this.#sampleBytes += tag.length;
  }

  #submit(): void {
    const sample = this.#sample;
    this.#release();
    const health = this.#stream.health();
    if (sample === undefined || health === undefined) return;
    // The backlog of a held publish is not judged: there is nothing to compare with yet.
    if (health.videoCodec === undefined && health.audioCodec === undefined) this.#isDue = true;
    else void this.#places.judge(this.#stream.liveVideoId, Buffer.concat(sample), health);
  }

  /** Releases the slot. */
  #release(): void {
    if (this.#hasPlace) this.#places.gathering--;
    this.#sample = undefined;
    this.#wanted = false;
  }

  /** A sample that is too short is discarded. */
  close(): void {
    this.#release();
  }
}
