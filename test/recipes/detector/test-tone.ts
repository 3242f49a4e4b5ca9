/**
 * An example of a detector: finds a line-up tone of 1 kHz that was left on. The process that receives a stream collects two seconds of
 * its sound, the one that opens media measures them, and the answer raises a record.
 */
import { SliceList } from '../../../src/bytes/slices.js';
import { flvFileHeader, flvTag } from '../../../src/media/flv/file-writer.js';
import { isSequenceHeader } from '../../../src/media/flv/latest-headers.js';
import type { MediaTap, TappedStream, TapSource } from '../../../src/ports/index.js';
import { testTone } from './test-tone-rule.js';

const TONE = {
  hz: 1_000,
  sampleMs: 2_000,
  /** A stream of 512 kbps has a quarter of this in a sample. */
  sampleBytes: 512 * 1024,
  /** Music and speech have less than a tenth of their energy at one frequency. */
  share: 0.9,
} as const;

/** Measures samples in the process that opens media. */
export interface ToneMeter {
  readonly hasRoomForTone: boolean;
  /** The share of the energy of the sound that is at 1 kHz, 0 to 1. @throws what says that it was not measured */
  tone(flv: Uint8Array): Promise<number>;
}

export class TestTones implements TapSource {
  readonly #meter: ToneMeter;

  constructor(meter: ToneMeter) {
    this.#meter = meter;
  }

  open(stream: TappedStream, when: 'publish' | 'live'): MediaTap | undefined {
    return when === 'live' ? new ToneTap(stream, this.#meter) : undefined;
  }
}

/** Takes one sample of each publish. */
class ToneTap implements MediaTap {
  readonly copies = true;
  readonly #stream: TappedStream;
  readonly #meter: ToneMeter;
  #sample: Uint8Array[] | undefined;
  #bytes = 0;
  #firstMs = 0;
  isIdle = true;

  constructor(stream: TappedStream, meter: ToneMeter) {
    this.#stream = stream;
    this.#meter = meter;
  }

  packet(kind: 'audio' | 'video' | 'data', timestampMs: number, payload: SliceList): void {
    if (kind !== 'audio') return;
    if (this.#sample === undefined && isSequenceHeader('audio', payload)) {
      this.#sample = [flvFileHeader(true, false)];
      this.#firstMs = timestampMs;
      this.isIdle = false;
    }
    if (this.isIdle) return;
    const tag = Buffer.concat(flvTag('audio', timestampMs, SliceList.of(payload.copy(0, payload.length))));
    this.#sample?.push(tag);
    this.#bytes += tag.length;
    if (timestampMs - this.#firstMs >= TONE.sampleMs || this.#bytes >= TONE.sampleBytes) void this.#measure();
  }

  async #measure(): Promise<void> {
    const flv = Buffer.concat(this.#sample ?? []);
    this.#sample = [];
    this.isIdle = true;
    if (!this.#meter.hasRoomForTone) return;
    const share = await this.#meter.tone(flv).catch(() => 0);
    if (share >= TONE.share) this.#stream.note(testTone.entry.code, `${Math.round(share * 100)}% of the sound`);
  }

  close(): void {
    this.isIdle = true;
  }
}

/** The share of the energy of 16-bit samples that is at 1 kHz (Goertzel's algorithm). */
export function toneShare(pcm: Uint8Array, sampleRate: number): number {
  const samples = new Int16Array(pcm.slice(0, pcm.length & ~1).buffer);
  const factor = 2 * Math.cos((2 * Math.PI * TONE.hz) / sampleRate);
  let [last, before, energy] = [0, 0, 0];
  for (const sample of samples) {
    [before, last] = [last, sample + factor * last - before];
    energy += sample * sample;
  }
  const power = last * last + before * before - factor * last * before;
  return energy === 0 ? 0 : power / (energy * (samples.length / 2));
}
