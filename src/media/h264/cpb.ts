/**
 * Coded picture buffer of the hypothetical reference decoder (H.264 C.1): filled at the declared rate, emptied by each
 * picture at its decode time. Starts full, as the most lenient of the allowed starts.
 */
import { bitrateFactors, levelLimits } from './levels.js';
import type { Sps } from './sps.js';
import type { HrdEntry } from './vui.js';

export class CodedPictureBuffer {
  /** bit/s and bits; 0 while unknown. */
  rateBps = 0;
  sizeBits = 0;
  /** The rate and size are those of the stream's own HRD parameters, otherwise those of its level. */
  isDeclared = false;
  #fullness = 0;
  #lastMs = Number.NaN;
  #sps: Sps | undefined;

  restart(): void {
    this.#fullness = this.sizeBits;
    this.#lastMs = Number.NaN;
  }

  /** Takes the rate and size of a parameter set; nothing changes for the same object. */
  configure(sps: Sps): void {
    if (sps === this.#sps) return;
    this.#sps = sps;
    const declared = plausible(largest(sps.vui?.nalHrd));
    const limits = levelLimits(sps.levelTimes10);
    // A frame that is too large for the level says that the level is wrong, not the rate.
    const fits = sps.picWidthInMbs * sps.frameHeightInMbs <= (limits?.maxFs ?? 0);
    const factor = fits ? (bitrateFactors(sps.profileIdc)?.nal ?? 0) : 0;
    this.isDeclared = declared !== undefined;
    this.rateBps = declared?.bitrateBps ?? (limits?.maxBr ?? 0) * factor;
    this.sizeBits = declared?.cpbSizeBits ?? (limits?.maxCpb ?? 0) * factor;
    this.restart();
  }

  /** Removes a picture of `bytes` at `timeMs`. Returns the missing bits as a share of the buffer, 0 without underflow. */
  remove(bytes: number, timeMs: number): number {
    if (this.sizeBits === 0) return 0;
    const elapsedMs = Number.isNaN(this.#lastMs) ? 0 : Math.max(0, timeMs - this.#lastMs);
    this.#lastMs = timeMs;
    const filled = Math.min(this.sizeBits, this.#fullness + (this.rateBps * elapsedMs) / 1000);
    this.#fullness = filled - 8 * bytes;
    if (this.#fullness >= 0) return 0;
    const missing = -this.#fullness / this.sizeBits;
    this.#fullness = 0;
    return missing;
  }
}

/** Only the NAL parameters: those of the VCL do not count filler and SEI. A stream conforms to each of its schedules; the fastest with the largest buffer needs the least of it. */
function largest(entries: readonly HrdEntry[] | undefined): HrdEntry | undefined {
  return entries?.reduce((best, next) => (next.bitrateBps >= best.bitrateBps ? next : best));
}

/** Shorter than one frame at 20 fps: such a buffer is a placeholder. */
const LEAST_BUFFER_S = 0.05;

/** Below any video. */
const LEAST_RATE_BPS = 64_000;

function plausible(entry: HrdEntry | undefined): HrdEntry | undefined {
  if (entry === undefined || entry.bitrateBps < LEAST_RATE_BPS) return undefined;
  return entry.cpbSizeBits >= entry.bitrateBps * LEAST_BUFFER_S ? entry : undefined;
}
