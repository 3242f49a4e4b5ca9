/**
 * Loudness over time (ITU-R BS.1770-4) from sampled frames, about three a second. The gates apply to blocks of five samples,
 * 1.7 s, in place of 400 ms: a single frame of 21 ms is louder or quieter than what surrounds it. Where a file is sampled
 * more densely, they apply to blocks of 0.4 s that overlap, as the standard has them; after some minutes of a file, to blocks
 * of 405 ms with pauses between them.
 */

/** Shown in place of the level of digital silence. */
export const FLOOR_LUFS = -99;
/** ITU-R BS.1770-4, Annex 1. */
const OFFSET_LUFS = -0.691;

/** Samples in three seconds: a frame of 21.3 ms in 16, or of 42.7 ms in 8. */
const SHORT_TERM = 9;
/** Samples in a block, 1.7 s. Their places are random: with three the gate would leave out the rests between loud beats. */
const BLOCK = 5;
/** Frames of 21 ms in a sample. In the histogram a block counts once for each frame that it stands for. */
const SAMPLE_FRAMES = 16;
/** The least frames from one dense sample to the next, and the samples of a block of 0.4 s then and where they are further apart. */
const DENSE_FRAMES = 4;
const DENSE_BLOCK = 5;
const WIDE_DENSE_BLOCK = 3;
/** Samples of a block with a pause after it. */
const LONE_BLOCK = 4;
/** Samples in ten minutes. */
const WINDOW = 1758;
/** The loudness of the window is measured each ten seconds. */
const MEASURED = 29;
const ABSOLUTE_GATE_LUFS = -70;
/** 10 LU. */
const RELATIVE_GATE = 0.1;
/** Bins of 0.1 LU above the absolute gate, up to +5 LUFS. */
const BINS_PER_LU = 10;
const BINS = 750;
/** Power at the middle of each bin: health reads the histogram every two seconds. */
const BIN_POWERS = Float64Array.from({ length: BINS }, (_, i) => powerOf(ABSOLUTE_GATE_LUFS + (i + 0.5) / BINS_PER_LU));

export class LoudnessMeter {
  /** Loudness of the last ten minutes; NaN until they are complete, and while they are silent. */
  windowLufs = Number.NaN;
  readonly #recent = new Float64Array(SHORT_TERM);
  #count = 0;
  readonly #dense = new Float64Array(DENSE_BLOCK);
  #denseCount = 0;
  #blockSum = 0;
  #blockCount = 0;
  /** Created with the first sample: many streams have none. */
  #window: Float32Array | undefined;
  #histogram: Uint32Array | undefined;

  /** New connection. What was measured since the start of the stream stays. */
  restart(): void {
    this.#count = 0;
    this.#denseCount = 0;
    this.#blockSum = 0;
    this.#blockCount = 0;
    this.windowLufs = Number.NaN;
  }

  /** `frames`: of 21 ms, from one dense sample to the next: 4, or 8. */
  addDense(power: number, frames: number): void {
    const samples = frames === DENSE_FRAMES ? DENSE_BLOCK : WIDE_DENSE_BLOCK;
    this.#dense[this.#denseCount % DENSE_BLOCK] = power;
    this.#denseCount++;
    if (this.#denseCount < samples) return;
    let sum = 0;
    for (let i = 1; i <= samples; i++) sum += this.#dense[(this.#denseCount - i) % DENSE_BLOCK] as number;
    this.#collect(sum / samples, frames);
  }

  /** `isDense`: its parts were passed to `addDense`. */
  add(power: number, isDense = false): void {
    this.#recent[this.#count % SHORT_TERM] = power;
    this.#count++;
    if (this.#count < BLOCK) return;
    const block = this.#mean(BLOCK);
    this.#keep(block);
    if (!isDense) this.#collect(block, SAMPLE_FRAMES);
  }

  /** One of four samples of a block that stands for what surrounds it too, `frames` of 21 ms in all. */
  addToBlock(power: number, frames: number): void {
    this.#blockSum += power;
    if (++this.#blockCount < LONE_BLOCK) return;
    const block = this.#blockSum / LONE_BLOCK;
    this.#blockSum = 0;
    this.#blockCount = 0;
    this.#collect(block, frames);
    for (let i = 0; i < frames / SAMPLE_FRAMES; i++) {
      this.#recent[this.#count % SHORT_TERM] = block;
      this.#count++;
      this.#keep(block);
    }
  }

  #keep(block: number): void {
    this.#window ??= new Float32Array(WINDOW);
    this.#window[this.#count % WINDOW] = block;
    if (this.#count >= WINDOW + BLOCK && this.#count % MEASURED === 0) this.windowLufs = windowLoudness(this.#window);
  }

  #collect(block: number, frames: number): void {
    this.#histogram ??= new Uint32Array(BINS);
    const bin = Math.floor((lufsOf(block) - ABSOLUTE_GATE_LUFS) * BINS_PER_LU);
    if (bin < 0) return;
    const at = Math.min(bin, BINS - 1);
    this.#histogram[at] = (this.#histogram[at] as number) + frames;
  }

  /** Mean power of the last three seconds; NaN until they are complete. */
  get shortTermPower(): number {
    return this.#count < SHORT_TERM ? Number.NaN : this.#mean(SHORT_TERM);
  }

  /** Since the start of the stream; NaN before the first sound. */
  get integratedLufs(): number {
    const histogram = this.#histogram;
    if (histogram === undefined) return Number.NaN;
    const gate = meanOfBins(histogram, 0) * RELATIVE_GATE;
    const lufs = lufsOf(meanOfBins(histogram, gate));
    return lufs > FLOOR_LUFS ? lufs : Number.NaN;
  }

  #mean(samples: number): number {
    let sum = 0;
    for (let i = 1; i <= samples; i++) sum += this.#recent[(this.#count - i) % SHORT_TERM] as number;
    return sum / samples;
  }
}

function meanOfBins(histogram: Uint32Array, gate: number): number {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < BINS; i++) {
    const power = BIN_POWERS[i] as number;
    if (power < gate) continue;
    sum += (histogram[i] as number) * power;
    count += histogram[i] as number;
  }
  return sum / count;
}

function windowLoudness(blocks: Float32Array): number {
  const absolute = powerOf(ABSOLUTE_GATE_LUFS);
  const mean = meanAbove(blocks, absolute);
  // Nothing above the gate: there is no loudness.
  return Number.isNaN(mean) ? mean : lufsOf(meanAbove(blocks, Math.max(absolute, mean * RELATIVE_GATE)));
}

function meanAbove(blocks: Float32Array, gate: number): number {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < blocks.length; i++) {
    const power = blocks[i] as number;
    if (power < gate) continue;
    sum += power;
    count++;
  }
  return sum / count;
}

/** NaN stays NaN. */
export function lufsOf(power: number): number {
  return Number.isNaN(power) ? Number.NaN : Math.max(FLOOR_LUFS, OFFSET_LUFS + 10 * Math.log10(power));
}

export function powerOf(lufs: number): number {
  return 10 ** ((lufs - OFFSET_LUFS) / 10);
}
