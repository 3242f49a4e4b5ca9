/**
 * AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1) with GASpecificConfig and program_config_element (4.4.1).
 * Reports only what the config signals: implicit HE-AAC is not in the config, so `sbr: 'none'` means "not signaled".
 */
import { BitReader } from '../../bytes/bit-reader.js';
import { WireError } from '../../bytes/wire-error.js';

/**
 * How spectral band replication or parametric stereo is signaled: not at all; as the outer object type (hierarchical);
 * after the config of the core (backward compatible); or by an extension whose flag switches it off.
 */
export type ExtensionSignaling = 'none' | 'explicit' | 'backwardCompatible' | 'off';

export interface AudioSpecificConfig {
  /** Object type of the core coder: 2 for low complexity, also in HE-AAC. */
  readonly audioObjectType: number;
  /** The first object type in the config: 5 or 29 for hierarchical HE-AAC, else the core's. */
  readonly signaledObjectType: number;
  /** 'AAC LC', 'HE-AAC', 'HE-AAC v2', 'xHE-AAC (USAC)' …: core and extensions together. */
  readonly objectTypeName: string;
  /** Rate of the core coder, in Hz. */
  readonly sampleRate: number;
  /** Output rate with SBR, if the config gives it. */
  readonly extensionSampleRate: number | undefined;
  readonly channelConfiguration: number;
  /** Channels of the core; from the program config element if the configuration is 0; 0 if the config does not give it. */
  readonly channels: number;
  readonly sbr: ExtensionSignaling;
  readonly ps: ExtensionSignaling;
  /** Samples per access unit of the core coder; 0 if unknown. */
  readonly frameLength: number;
}

const CLAUSE = 'ISO/IEC 14496-3 1.6.2.1';

/** Table 1.18; 13 and 14 are reserved, 15 escapes to a 24-bit rate. */
const SAMPLE_RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350];
const RATE_ESCAPE = 15;

/** Table 1.19, channels by channelConfiguration; 0 for the reserved ones. */
const CHANNELS = [0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 24, 8, 0];

const TYPE_SBR = 5;
const TYPE_ER_BSAC = 22;
const TYPE_PS = 29;
const TYPE_ELD = 39;
const TYPE_USAC = 42;
const GENERAL_AUDIO = new Set([1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23]);
const ERROR_RESILIENT = new Set([17, 19, 20, 21, 22, 23]);

/** Names of object types, Table 1.17. */
const OBJECT_TYPE_NAMES: ReadonlyMap<number, string> = new Map([
  [1, 'AAC Main'],
  [2, 'AAC LC'],
  [3, 'AAC SSR'],
  [4, 'AAC LTP'],
  [5, 'SBR'],
  [6, 'AAC Scalable'],
  [7, 'TwinVQ'],
  [8, 'CELP'],
  [9, 'HVXC'],
  [17, 'ER AAC LC'],
  [19, 'ER AAC LTP'],
  [20, 'ER AAC Scalable'],
  [21, 'ER TwinVQ'],
  [22, 'ER BSAC'],
  [23, 'AAC LD'],
  [29, 'PS'],
  [32, 'MPEG-1/2 Layer 1'],
  [33, 'MPEG-1/2 Layer 2'],
  [34, 'MPEG-1/2 Layer 3'],
  [36, 'ALS'],
  [37, 'SLS'],
  [39, 'AAC ELD'],
  [42, 'xHE-AAC (USAC)'],
]);

/** Parses a config. Throws WireError: ASC_SAMPLE_RATE (reserved index, rate 0), or the reader's code if the bits end before the channel configuration and the coder's own header are complete. */
export function parseAudioSpecificConfig(bytes: Uint8Array): AudioSpecificConfig {
  const bits = new BitReader(bytes, CLAUSE);
  const signaledObjectType = readObjectType(bits);
  const sampleRate = readSampleRate(bits);
  const channelConfiguration = bits.u(4);

  const hierarchical = signaledObjectType === TYPE_SBR || signaledObjectType === TYPE_PS;
  let extensionSampleRate: number | undefined;
  let audioObjectType = signaledObjectType;
  if (hierarchical) {
    extensionSampleRate = readSampleRate(bits);
    audioObjectType = readObjectType(bits);
    if (audioObjectType === TYPE_ER_BSAC) bits.u(4); // extensionChannelConfiguration
  }
  const core = readCore(bits, audioObjectType, channelConfiguration);

  let sbr: ExtensionSignaling = hierarchical ? 'explicit' : 'none';
  let ps: ExtensionSignaling = signaledObjectType === TYPE_PS ? 'explicit' : 'none';
  if (!hierarchical && core.complete) {
    const extension = readBackwardCompatible(bits);
    sbr = extension.sbr;
    ps = extension.ps;
    extensionSampleRate = extension.sampleRate;
  }
  return {
    audioObjectType,
    signaledObjectType,
    objectTypeName: nameOf(audioObjectType, sbr, ps),
    sampleRate,
    extensionSampleRate,
    channelConfiguration,
    channels: channelConfiguration === 0 ? core.channels : (CHANNELS[channelConfiguration] ?? 0),
    sbr,
    ps,
    frameLength: core.frameLength,
  };
}

/** The name of a core object type, for messages; 'object type 41' for the rarely used ones of Table 1.17. */
export function objectTypeName(audioObjectType: number): string {
  return OBJECT_TYPE_NAMES.get(audioObjectType) ?? `object type ${audioObjectType}`;
}

function nameOf(core: number, sbr: ExtensionSignaling, ps: ExtensionSignaling): string {
  const active = (signaling: ExtensionSignaling): boolean =>
    signaling === 'explicit' || signaling === 'backwardCompatible';
  if (core === 2 && active(ps)) return 'HE-AAC v2';
  if (core === 2 && active(sbr)) return 'HE-AAC';
  const name = objectTypeName(core);
  if (active(ps)) return `${name} with SBR and PS`;
  return active(sbr) ? `${name} with SBR` : name;
}

function readObjectType(bits: BitReader): number {
  const type = bits.u(5);
  return type === 31 ? 32 + bits.u(6) : type;
}

function readSampleRate(bits: BitReader): number {
  const index = bits.u(4);
  const rate = index === RATE_ESCAPE ? bits.u(24) : SAMPLE_RATES[index];
  if (rate === undefined || rate === 0) {
    throw new WireError(
      'ASC_SAMPLE_RATE',
      `samplingFrequencyIndex ${index} is not a sample rate`,
      'ISO/IEC 14496-3 Table 1.18',
    );
  }
  return rate;
}

interface Core {
  readonly frameLength: number;
  /** From a program config element; 0 if there is none. */
  readonly channels: number;
  /** The coder's own header was read completely, so an extension may follow. */
  readonly complete: boolean;
}

function readCore(bits: BitReader, type: number, channelConfiguration: number): Core {
  if (GENERAL_AUDIO.has(type)) return readGeneralAudio(bits, type, channelConfiguration);
  if (type === TYPE_ELD) {
    return { frameLength: bits.flag() ? 480 : 512, channels: 0, complete: false };
  }
  // UsacConfig and the others have their own headers, whose fields no rule needs.
  return { frameLength: type === TYPE_USAC ? 1024 : 0, channels: 0, complete: false };
}

/** GASpecificConfig, 4.4.1. */
function readGeneralAudio(bits: BitReader, type: number, channelConfiguration: number): Core {
  const short = bits.flag(); // frameLengthFlag
  if (bits.flag()) bits.u(14); // dependsOnCoreCoder, coreCoderDelay
  const extensionFlag = bits.flag();
  const channels = channelConfiguration === 0 ? countChannels(bits) : 0;
  if (type === 6 || type === 20) bits.u(3); // layerNr
  if (extensionFlag) {
    if (type === TYPE_ER_BSAC) bits.u(16); // numOfSubFrame, layer_length
    if (type === 17 || type === 19 || type === 20 || type === 23) bits.u(3); // resilience flags
    bits.flag(); // extensionFlag3
  }
  if (ERROR_RESILIENT.has(type)) bits.u(2); // epConfig
  const long = type === 23 ? 512 : 1024;
  return { frameLength: short ? (long * 15) / 16 : long, channels, complete: true };
}

const SYNC_SBR = 0x2b7;
const SYNC_PS = 0x548;

/** The extension after the core's config (1.6.2.1, 1.6.5.2 and 1.6.6.2), which older decoders ignore. */
function readBackwardCompatible(bits: BitReader): {
  sbr: ExtensionSignaling;
  ps: ExtensionSignaling;
  sampleRate: number | undefined;
} {
  const absent = { sbr: 'none', ps: 'none', sampleRate: undefined } as const;
  if (bits.bitsLeft < 16 || bits.u(11) !== SYNC_SBR) return absent;
  const type = readExtensionType(bits);
  if ((type !== TYPE_SBR && type !== TYPE_ER_BSAC) || bits.bitsLeft < 1) return absent;
  if (!bits.flag()) return { sbr: 'off', ps: 'none', sampleRate: undefined };
  if (bits.bitsLeft < 4) return { sbr: 'backwardCompatible', ps: 'none', sampleRate: undefined };
  const sampleRate = readSampleRate(bits);
  const psSignaled = type === TYPE_SBR && bits.bitsLeft >= 12 && bits.u(11) === SYNC_PS;
  const ps = psSignaled ? (bits.flag() ? 'backwardCompatible' : 'off') : 'none';
  return { sbr: 'backwardCompatible', ps, sampleRate };
}

function readExtensionType(bits: BitReader): number {
  const type = bits.u(5);
  if (type !== 31) return type;
  return bits.bitsLeft < 6 ? -1 : 32 + bits.u(6);
}

/**
 * Reads the program_config_element from its element_instance_tag on and counts channels: two per channel pair, one per single channel and
 * per LFE. Leaves the reader after the comment, on a byte boundary of the config.
 */
function countChannels(bits: BitReader): number {
  bits.u(4); // element_instance_tag
  bits.u(2); // object_type
  bits.u(4); // sampling_frequency_index
  const front = bits.u(4);
  const side = bits.u(4);
  const back = bits.u(4);
  const lowFrequency = bits.u(2);
  const associatedData = bits.u(3);
  const coupling = bits.u(4);
  if (bits.flag()) bits.u(4); // mono_mixdown_element_number
  if (bits.flag()) bits.u(4); // stereo_mixdown_element_number
  if (bits.flag()) bits.u(3); // matrix_mixdown_idx, pseudo_surround_enable

  let channels = lowFrequency;
  for (let i = 0; i < front + side + back; i++) {
    channels += bits.flag() ? 2 : 1; // is_cpe
    bits.u(4); // tag_select
  }
  bits.skip(4 * lowFrequency);
  bits.skip(4 * associatedData);
  bits.skip(5 * coupling); // is_ind_sw, tag_select
  bits.align(); // byte_alignment counts from the start of the config
  bits.skip(8 * bits.u(8)); // comment_field_bytes
  return channels;
}
