/** Builds AudioSpecificConfigs in every way that AAC, SBR and PS are signalled (ISO/IEC 14496-3, 1.6.2.1). */
import { BitWriter } from './bit-writer.js';

export interface AscFields {
  /** Of the core coder; 2 is low complexity. */
  audioObjectType?: number;
  sampleRate?: number;
  /** Writes the rate as 24 bits behind the escape index although it has an index. */
  escapedSampleRate?: boolean;
  /** 0 writes a program config element with `programConfig`. */
  channelConfiguration?: number;
  programConfig?: {
    /** true for a channel pair, false for a single channel. */
    front: readonly boolean[];
    side?: readonly boolean[];
    back?: readonly boolean[];
    lfe?: number;
    comment?: string;
  };
  /** How HE-AAC is signaled; 'off' is the extension with its flag 0, which ffmpeg appends to plain LC. */
  sbr?: 'none' | 'explicit' | 'backwardCompatible' | 'off';
  ps?: 'none' | 'explicit' | 'backwardCompatible' | 'off';
  /** Twice the core's rate by default. */
  extensionSampleRate?: number;
  /** frameLengthFlag: 960 samples in place of 1024. */
  shortFrames?: boolean;
}

const RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350];

/** An AudioSpecificConfig. Default: AAC LC, 48 kHz, stereo, nothing appended: `11 90`. */
export function buildAsc(fields: AscFields = {}): Uint8Array {
  const { audioObjectType = 2, sampleRate = 48000, channelConfiguration = 2, sbr = 'none', ps = 'none' } = fields;
  const extensionRate = fields.extensionSampleRate ?? 2 * sampleRate;
  const w = new BitWriter();
  const explicit = sbr === 'explicit' || ps === 'explicit';
  writeObjectType(w, ps === 'explicit' ? 29 : explicit ? 5 : audioObjectType);
  writeRate(w, sampleRate, fields.escapedSampleRate ?? false);
  w.u(4, channelConfiguration);
  if (explicit) {
    writeRate(w, extensionRate, false);
    writeObjectType(w, audioObjectType);
  }
  if (audioObjectType < 32 && audioObjectType !== 39) {
    w.bit(fields.shortFrames ?? false)
      .bit(0)
      .bit(0);
    if (channelConfiguration === 0) writeProgramConfig(w, fields);
    if ([17, 19, 20, 21, 22, 23].includes(audioObjectType)) w.u(2, 0);
  } else {
    w.bit(fields.shortFrames ?? false).u(15, 0);
  }
  if (sbr === 'backwardCompatible' || sbr === 'off') {
    w.u(11, 0x2b7)
      .u(5, 5)
      .bit(sbr === 'backwardCompatible');
    if (sbr === 'backwardCompatible') {
      writeRate(w, extensionRate, false);
      if (ps === 'backwardCompatible' || ps === 'off') w.u(11, 0x548).bit(ps === 'backwardCompatible');
    }
  }
  return w.align().bytes();
}

function writeObjectType(w: BitWriter, type: number): void {
  if (type < 31) w.u(5, type);
  else w.u(5, 31).u(6, type - 32);
}

function writeRate(w: BitWriter, rate: number, escaped: boolean): void {
  const index = RATES.indexOf(rate);
  if (index < 0 || escaped) w.u(4, 15).u(24, rate);
  else w.u(4, index);
}

function writeProgramConfig(w: BitWriter, fields: AscFields): void {
  const { front, side = [], back = [], lfe = 0, comment = '' } = fields.programConfig ?? { front: [true] };
  w.u(4, 0).u(2, 1).u(4, 3).u(4, front.length).u(4, side.length).u(4, back.length).u(2, lfe).u(3, 0).u(4, 0);
  w.bit(0).bit(0).bit(0);
  [...front, ...side, ...back].forEach((pair, tag) => {
    w.bit(pair).u(4, tag);
  });
  for (let i = 0; i < lfe; i++) w.u(4, i);
  w.align().u(8, comment.length);
  for (const char of comment) w.u(8, char.charCodeAt(0));
}

/** A valid frame of low complexity of `size` bytes: one channel element without bands, then fill elements. */
export function silentFrame(channels: number, size: number): Uint8Array {
  const w = new BitWriter();
  const isPair = channels === 2;
  w.u(3, isPair ? 1 : 0).u(4, 0);
  if (isPair) w.u(1, 1).u(11, 0).u(2, 0).u(8, 140).u(3, 0).u(8, 140).u(3, 0);
  else w.u(8, 140).u(11, 0).u(3, 0);
  return filled(w, size);
}

export interface ToneFields {
  /** Scale factor of the band that sounds: 4 steps are a factor of 2. */
  readonly gain?: number;
  readonly rightGain?: number;
  /** Sign of the line: frames of a tone differ. */
  readonly isNegative?: boolean;
  /** The right channel is the left one inverted. */
  readonly isOpposite?: boolean;
  /** Coded as middle and side. */
  readonly isJoint?: boolean;
  /** The line is the first of the last of so many bands of four. */
  readonly bands?: number;
}

/** At 48 kHz, about -23 LUFS as two channels. */
const TONE_GAIN = 185;

/** The same with one spectral line in the first channel element, near 480 Hz at 48 kHz; a gain of 0 is a zero channel. */
export function toneFrame(channels: number, size: number, fields: ToneFields = {}): Uint8Array {
  const { gain = TONE_GAIN, rightGain = gain, isNegative = false, isOpposite = false, isJoint = false } = fields;
  const { bands = TONE_BANDS } = fields;
  const w = new BitWriter();
  const isPair = channels === 2;
  w.u(3, isPair ? 1 : 0).u(4, 0);
  if (isPair) {
    w.u(1, 1)
      .u(4, 0)
      .u(6, bands)
      .u(1, 0)
      .u(2, isJoint ? 2 : 0);
    writeTone(w, bands, gain, isNegative);
    writeTone(w, bands, rightGain, isNegative !== isOpposite);
  } else {
    w.u(8, gain).u(4, 0).u(6, bands).u(1, 0);
    writeLine(w, bands, gain, isNegative);
  }
  // Too small for a tone: whatever fits of a silent frame.
  return w.bitLength + 3 > size * 8 ? silentFrame(channels, size) : filled(w, size);
}

const TONE_BANDS = 6;

function writeTone(w: BitWriter, bands: number, gain: number, isNegative: boolean): void {
  w.u(8, gain);
  writeLine(w, bands, gain, isNegative);
}

/** Sections, scale factors, three flags and lines: the last band is codebook 7 with the pairs (1, 0) and (0, 0). */
function writeLine(w: BitWriter, bands: number, gain: number, isNegative: boolean): void {
  if (gain === 0) {
    w.u(4, 0).u(5, bands).u(3, 0);
    return;
  }
  if (bands > 1) w.u(4, 0).u(5, bands - 1);
  w.u(4, 7).u(5, 1).bit(0).u(3, 0);
  w.u(3, 4).bit(isNegative).bit(0);
}

/** Fill elements and the end element, to a size of `size` bytes. */
function filled(w: BitWriter, size: number): Uint8Array {
  for (let left = size * 8 - 3 - w.bitLength; left >= 7; left = size * 8 - 3 - w.bitLength) {
    const long = Math.min(Math.floor((left - 15) / 8), 269);
    const count = long >= 15 ? long : Math.min(Math.floor((left - 7) / 8), 14);
    w.u(3, 6).u(4, Math.min(count, 15));
    if (count >= 15) w.u(8, count - 14);
    for (let i = 0; i < count; i++) w.u(8, 0);
  }
  w.u(3, 7);
  const out = new Uint8Array(size);
  out.set(w.bytes().subarray(0, size));
  return out;
}
