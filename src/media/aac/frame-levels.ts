/**
 * Loudness of one AAC frame of low complexity from its spectrum (ISO/IEC 14496-3, 4.4.2.1), without a transform: the power
 * of the lines of each band, with the K weighting of ITU-R BS.1770 at its center. The bands that spectral band replication
 * adds are not in the core's spectrum.
 */
import type { AudioSpecificConfig } from './audio-specific-config.js';
import { ChannelStream, INTENSITY, INTENSITY_OUT, NOISE_BOOK, WINDOW_FAULT, ZERO_BOOK } from './channel-stream.js';
import { FRAME, type WindowInfo } from './window-info.js';

/** One object, reused for each frame. Powers are K-weighted means of squares; 1 is full scale. */
export interface AudioLevels {
  /** Sum over the channels with the weights of BS.1770: side and back channels 1.41, no low-frequency channel. */
  power: number;
  /** Of the only channel, or of both channels of the first pair. */
  left: number;
  right: number;
  /** There is a channel pair. */
  hasPair: boolean;
  /** Mean and half difference of the pair; NaN if its channels have different windows. */
  mid: number;
  side: number;
  /** All sections of all channels but the low-frequency one are zero. */
  isZero: boolean;
  /** Between two samples: read because the frame before was silent, so that no sound in a silence is missed. */
  isExtra: boolean;
  /** At the start of a file, where samples are four times as dense. */
  isDense: boolean;
  /** Rules see it; otherwise it is for the loudness alone. */
  isJudged: boolean;
}

const SCE = 0;
const CPE = 1;
const LFE = 3;
const DSE = 4;
const PCE = 5;
const FIL = 6;
const END = 7;
const BACK_WEIGHT = 1.41;
/** Channel elements by channel configuration (Table 1.19); others are not checked. */
const LAYOUTS: readonly (readonly number[] | undefined)[] = [
  undefined,
  [SCE],
  [CPE],
  [SCE, CPE],
  [SCE, CPE, SCE],
  [SCE, CPE, CPE],
  [SCE, CPE, CPE, LFE],
  [SCE, CPE, CPE, CPE, LFE],
];
/** More elements than any configuration has. */
const MAX_ELEMENTS = 32;
/** Lines to full scale: the squares of 16-bit samples, times the lines and the scaling of the transform. */
const LONG_SCALE = 1 / 2 ** 51;
const SHORT_SCALE = 8 * LONG_SCALE;

const FIRST = new ChannelStream();
const SECOND = new ChannelStream();
const MASK = new Uint8Array(120);
const LEVELS: AudioLevels = {
  power: 0,
  left: 0,
  right: 0,
  hasPair: false,
  mid: 0,
  side: 0,
  isZero: true,
  isExtra: false,
  isDense: false,
  isJudged: true,
};
/** Powers of the last element: of each channel, and of their product. */
const PAIR = { first: 0, second: 0, product: 0 };

/** What is wrong with the last frame of `frameLevels`; '' if nothing is, or if it has parts that are not read. */
export let frameFault = '';

/**
 * The levels of the frame `bytes[from, to)`, valid until the next call; undefined if it cannot be decoded. Its syntax is
 * checked to the end, which no other check does.
 */
export function frameLevels(
  bytes: Uint8Array,
  from: number,
  to: number,
  config: AudioSpecificConfig,
): AudioLevels | undefined {
  FRAME.open(bytes, from, to);
  frameFault = '';
  const levels = readElements(config);
  if (levels === undefined && FRAME.isOver) frameFault = 'an element past its end';
  return levels;
}

function readElements({ sampleRate, channelConfiguration }: AudioSpecificConfig): AudioLevels | undefined {
  const out = LEVELS;
  out.power = 0;
  out.hasPair = false;
  out.isZero = true;
  const layout = LAYOUTS[channelConfiguration];
  let channels = 0;
  let elements = 0;
  for (let i = 0; i < MAX_ELEMENTS; i++) {
    const id = FRAME.u(3);
    if (FRAME.isOver) return undefined;
    if (id === END) return endsThere(channels > 0) ? out : undefined;
    if (id === FIL) skipFill();
    else if (id === DSE) skipData();
    else if (id === PCE) return channels > 0 ? out : undefined;
    else if (layout !== undefined && layout[elements++] !== id) return faulty('another element than configured');
    else if (id === CPE) {
      if (!readPair(sampleRate)) return undefined;
      takePair(out, channels);
      channels += 2;
    } else if (id === SCE || id === LFE) {
      if (!readSingle(sampleRate)) return undefined;
      if (id === SCE) takeSingle(out, channels++);
    } else return undefined;
  }
  return undefined;
}

/** The frame ends with its END element, apart from the bits up to the next byte. */
function endsThere(hasChannels: boolean): boolean {
  if (FRAME.left > 7) frameFault = 'bytes after its end';
  return hasChannels;
}

function faulty(what: string): undefined {
  frameFault = what;
  return undefined;
}

function takeSingle(out: AudioLevels, before: number): void {
  out.power += (out.hasPair ? BACK_WEIGHT : 1) * PAIR.first;
  if (before === 0) {
    out.left = PAIR.first;
    out.right = PAIR.first;
    out.mid = PAIR.first;
    out.side = 0;
  }
  if (!FIRST.isZero) out.isZero = false;
}

function takePair(out: AudioLevels, before: number): void {
  const { first, second, product } = PAIR;
  out.power += (out.hasPair ? BACK_WEIGHT : 1) * (first + second);
  if (!FIRST.isZero || !SECOND.isZero) out.isZero = false;
  if (out.hasPair) return;
  out.hasPair = before === 0 || before === 1;
  out.left = first;
  out.right = second;
  out.mid = (first + second + 2 * product) / 4;
  out.side = (first + second - 2 * product) / 4;
}

/** 4.4.2.1 with 4.4.2.6: the count is 4 bits, or 8 more. */
function skipFill(): void {
  let count = FRAME.u(4);
  if (count === 15) count += FRAME.u(8) - 1;
  FRAME.skip(8 * count);
}

function skipData(): void {
  FRAME.skip(4);
  const isAligned = FRAME.flag();
  let count = FRAME.u(8);
  if (count === 255) count += FRAME.u(8);
  if (isAligned) FRAME.align();
  FRAME.skip(8 * count);
}

function readSingle(sampleRate: number): boolean {
  FRAME.skip(4);
  if (!readChannel(FIRST, sampleRate, undefined)) return false;
  PAIR.first = powerOf(FIRST, FIRST.window);
  return true;
}

function readPair(sampleRate: number): boolean {
  FRAME.skip(4);
  if (!FRAME.flag()) {
    if (!readChannel(FIRST, sampleRate, undefined) || !readChannel(SECOND, sampleRate, undefined)) return false;
    PAIR.first = powerOf(FIRST, FIRST.window);
    PAIR.second = powerOf(SECOND, SECOND.window);
    const isComparable = !FIRST.window.isShort && !SECOND.window.isShort;
    PAIR.product = isComparable ? productOf() : Number.NaN;
    return true;
  }
  const { window } = FIRST;
  if (!window.read(sampleRate)) {
    frameFault = WINDOW_FAULT;
    return false;
  }
  if (!readMask(window)) return false;
  if (!readChannel(FIRST, sampleRate, window) || !readChannel(SECOND, sampleRate, window)) return false;
  measurePair(window);
  return true;
}

function readChannel(channel: ChannelStream, sampleRate: number, shared: WindowInfo | undefined): boolean {
  if (channel.read(sampleRate, shared)) return true;
  frameFault = channel.fault;
  return false;
}

function readMask({ used, groups }: WindowInfo): boolean {
  const present = FRAME.u(2);
  if (present === 3) {
    frameFault = 'a reserved stereo mask';
    return false;
  }
  if (present !== 1) MASK.fill(present === 2 ? 1 : 0);
  else for (let i = 0; i < used * groups; i++) MASK[i] = FRAME.u(1);
  return true;
}

function powerOf(channel: ChannelStream, window: WindowInfo): number {
  const { used, groups } = window;
  const { weights } = window.bands;
  let sum = 0;
  let at = 0;
  for (let i = 0; i < used * groups; i++) {
    const lines = linesOf(window, i);
    const power = bandPower(channel, i, at, at + lines, window);
    sum += power * (weights[i % used] as number) * shapingOf(channel, window, i);
    at += lines;
  }
  return sum * (window.isShort ? SHORT_SCALE : LONG_SCALE);
}

function linesOf({ bands: { widths }, used, groupLengths }: WindowInfo, i: number): number {
  return (widths[i % used] as number) * (groupLengths[Math.floor(i / used)] as number);
}

function shapingOf(channel: ChannelStream, { isShort }: WindowInfo, band: number): number {
  return channel.isShaped && !isShort ? (channel.shaping[band] as number) : 1;
}

function bandPower(channel: ChannelStream, i: number, from: number, to: number, window: WindowInfo): number {
  const book = channel.books[i] as number;
  if (book === ZERO_BOOK || book >= INTENSITY_OUT) return 0;
  if (book === NOISE_BOOK) return noisePower(channel, i, window);
  let sum = 0;
  const { lines } = channel;
  for (let at = from; at < to; at++) sum += (lines[at] as number) * (lines[at] as number);
  return sum;
}

/** Perceptual noise: the energy of each window's band. */
function noisePower({ factors }: ChannelStream, i: number, { used, groupLengths }: WindowInfo): number {
  return 2 ** ((factors[i] as number) / 2) * (groupLengths[Math.floor(i / used)] as number);
}

/** Of two channels with windows of their own, which are coded as left and right. */
function productOf(): number {
  const { used, bands } = FIRST.window;
  let sum = 0;
  let at = 0;
  for (let band = 0; band < Math.min(used, SECOND.window.used); band++) {
    const to = at + (bands.widths[band] as number);
    sum += lineProduct(at, to) * (bands.weights[band] as number);
    at = to;
  }
  return sum * LONG_SCALE;
}

function lineProduct(from: number, to: number): number {
  const a = FIRST.lines;
  const b = SECOND.lines;
  let sum = 0;
  for (let at = from; at < to; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** Joint coding (4.6.8): middle and side, intensity, and noise that both channels may share. */
function measurePair(window: WindowInfo): void {
  const { used, groups } = window;
  const { weights } = window.bands;
  let left = 0;
  let right = 0;
  let cross = 0;
  let at = 0;
  for (let i = 0; i < used * groups; i++) {
    const to = at + linesOf(window, i);
    let first = bandPower(FIRST, i, at, to, window);
    let second = bandPower(SECOND, i, at, to, window);
    const firstBook = FIRST.books[i] as number;
    const secondBook = SECOND.books[i] as number;
    const isJoint = MASK[i] === 1;
    let product = 0;
    if (secondBook >= INTENSITY_OUT) {
      const isOpposite = (secondBook === INTENSITY) === isJoint;
      const gain = 2 ** (-(SECOND.factors[i] as number) / 4);
      second = first * gain * gain;
      product = first * (isOpposite ? -gain : gain);
    } else if (firstBook === NOISE_BOOK || secondBook === NOISE_BOOK) {
      product = isJoint && firstBook === secondBook ? Math.sqrt(first * second) : 0;
    } else if (first > 0 && second > 0) {
      product = lineProduct(at, to);
    }
    if (isJoint && firstBook < NOISE_BOOK && secondBook < NOISE_BOOK) {
      const sum = first + second;
      const difference = first - second;
      first = sum + 2 * product;
      second = Math.max(0, sum - 2 * product);
      product = difference;
    }
    const firstGain = (weights[i % used] as number) * shapingOf(FIRST, window, i);
    const secondGain = (weights[i % used] as number) * shapingOf(SECOND, window, i);
    left += first * firstGain;
    right += second * secondGain;
    cross += product * Math.sqrt(firstGain * secondGain);
    at = to;
  }
  const scale = window.isShort ? SHORT_SCALE : LONG_SCALE;
  PAIR.first = left * scale;
  PAIR.second = right * scale;
  PAIR.product = cross * scale;
}
