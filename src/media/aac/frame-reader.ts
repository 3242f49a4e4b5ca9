/** Reads the AAC frames of one track: the start of each, and the whole spectrum of a sample of them. */
import type { SliceList } from '../../bytes/slices.js';
import type { AudioSpecificConfig } from './audio-specific-config.js';
import { type AudioLevels, frameFault, frameLevels } from './frame-levels.js';
import { FrameSampling, USE_BLOCK, USE_DENSE, USE_METER, USE_RULES } from './frame-sampling.js';
import { AAC_START_BYTES, aacFault, isStartZero } from './frame-syntax.js';
import { MAX_FRAME_BYTES } from './window-info.js';

const LOW_COMPLEXITY = 2;
/** -60 LUFS. After such a frame the next one is read too: a silent frame is short, and no sound in a silence is missed. */
const SILENT_POWER = 1.17e-6;

/** Fields of `AudioPacket`. */
interface AacFindings {
  syntaxFault: string;
  levels: AudioLevels | undefined;
  isRepeat: boolean;
}

/** The rule on repeated frames needs the level of one of them (`DEAD_AIR.stuckFrames`). */
const STUCK_FRAMES = 20;
/** Step through the start of a frame: one byte in so many is compared first, and all if those are equal. */
const BRIEF_STEP = 8;
const FULL_STEP = 1;

/** Shared by all readers: parsing is synchronous. */
const COPY = new Uint8Array(MAX_FRAME_BYTES);

export class AacFrameReader {
  readonly #sampling = new FrameSampling();
  /** The frame before was silent, or the frames have repeated. */
  #readsNext = false;
  /** Frames in a row that repeat the one before them. */
  #repeats = 0;
  /** Hash of the last frame. */
  #briefHash = Number.NaN;
  /** NaN: not computed. */
  #fullHash = Number.NaN;

  /** Samples a file: more often at its start, less often after some minutes. */
  sampleFile(): void {
    this.#sampling.sampleFile();
  }

  /** Bytes of the next frame that `read` needs, of `size`. */
  wantedBytes(size: number): number {
    return this.#sampling.uses === 0 && !this.#readsNext ? Math.min(size, AAC_START_BYTES) : size;
  }

  /** The frame of `size` bytes that starts with `bytes[from, to)`. */
  read(bytes: Uint8Array, from: number, to: number, size: number, config: AudioSpecificConfig, out: AacFindings): void {
    out.syntaxFault = aacFault(bytes, from, to, size, config);
    out.isRepeat = this.#isRepeat(bytes, from, Math.min(to, from + AAC_START_BYTES, from + size), size);
    this.#repeats = out.isRepeat ? this.#repeats + 1 : 0;
    const sampling = this.#sampling;
    const { uses, denseFrames, blockFrames } = sampling;
    sampling.next(config.sampleRate);
    // Samples are far apart: a silence that begins between two of them is read too, from its second frame on.
    const isFound = sampling.isSparse && (isStartZero || this.#repeats === STUCK_FRAMES - 1);
    if (uses === 0 && !this.#readsNext) {
      this.#readsNext = isFound;
      return;
    }
    if (out.syntaxFault !== '' || to - from < size || size > MAX_FRAME_BYTES) return;
    if (config.audioObjectType === LOW_COMPLEXITY && config.frameLength === 1024) {
      const isJudged = isFound || this.#readsNext || (uses & USE_RULES) !== 0;
      const levels = frameLevels(bytes, from, from + size, config, !isJudged);
      if (isJudged) out.syntaxFault = frameFault;
      if (isJudged) this.#readsNext = levels !== undefined && levels.power < SILENT_POWER;
      if (levels !== undefined) {
        levels.isMetered = (uses & USE_METER) !== 0;
        levels.denseFrames = (uses & USE_DENSE) !== 0 ? denseFrames : 0;
        levels.isJudged = isJudged;
        levels.blockFrames = (uses & USE_BLOCK) !== 0 ? blockFrames : 0;
        sampling.measured(uses, levels.power);
      }
      out.levels = levels;
    }
  }

  /** Few frames are equal in the bytes that are compared first, so most are hashed briefly. */
  #isRepeat(bytes: Uint8Array, from: number, to: number, size: number): boolean {
    const briefHash = hashOf(bytes, from, to, size, BRIEF_STEP);
    const before = this.#fullHash;
    if (briefHash !== this.#briefHash) {
      this.#briefHash = briefHash;
      if (!Number.isNaN(before)) this.#fullHash = Number.NaN;
      return false;
    }
    this.#fullHash = hashOf(bytes, from, to, size, FULL_STEP);
    return Number.isNaN(before) || this.#fullHash === before;
  }

  /** The frame `payload[from, to)`. Most are in one piece; of the others the bytes that are read are copied. */
  readPieces(
    payload: SliceList,
    from: number,
    to: number,
    config: AudioSpecificConfig | undefined,
    out: AacFindings,
  ): void {
    if (config === undefined || from >= to) return;
    const size = to - from;
    const wanted = Math.min(this.wantedBytes(size), MAX_FRAME_BYTES);
    const start = payload.startAt(0) + from;
    const end = payload.endAt(0);
    if (end - start >= wanted) {
      this.read(payload.bufferAt(0), start, Math.min(end, start + size), size, config, out);
      return;
    }
    // A packet whose size alone is known has nothing to read.
    if (payload.hasHoles) return;
    payload.copyInto(COPY, 0, from, from + wanted);
    this.read(COPY, 0, wanted, size, config, out);
  }
}

/** FNV-1a of the size and of one byte in `step`. */
function hashOf(bytes: Uint8Array, from: number, to: number, size: number, step: number): number {
  let hash = 0x811c9dc5 ^ size;
  for (let at = from; at < to; at += step) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash;
}
