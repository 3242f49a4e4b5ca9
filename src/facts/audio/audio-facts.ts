/** Facts of the first audio track of a connection. */
import type { AudioSpecificConfig } from '../../media/aac/audio-specific-config.js';
import type { AudioPacket } from '../../media/packet.js';
import { AUDIO_BEAT, AUDIO_CONFIG, AUDIO_FRAME, DISORDER } from '../measures/events.js';
import type { Measures } from '../measures/measures.js';
import type { PacketFacts } from '../measures/packet-facts.js';
import { BucketGrid, RollingSum } from '../measures/rolling.js';
import { IN_ORDER, JUMPED, TrackClock, WENT_BACK } from '../measures/track-clock.js';

const AAC = 'mp4a';
/** ISO/IEC 14496-3 Table 1.17 */
const LOW_COMPLEXITY = 2;
/** The doubled rate is at most 48 kHz (ISO/IEC 14496-3, 4.6.18.2.6). */
const IMPLICIT_EXTENSION_HZ_MAX = 24_000;
/** Codecs whose rate and channels are those of the FLV header (FLV E.4.2.1). */
const HEADER_COUNTS = new Set(['.mp3', 'pcm', 'pcm-little-endian', 'adpcm']);

export class AudioFacts {
  readonly clock: TrackClock;
  codec = '';
  hasConfig = false;
  isValid = false;
  /** Object type, rate and channels are known. */
  hasSettings = false;
  /** 'AAC LC', 'HE-AAC' …; '' for codecs without object types. */
  objectTypeName = '';
  /** Object type of the core coder. */
  objectType = 0;
  /** Spectral band replication or parametric stereo is signaled as present. */
  isExtended = false;
  /**
   * No extension is signaled, but the core's rate is low enough for implicit HE-AAC (ISO/IEC 14496-3, 1.6.6), which only a
   * decoder can detect.
   */
  mayBeExtended = false;
  /** Rate of the decoder's output, spectral band replication applied. */
  sampleRate = 0;
  /** Rate of the core coder. */
  coreSampleRate = 0;
  /** Channels of the core coder; 0 if the header does not give it. */
  channels = 0;
  /** Channels of the decoder's output, parametric stereo applied; 0 if the header does not give it. */
  outputChannels = 0;
  channelConfiguration = 0;
  /** Samples per frame of the core coder; 0 if unknown. */
  frameSamples = 0;
  framesBeforeConfig = 0;
  faults = 0;
  lastFault = '';
  #parsedConfig = false;
  /** Mean over a whole short file. */
  #wholeKbps: number | undefined = undefined;
  readonly #grid: BucketGrid;
  readonly #bytes: RollingSum;
  readonly #measures: Measures;

  constructor(measures: Measures) {
    this.#measures = measures;
    this.clock = new TrackClock(measures);
    this.#grid = new BucketGrid(measures.beatMs);
    this.#bytes = new RollingSum(Math.round(measures.bitrateWindowMs / measures.beatMs));
  }

  reset(): void {
    this.clock.reset();
    this.#grid.restart();
    this.#bytes.restart();
    this.codec = '';
    this.hasSettings = false;
    this.objectTypeName = '';
    this.hasConfig = false;
    this.#parsedConfig = false;
    this.isValid = false;
  }

  /** Mean over the window in kbps; NaN until the window is full. */
  get bitrateKbps(): number {
    if (this.#wholeKbps !== undefined) return this.#wholeKbps;
    return this.#bytes.shortIsFull ? (this.#bytes.shortSum * 8) / this.#measures.bitrateWindowMs : Number.NaN;
  }

  /** Measures a short file over its whole. */
  measureWhole(minMs: number): void {
    const { timeMs, takenMs } = this.clock;
    const spanMs = timeMs - this.#grid.startMs;
    if (spanMs >= minMs) this.#wholeKbps = (this.#bytes.total * 8) / (spanMs + takenMs);
  }

  observe(packet: AudioPacket, other: TrackClock, startMs: number, at: PacketFacts): number {
    if (packet.fault !== undefined) {
      this.faults++;
      this.lastFault = packet.fault;
    }
    if (packet.type === 'coded') return this.#coded(packet, other, startMs, at);
    if (packet.type !== 'config') return 0;
    at.decodeTimeMs = this.clock.near(packet.timestampMs, at.decodeTimeMs);
    at.presentationTimeMs = at.decodeTimeMs;
    this.hasConfig = true;
    if (packet.config !== undefined || packet.codec !== AAC) this.#parsedConfig = true;
    this.#takeCodec(packet.codec);
    if (packet.config !== undefined) this.#takeConfig(packet.config);
    return AUDIO_CONFIG;
  }

  #coded(packet: AudioPacket, other: TrackClock, startMs: number, at: PacketFacts): number {
    let events = this.#takeCodec(packet.codec) ? AUDIO_CONFIG : 0;
    if (packet.codec === AAC && !this.hasConfig) {
      this.framesBeforeConfig++;
      return events;
    }
    if (this.#takeHeader(packet)) events |= AUDIO_CONFIG;
    if (this.#parsedConfig) this.isValid = true;
    events |= AUDIO_FRAME;
    const { clock } = this;
    const order = clock.advance(packet.timestampMs, other, startMs);
    at.decodeTimeMs = clock.timeMs;
    at.presentationTimeMs = clock.timeMs;
    if (order !== IN_ORDER) {
      if (order === WENT_BACK || order === JUMPED) events |= DISORDER;
      if (order !== WENT_BACK) {
        this.#grid.restart();
        this.#bytes.restart();
      }
    }
    const moved = this.#grid.advance(clock.timeMs);
    if (moved > 0) {
      for (let i = 0; i < moved; i++) this.#bytes.roll();
      events |= AUDIO_BEAT;
    }
    this.#bytes.add(packet.payloadBytes);
    return events;
  }

  #takeCodec(codec: string): boolean {
    if (codec === this.codec || codec === '') return false;
    this.codec = codec;
    this.hasSettings = false;
    this.objectTypeName = '';
    return true;
  }

  #takeConfig(config: AudioSpecificConfig): void {
    this.hasSettings = true;
    this.objectTypeName = config.objectTypeName;
    this.objectType = config.audioObjectType;
    this.isExtended = isActive(config.sbr) || isActive(config.ps);
    this.mayBeExtended =
      config.audioObjectType === LOW_COMPLEXITY &&
      config.sbr === 'none' &&
      config.sampleRate <= IMPLICIT_EXTENSION_HZ_MAX;
    this.coreSampleRate = config.sampleRate;
    this.sampleRate = isActive(config.sbr) ? (config.extensionSampleRate ?? config.sampleRate) : config.sampleRate;
    this.channels = config.channels;
    this.outputChannels = outputChannels(config);
    this.channelConfiguration = config.channelConfiguration;
    this.frameSamples = config.frameLength;
  }

  /** MP3 and PCM carry their rate in the FLV header of every packet. */
  #takeHeader(packet: AudioPacket): boolean {
    if (packet.codec === AAC || !HEADER_COUNTS.has(packet.codec) || packet.flvSampleRate === 0) return false;
    if (this.hasSettings && packet.flvSampleRate === this.sampleRate && packet.flvChannels === this.channels)
      return false;
    this.hasSettings = true;
    this.mayBeExtended = false;
    this.sampleRate = packet.flvSampleRate;
    this.coreSampleRate = packet.flvSampleRate;
    this.channels = packet.flvChannels;
    this.outputChannels = packet.flvChannels;
    return true;
  }
}

/** Mono with parametric stereo decodes to two channels. With SBR signaled alone, PS may be present implicitly: 0. */
function outputChannels({ channels, sbr, ps }: AudioSpecificConfig): number {
  if (channels !== 1) return channels;
  if (isActive(ps)) return 2;
  return isActive(sbr) && ps === 'none' ? 0 : 1;
}

function isActive(signaling: AudioSpecificConfig['sbr']): boolean {
  return signaling === 'explicit' || signaling === 'backwardCompatible';
}
