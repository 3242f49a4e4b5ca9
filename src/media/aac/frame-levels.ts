/**
 * Loudness of one AAC frame of low complexity from its spectrum (ISO/IEC 14496-3, 4.4.2.1), without a transform: the power
 * of the lines of each band, with the K weighting of ITU-R BS.1770 at its center. The bands that spectral band replication
 * adds are not in the core's spectrum.
 */
import type { AudioSpecificConfig } from './audio-specific-config.js';
import { ChannelStream, WINDOW_FAULT } from './channel-stream.js';
import { measureJoint, type PairPowers, powerOf, productOf } from './element-power.js';
import { FRAME, type WindowInfo } from './window-info.js';

/** One object, reused for each frame. Powers are K-weighted means of squares; 1 is full scale. */
export interface AudioLevels {
  /** Sum over the channels with the weights of BS.1770: side and back channels 1.41, no low-frequency channel. */
  power: number;
  /** Level of the only channel, or of both channels of the first pair. These and `mid` and `side` hold only where `isJudged`. */
  left: number;
  right: number;
  /** There is a channel pair. */
  hasPair: boolean;
  /** Mean and half difference of the pair; NaN if its channels have different windows. */
  mid: number;
  side: number;
  /** All sections of all channels but the low-frequency one are zero. */
  isZero: boolean;
  /** One of about three samples a second for the loudness. */
  isMetered: boolean;
  /** At the start of a file, where samples are denser: the frames of 21 ms that it stands for. 0 elsewhere. */
  denseFrames: number;
  /** Rules see it; otherwise it is for the loudness alone. */
  isJudged: boolean;
  /** One of four samples of a block in a long file: the frames of 21 ms that the block stands for. 0 elsewhere. */
  blockFrames: number;
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

const FIRST = new ChannelStream();
const SECOND = new ChannelStream();
const MASK = new Uint8Array(120);
/** Powers of the last element. */
const PAIR: PairPowers = { first: 0, second: 0, product: 0 };
const LEVELS: AudioLevels = {
  power: 0,
  left: 0,
  right: 0,
  hasPair: false,
  mid: 0,
  side: 0,
  isZero: true,
  isMetered: true,
  denseFrames: 0,
  isJudged: true,
  blockFrames: 0,
};

/** Fault of the last frame of `frameLevels`; '' if there is none, or if it has parts that are not read. */
export let frameFault = '';

/** Channels of a pair are told apart by the product of their lines, which takes twice as long as the sum of their powers. */
let keepsLines = true;
/** A pair with middle and side whose noise shaping differs: its power depends on the product. */
let needsLines = false;

/**
 * The levels of the frame `bytes[from, to)`, valid until the next call; undefined if it cannot be decoded. Its syntax is
 * checked to the end, which no other check does. `isPowerEnough`: of the levels, only `power` and `isZero` are needed.
 */
export function frameLevels(
  bytes: Uint8Array,
  from: number,
  to: number,
  config: AudioSpecificConfig,
  isPowerEnough = false,
): AudioLevels | undefined {
  FRAME.open(bytes, from, to);
  frameFault = '';
  keepsLines = !isPowerEnough;
  needsLines = false;
  const levels = readElements(config);
  if (needsLines) return frameLevels(bytes, from, to, config);
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
  PAIR.first = powerOf(FIRST);
  return true;
}

function readPair(sampleRate: number): boolean {
  FRAME.skip(4);
  if (!FRAME.flag()) {
    if (!readChannel(FIRST, sampleRate, undefined) || !readChannel(SECOND, sampleRate, undefined)) return false;
    PAIR.first = powerOf(FIRST);
    PAIR.second = powerOf(SECOND);
    PAIR.product = keepsLines ? productOf(FIRST, SECOND) : Number.NaN;
    return true;
  }
  const { window } = FIRST;
  if (!window.read(sampleRate)) {
    frameFault = WINDOW_FAULT;
    return false;
  }
  if (!readMask(window)) return false;
  if (!readChannel(FIRST, sampleRate, window) || !readChannel(SECOND, sampleRate, window)) return false;
  if (!keepsLines && !window.isShort && (FIRST.isShaped || SECOND.isShaped)) needsLines = true;
  measureJoint(FIRST, SECOND, MASK, keepsLines, PAIR);
  return true;
}

function readChannel(channel: ChannelStream, sampleRate: number, shared: WindowInfo | undefined): boolean {
  if (channel.read(sampleRate, shared, keepsLines)) return true;
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
