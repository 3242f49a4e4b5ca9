/**
 * Puts samples of sound one after the other into one FLV stream, for a process that is kept. Each sample starts at a
 * multiple of the step, where ffmpeg's segment muxer ends the segment before; silence follows it at the next multiple, so
 * that its own segment ends at once.
 */
import { SliceList } from '../bytes/slices.js';
import { flvFileHeader, flvTag } from '../media/flv/file-writer.js';
import { BACK_POINTER_BYTES, FILE_START_BYTES, TAG_HEADER_BYTES } from '../media/flv/sizes.js';

export const SERIES = {
  /** Longer than a sample. */
  stepMs: 60_000,
  /** Frames of silence: too few for an item of a print. */
  silentFrames: 3,
  silentFrameMs: 24,
} as const;

const AUDIO = 8;
const LOW_COMPLEXITY = 2;
/** A raw data block of AAC-LC without a spectral coefficient (ISO/IEC 14496-3, 4.4.2.1), by the number of channels. */
const SILENCE: Readonly<Record<number, readonly number[]>> = {
  1: [0x00, 0xc8, 0x00, 0x80, 0x23, 0x80],
  2: [0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00, 0x23, 0x80],
};
const CODED_AAC = [0xaf, 1];

export interface PlacedSample {
  readonly bytes: Uint8Array;
  /** Number of the segment that holds the sample. */
  readonly segment: number;
}

export class SampleSeries {
  #segments = 0;

  /** `flv`: a sequence header, then frames in the order of their times. Undefined for what is no AAC-LC of 1 or 2 channels. */
  place(flv: Uint8Array): PlacedSample | undefined {
    const silence = silenceFor(flv);
    const segment = this.#segments;
    const fromMs = segment * SERIES.stepMs;
    const moved = silence === undefined ? undefined : movedTo(flv, fromMs);
    if (silence === undefined || moved === undefined) return undefined;
    this.#segments += 2;
    const tail = Array.from({ length: SERIES.silentFrames }, (_, at) =>
      flvTag('audio', fromMs + SERIES.stepMs + at * SERIES.silentFrameMs, SliceList.of(silence)),
    );
    const head = segment === 0 ? [flvFileHeader(true, false)] : [];
    return { bytes: Buffer.concat([...head, moved, ...tail.flat()]), segment };
  }
}

/** By the AudioSpecificConfig, which the first tag has. */
function silenceFor(flv: Uint8Array): Uint8Array | undefined {
  const config = FILE_START_BYTES + TAG_HEADER_BYTES + 2;
  const [first = 0, second = 0] = flv.subarray(config, config + 2);
  const block = SILENCE[(second >> 3) & 15];
  if (first >> 3 !== LOW_COMPLEXITY || block === undefined) return undefined;
  return Uint8Array.of(...CODED_AAC, ...block);
}

/** All tags, the first one at `fromMs`. Undefined for what is damaged, is not sound or is too long. */
function movedTo(flv: Uint8Array, fromMs: number): Uint8Array | undefined {
  const tags = Buffer.from(flv.subarray(FILE_START_BYTES));
  let firstMs: number | undefined;
  for (let at = 0; at < tags.length; ) {
    if (at + TAG_HEADER_BYTES > tags.length || tags[at] !== AUDIO) return undefined;
    const stampMs = tags.readUIntBE(at + 4, 3) + (tags[at + 7] ?? 0) * 2 ** 24;
    firstMs ??= stampMs;
    const sinceMs = (stampMs - firstMs) >>> 0;
    if (sinceMs >= SERIES.stepMs) return undefined;
    const movedMs = fromMs + sinceMs;
    tags.writeUIntBE(movedMs & 0xff_ffff, at + 4, 3);
    tags[at + 7] = movedMs >>> 24;
    at += TAG_HEADER_BYTES + tags.readUIntBE(at + 1, 3) + BACK_POINTER_BYTES;
    if (at > tags.length) return undefined;
  }
  return firstMs === undefined ? undefined : tags;
}
