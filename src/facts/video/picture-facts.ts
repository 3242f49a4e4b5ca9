/**
 * Whether the picture of the first track moves, and whether it is black. Bits for each macroblock show a still picture;
 * where they leave a doubt, and for the color of a flat one, a key frame is wanted that the caller has decoded. So it is, as a sample
 * now and then, where the corner of a key frame that is not flat does not show that it is not black.
 */
import type { VideoPacket } from '../../media/packet.js';
import { PICTURE } from '../measures/events.js';
import type { PictureMeasures } from '../measures/measures.js';

const SECOND_MS = 1000;
/** slice_type of an I slice, modulo 5. */
const SLICE_I = 2;
/** Factor on the difference of equal pictures: above it, the picture is another one. */
const CHANGED = 1.5;
/** Key frames that follow each other faster are decoded at changing distances: pictures that alternate are all seen. */
const SHORT_STEP_MS = 500;
const SKIPS = 3;
const HIGHEST_QP = 51;
/** 2^((QP - 26) / 6). */
const QP_FACTOR = Float64Array.from({ length: HIGHEST_QP + 1 }, (_, qp) => 2 ** ((qp - 26) / 6));

export class PictureFacts {
  readonly #measures: PictureMeasures;
  /** Media time; NaN before the first frame. */
  #nowMs = Number.NaN;
  #secondMs = Number.NaN;
  #frames = 0;
  #bits = 0;
  #complexity = 0;
  /** No picture of the second changed it. */
  #isSecondProven = true;
  /** Rate of the last complete second; NaN before the first. */
  bitsPerMacroblock = Number.NaN;
  /** Start of the seconds without motion up to now; NaN in motion. */
  #stillSinceMs = Number.NaN;
  /** Start of those that the bits alone prove. */
  #provenSinceMs = Number.NaN;
  #keyBits = Number.NaN;
  #keyAtMs = Number.NaN;
  /** From the key frame before the last one. */
  #keyStepMs = Number.NaN;
  /** Start of the pictures that are flat up to now. */
  #flatSinceMs = Number.NaN;
  /** When an inter picture last changed a flat one. */
  #changedAtMs = Number.NEGATIVE_INFINITY;
  /** The color of the flat pictures; undefined until one was decoded. */
  #isDark: boolean | undefined;
  /** First and last decoded key frame of a black picture; NaN if the last one showed another. */
  #darkSinceMs = Number.NaN;
  #darkAtMs = Number.NaN;
  /** The last decoded key frame was black, whatever came after it. */
  #wasDark = false;
  /** The last key frame is not flat, and may be black by its corner. */
  #isDoubtful = false;
  /** The last key frame that cannot be black by its corner. */
  #litAtMs = Number.NEGATIVE_INFINITY;
  /** Samples that may be decoded from here on, at a time. */
  #samples: number;
  #samplesAtMs = Number.NaN;
  /** The last key frame showed a picture that is not black. */
  isLit = false;
  /** A still picture was followed by another one, which has not moved since. */
  hasChanged = false;
  /** Two key frames of the still pictures were decoded and are equal. */
  #isConfirmed = false;
  #reference: { readonly atMs: number; readonly gray: Uint8Array } | undefined;
  #isKeyFrame = false;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  /** The next key frame should be decoded. */
  isWanted = false;
  /** The key frame that is wanted is a sample: it may as well be a later one. */
  isSampleWanted = false;
  #asked = 0;
  /** Key frames that are left out before the next one is decoded. */
  #skips = 0;
  /** Number of the key frame that is being decoded; 0 if there is none. */
  #pending = 0;
  #pendingAtMs = Number.NaN;
  #isPendingSample = false;

  constructor(measures: PictureMeasures) {
    this.#measures = measures;
    this.#samples = measures.samples;
  }

  /** New connection, or a jump of the timestamps. */
  restart(): void {
    this.#nowMs = Number.NaN;
    this.#secondMs = Number.NaN;
    this.#restartSecond();
    this.bitsPerMacroblock = Number.NaN;
    this.#keyBits = Number.NaN;
    this.#keyAtMs = Number.NaN;
    this.#keyStepMs = Number.NaN;
    this.#pendingAtMs = Number.NaN;
    this.#changedAtMs = Number.NEGATIVE_INFINITY;
    this.#darkSinceMs = Number.NaN;
    this.#isDoubtful = false;
    this.#litAtMs = Number.NEGATIVE_INFINITY;
    this.#samplesAtMs = Number.NaN;
    this.isLit = false;
    this.#isKeyFrame = false;
    this.#retryAtMs = Number.NEGATIVE_INFINITY;
    this.#pending = 0;
    this.#move();
  }

  /** How long the picture is known not to have changed. The bits of a flat one prove nothing: any color costs as much. */
  get frozenMs(): number {
    const provenSinceMs = this.#isFlat ? Number.NaN : this.#provenSinceMs;
    const sinceMs = this.#isConfirmed ? this.#stillSinceMs : provenSinceMs;
    return Number.isNaN(sinceMs) ? 0 : this.#nowMs - sinceMs;
  }

  /** The last second had motion. False before the first second. */
  get isMoving(): boolean {
    return Number.isNaN(this.#stillSinceMs) && !Number.isNaN(this.bitsPerMacroblock);
  }

  /** How long the picture is known to be black: a flat one up to now, another up to the last key frame that was decoded. */
  get blackMs(): number {
    if (this.#isDark === true) return this.#nowMs - this.#flatDarkSinceMs;
    return Number.isNaN(this.#darkSinceMs) ? 0 : this.#darkAtMs - this.#darkSinceMs;
  }

  get #isFlat(): boolean {
    return !Number.isNaN(this.#flatSinceMs);
  }

  /** It may have been black before it was flat. */
  get #flatDarkSinceMs(): number {
    return Number.isNaN(this.#darkSinceMs) ? this.#flatSinceMs : Math.min(this.#darkSinceMs, this.#flatSinceMs);
  }

  #want(): void {
    const isFree = this.#pending === 0 && !(this.#nowMs < this.#retryAtMs);
    const isWanted = isFree && this.#needsPicture;
    this.isSampleWanted = isFree && !isWanted && this.#needsSample;
    this.isWanted = isWanted || this.isSampleWanted;
  }

  /** For the color of a flat picture, or to compare a still one. */
  get #needsPicture(): boolean {
    if (!this.#isFlat && (Number.isNaN(this.#stillSinceMs) || this.#provenSinceMs === this.#stillSinceMs)) return false;
    return this.#isDue(this.#isFlat ? this.#flatSinceMs : this.#stillSinceMs);
  }

  /** One that is black is decoded as often as a flat one, another as the samples allow. */
  get #needsSample(): boolean {
    if (this.#isFlat || !this.#isDoubtful) return false;
    if (!Number.isNaN(this.#darkSinceMs)) return this.#isDue(this.#darkSinceMs);
    const { samples, sampleMs, sampleStepMs, decodeMs } = this.#measures;
    if (Number.isNaN(this.#samplesAtMs)) this.#samplesAtMs = this.#nowMs;
    this.#samples = Math.min(samples, this.#samples + (this.#nowMs - this.#samplesAtMs) / sampleStepMs);
    this.#samplesAtMs = this.#nowMs;
    return this.#samples >= 1 && !(this.#nowMs - this.#pendingAtMs < (this.#wasDark ? decodeMs : sampleMs));
  }

  /** Whether the last key frame was decoded long enough ago for a picture that is the same since `sinceMs`. */
  #isDue(sinceMs: number): boolean {
    const { decodeMs, decodeShare, decodeMaxMs } = this.#measures;
    const waitMs = Math.min(decodeMaxMs, Math.max(decodeMs, decodeShare * (this.#nowMs - sinceMs)));
    // Also the first ones of a stretch: it may begin anew many times a second.
    return !(this.#nowMs - this.#pendingAtMs < waitMs);
  }

  /** Call after a packet whose payload is complete: the number of its picture, to be passed to `decoded`; 0 if it is not wanted. */
  ask(): number {
    if (!this.#isKeyFrame || !this.isWanted) return 0;
    if (this.#skips > 0 && this.#keyStepMs < SHORT_STEP_MS) {
      this.#skips--;
      return 0;
    }
    this.#asked++;
    this.#skips = this.#asked % SKIPS;
    this.#pending = this.#asked;
    this.#pendingAtMs = this.#nowMs;
    this.#isPendingSample = this.isSampleWanted;
    if (this.isSampleWanted && Number.isNaN(this.#darkSinceMs)) this.#samples--;
    this.isWanted = false;
    this.isSampleWanted = false;
    return this.#pending;
  }

  /** `gray`: absent if it could not be decoded. Returns events. */
  decoded(number: number, gray: Uint8Array | undefined): number {
    // The picture has changed since.
    if (number !== this.#pending) return 0;
    this.#pending = 0;
    if (gray === undefined) {
      this.#retryAtMs = this.#nowMs + this.#measures.retryMs;
      return 0;
    }
    const isDark = darkShare(gray, this.#measures.blackLevel) >= this.#measures.blackShare;
    if (this.#isFlat && !this.#isPendingSample) this.#color(isDark);
    this.#see(isDark);
    if (!this.#isPendingSample) this.#compare(gray);
    this.#want();
    return PICTURE;
  }

  /** A coded picture. Returns events. */
  frame(packet: VideoPacket, macroblocks: number, timeMs: number): number {
    this.#nowMs = timeMs;
    this.#isKeyFrame = packet.idr || packet.recoveryPoint;
    const events = timeMs - this.#secondMs < SECOND_MS ? 0 : this.#second(timeMs);
    const bits = packet.sliceBits / macroblocks;
    if (this.#isKeyFrame) {
      this.#keyFrame(bits, packet);
      this.#want();
      return PICTURE;
    }
    const isIntra = packet.sliceType === SLICE_I;
    const changes = isIntra || bits > this.#measures.changeBits || packet.isWeighted ? this.#change() : 0;
    if (isIntra) return events | changes;
    this.#frames++;
    this.#bits += bits;
    this.#complexity += bits * (QP_FACTOR[packet.qp] ?? Number.NaN);
    return events | changes;
  }

  /** An inter picture that is another one than before. Where key frames are not flat, it may be a still that is refined. */
  #change(): number {
    this.#isSecondProven = false;
    if (!this.#isFlat) return 0;
    if (this.#isDark === true) this.isLit = true;
    // It may as well be black noise that has begun.
    if (this.#isDark !== false) this.#isDoubtful = true;
    this.#darkSinceMs = Number.NaN;
    this.#begin(this.#nowMs);
    this.#changedAtMs = this.#nowMs;
    this.#flatSinceMs = Number.NaN;
    this.#isDark = undefined;
    return PICTURE;
  }

  /** Another picture begins. */
  #begin(atMs: number): void {
    if (!Number.isNaN(this.#stillSinceMs)) this.#stillSinceMs = atMs;
    this.#provenSinceMs = Number.NaN;
    this.#isConfirmed = false;
    this.#reference = undefined;
    this.#forgetPending();
    this.hasChanged = true;
  }

  /** A decoded picture says nothing of another one. A sample says what was seen at its time. */
  #forgetPending(): void {
    if (!this.#isPendingSample) this.#pending = 0;
  }

  #color(isDark: boolean): void {
    const before = this.#isDark;
    this.#isDark = isDark;
    if (before !== undefined && before !== isDark) this.#flatSinceMs = this.#pendingAtMs;
  }

  /** The key frame that was asked for last is decoded. */
  #see(isDark: boolean): void {
    this.#wasDark = isDark;
    if (!isDark) {
      this.#darkSinceMs = Number.NaN;
      this.isLit = true;
    } else if (this.#litAtMs <= this.#pendingAtMs) {
      const sinceMs = this.#isDark === true ? this.#flatSinceMs : this.#pendingAtMs;
      if (Number.isNaN(this.#darkSinceMs)) this.#darkSinceMs = sinceMs;
      this.#darkAtMs = this.#pendingAtMs;
    }
  }

  #second(timeMs: number): number {
    const isFirst = Number.isNaN(this.#secondMs);
    const startMs = this.#secondMs;
    this.#secondMs = timeMs;
    if (isFirst) return 0;
    const bits = this.#bits / this.#frames;
    const isLow = bits <= this.#measures.stillBits;
    const isProven = isLow && this.#isSecondProven;
    const isStill = isLow || this.#complexity / this.#frames <= this.#measures.stillComplexity;
    this.#restartSecond();
    this.bitsPerMacroblock = bits;
    if (!isStill) {
      this.#move();
      this.#want();
      return PICTURE;
    }
    if (Number.isNaN(this.#stillSinceMs)) this.#stillSinceMs = Math.max(startMs, this.#changedAtMs);
    if (!isProven) this.#provenSinceMs = Number.NaN;
    else if (Number.isNaN(this.#provenSinceMs)) this.#provenSinceMs = startMs;
    this.#want();
    return PICTURE;
  }

  #restartSecond(): void {
    this.#frames = 0;
    this.#bits = 0;
    this.#complexity = 0;
    this.#isSecondProven = true;
  }

  #keyFrame(bits: number, { isCabac, cornerLuma }: VideoPacket): void {
    const { flatBitsCabac, flatBitsCavlc, sameSize, darkCorner } = this.#measures;
    const before = this.#keyBits;
    const beforeMs = this.#keyAtMs;
    this.#keyBits = bits;
    this.#keyAtMs = this.#nowMs;
    this.#keyStepMs = this.#nowMs - beforeMs;
    // Another picture may begin with it, as in a show of slides: the bits of the inter pictures prove nothing then.
    if (Math.abs(bits - before) > sameSize * before) this.#provenSinceMs = Number.NaN;
    if (bits <= (isCabac ? flatBitsCabac : flatBitsCavlc)) {
      this.#isDoubtful = false;
      // The picture may have turned flat between two key frames, but not before the last one that was not flat.
      if (this.#isFlat) return;
      const stillMs = this.#stillSinceMs > beforeMs ? this.#stillSinceMs : Number.NEGATIVE_INFINITY;
      const startMs = Math.max(stillMs, this.#changedAtMs);
      const sinceMs = startMs > beforeMs ? startMs : this.#nowMs;
      this.#begin(sinceMs);
      this.#flatSinceMs = sinceMs;
      return;
    }
    if (this.#isDark === true) {
      this.#darkSinceMs = this.#flatDarkSinceMs;
      this.#darkAtMs = this.#nowMs;
    }
    if (this.#isFlat) this.#move();
    this.#isDoubtful = !(cornerLuma > darkCorner);
    if (this.#isDoubtful) return;
    this.#litAtMs = this.#nowMs;
    this.#darkSinceMs = Number.NaN;
    this.isLit = true;
  }

  /** The picture changes: what was known of it is void. */
  #move(): void {
    if (this.#isDark === true) this.isLit = false;
    this.#flatSinceMs = Number.NaN;
    this.#isDark = undefined;
    this.#stillSinceMs = Number.NaN;
    this.#provenSinceMs = Number.NaN;
    this.#isConfirmed = false;
    this.#reference = undefined;
    this.#forgetPending();
    this.isWanted = false;
    this.isSampleWanted = false;
    this.hasChanged = false;
  }

  #compare(gray: Uint8Array): void {
    const { compareMs, sameDifference } = this.#measures;
    const next = { atMs: this.#pendingAtMs, gray };
    const before = this.#reference;
    if (before === undefined) {
      this.#reference = next;
      return;
    }
    const difference = meanDifference(before.gray, gray);
    // A still picture may be refined meanwhile; slow motion or another slide differs by more.
    if (!(difference < CHANGED * sameDifference)) {
      this.#begin(next.atMs);
      this.#reference = next;
    } else if (next.atMs - before.atMs >= compareMs) {
      if (difference <= sameDifference) this.#isConfirmed = true;
      else this.#reference = next;
    }
  }
}

/** Share of the pixels of a gray picture, 0 (black) to 255, that are at most `level`. */
function darkShare(picture: Uint8Array, level: number): number {
  let dark = 0;
  for (const value of picture) if (value <= level) dark++;
  return dark / picture.length;
}

/** Mean absolute difference; NaN for pictures of different sizes. */
function meanDifference(one: Uint8Array, other: Uint8Array): number {
  if (one.length !== other.length) return Number.NaN;
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += Math.abs((one[i] as number) - (other[i] as number));
  return sum / one.length;
}
