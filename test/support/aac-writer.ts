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
