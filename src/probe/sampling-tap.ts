/** Gathers one sample of a running stream at a time: a few seconds as FLV, from a key frame on. */
import { SliceList } from '../bytes/slices.js';
import { flvFileHeader, flvTag } from '../media/flv/file-writer.js';
import { isSequenceHeader } from '../media/flv/sequence-header.js';
import type { Clock, MediaTap, StreamHealth } from '../ports/index.js';

export const DEEP_PROBE = {
  /** Long enough for a key frame at the longest interval allowed. */
  sampleMs: 4_000,
  sampleBytes: 8 * 1024 * 1024,
  /** Samples that are gathered at one time: each is a copy of seconds of video, and many encoders may come back at once. */
  gatheredAtOnce: 3,
  /** Samples of one connection are at least so far apart. */
  againMs: 30_000,
} as const;

type Kind = 'audio' | 'video' | 'data';

export interface SamplingDeps {
  /** What the judge says now. */
  readonly health: (liveVideoId: string) => StreamHealth | undefined;
  readonly clock: Clock;
}

/** Places for samples that are being gathered, of all streams of the process. */
export interface SamplePlaces {
  /** Whether another sample may be gathered. */
  readonly hasRoom: boolean;
  /** Samples being gathered now. */
  gathering: number;
  readonly counts: { skipped: number };
  /** Judges a sample; never rejects. */
  judge(liveVideoId: string, flv: Uint8Array, health: StreamHealth): Promise<void>;
}

export class SamplingTap implements MediaTap {
  readonly copies = true;
  readonly #deps: SamplingDeps;
  readonly #liveVideoId: string;
  readonly #places: SamplePlaces;
  /** Sequence headers as they were last, so that a sample begins with them and a change is seen. */
  #videoHeader: Uint8Array | undefined;
  #audioHeader: Uint8Array | undefined;
  #sample: Uint8Array[] | undefined;
  #sampleBytes = 0;
  #firstMs = 0;
  #lastSampleMs = Number.NEGATIVE_INFINITY;
  /** A place is held, and the sample begins with the next key frame. */
  #wanted = false;
  /** The headers changed too soon after a sample: one is due when the time has passed. */
  #isOwed = false;
  /** No place was free for it; counted once, though both tracks have a header. */
  #isSkipped = false;

  constructor(deps: SamplingDeps, liveVideoId: string, places: SamplePlaces) {
    this.#deps = deps;
    this.#liveVideoId = liveVideoId;
    this.#places = places;
  }

  /** Between samples it waits for a change of the sequence headers. */
  get isIdle(): boolean {
    return !this.#hasPlace && !(this.#isOwed && this.#mayAgain);
  }

  get #hasPlace(): boolean {
    return this.#wanted || this.#sample !== undefined;
  }

  get #mayAgain(): boolean {
    return this.#deps.clock.monotonicMs() - this.#lastSampleMs >= DEEP_PROBE.againMs;
  }

  packet(kind: Kind, timestampMs: number, payload: SliceList): void {
    if (kind === 'data') return;
    const isHeader = isSequenceHeader(kind, payload);
    if (this.#isOwed && this.#mayAgain) this.#reserve();
    if (isHeader) this.#onHeader(kind, payload);
    else if (this.#wanted && this.#sample === undefined) this.#begin(kind, timestampMs, payload);
    if (this.#sample === undefined || isHeader) return;
    this.#keep(kind, timestampMs, payload);
    const elapsedMs = (timestampMs - this.#firstMs) | 0;
    if (elapsedMs >= DEEP_PROBE.sampleMs || this.#sampleBytes >= DEEP_PROBE.sampleBytes) this.#hand();
  }

  #onHeader(kind: 'audio' | 'video', payload: SliceList): void {
    const bytes = payload.copy(0, Math.min(payload.length, 65_536));
    const before = kind === 'video' ? this.#videoHeader : this.#audioHeader;
    if (before !== undefined && Buffer.compare(before, bytes) === 0) return;
    if (kind === 'video') this.#videoHeader = bytes;
    else this.#audioHeader = bytes;
    // What was gathered so far is of other settings.
    if (this.#hasPlace) {
      this.#sample = undefined;
      this.#wanted = true;
    } else if (this.#mayAgain) {
      this.#reserve();
    } else {
      this.#isOwed = true;
    }
  }

  /** The place is taken with the header, so that who finds none need look at no packet. */
  #reserve(): void {
    this.#isOwed = false;
    if (!this.#places.hasRoom) {
      if (!this.#isSkipped) this.#places.counts.skipped++;
      this.#isSkipped = true;
      return;
    }
    this.#places.gathering++;
    this.#wanted = true;
  }

  /** With a key frame, or with sound when there is no video. */
  #begin(kind: 'audio' | 'video', timestampMs: number, payload: SliceList): void {
    const starts = kind === 'video' ? ((payload.byteAt(0) >> 4) & 7) === 1 : this.#videoHeader === undefined;
    if (!starts) return;
    this.#wanted = false;
    this.#isSkipped = false;
    this.#lastSampleMs = this.#deps.clock.monotonicMs();
    this.#sample = [flvFileHeader(true, true)];
    this.#sampleBytes = 0;
    this.#firstMs = timestampMs;
    for (const header of [this.#videoHeader, this.#audioHeader]) {
      if (header === undefined) continue;
      this.#keep(header === this.#videoHeader ? 'video' : 'audio', timestampMs, SliceList.of(header));
    }
  }

  /** A copy: the network buffers are not held for seconds. */
  #keep(kind: Kind, timestampMs: number, payload: SliceList): void {
    const tag = Buffer.concat(flvTag(kind, timestampMs, payload));
    this.#sample?.push(tag);
    this.#sampleBytes += tag.length;
  }

  #hand(): void {
    const sample = this.#sample;
    this.#giveUp();
    const health = this.#deps.health(this.#liveVideoId);
    if (sample !== undefined && health !== undefined)
      void this.#places.judge(this.#liveVideoId, Buffer.concat(sample), health);
  }

  /** The place is free again. */
  #giveUp(): void {
    if (this.#hasPlace) this.#places.gathering--;
    this.#sample = undefined;
    this.#wanted = false;
  }

  /** A stream that was too short is not judged. */
  close(): void {
    this.#giveUp();
  }
}
