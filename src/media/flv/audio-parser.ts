/**
 * Bodies of FLV audio tags and RTMP audio messages (FLV E.4.2; Enhanced RTMP v2, ExAudioTagHeader): legacy and enhanced.
 * Never throws for the content of a body: a parse error becomes the packet's `fault`, and the stream continues.
 */
import type { SliceList } from '../../bytes/slices.js';
import { wireCodeOf } from '../../bytes/wire-error.js';
import { type AudioSpecificConfig, parseAudioSpecificConfig } from '../aac/audio-specific-config.js';
import { AacFrameReader } from '../aac/frame-reader.js';
import type { AudioPacket } from '../packet.js';
import { AAC, audioCodecOfFormat } from './codecs.js';
import { AUDIO_PACKET_TYPES } from './enhanced-header.js';
import { EnhancedParser } from './enhanced-parser.js';

const ENHANCED_FORMAT = 9;
const AAC_FORMAT = 10;
const AAC_HEADER_BYTES = 2;

const SEQUENCE_START = 0;
const CODED_FRAMES = 1;
const SEQUENCE_END = 2;
const MULTICHANNEL_CONFIG = 4;

/** Rates of SoundRate, and of formats with a fixed rate (FLV E.4.2.1). */
const SOUND_RATES = [5512, 11025, 22050, 44100];
const FIXED_RATES: ReadonlyMap<number, number> = new Map([
  [4, 16000], // Nellymoser 16 kHz
  [5, 8000], // Nellymoser 8 kHz
  [7, 8000], // G.711
  [8, 8000],
  [11, 16000], // Speex
  [14, 8000], // MP3 8 kHz
]);
const MONO_FORMATS = new Set([4, 5, 11]);

/** A program config element with its comment is shorter; bytes after it are not needed. */
const MAX_CONFIG_BYTES = 512;

/** The configuration of one AAC track, kept so that a repeated one is not parsed again. */
interface AacTrack {
  bytes: Uint8Array | undefined;
  config: AudioSpecificConfig | undefined;
  fault: string | undefined;
  readonly frames: AacFrameReader;
}

export class AudioParser extends EnhancedParser<AudioPacket, AacTrack> {
  /** `analysis`: check the syntax of the frames too. `isFile`: sample the sound of the start more often, and of the rest less. */
  constructor(analysis = false, isFile = false) {
    super(AUDIO_PACKET_TYPES, analysis);
    if (isFile) this.track0.frames.sampleFile();
  }

  /** See `VideoParser.parsePrefix`. The first two bytes describe an AAC frame. */
  parsePrefix(bytes: Uint8Array, from: number, to: number, size: number, timestampMs: number): boolean {
    if (to - from < AAC_HEADER_BYTES || size <= AAC_HEADER_BYTES) return false;
    if ((bytes[from] as number) >> 4 !== AAC_FORMAT || bytes[from + 1] !== CODED_FRAMES) return false;
    const body = from + AAC_HEADER_BYTES;
    if (this.analysis && to - body < this.track0.frames.wantedBytes(size - AAC_HEADER_BYTES)) return false;
    const out = this.first;
    this.reset(out, timestampMs);
    out.type = 'coded';
    out.codec = AAC;
    this.lastCodec = AAC;
    out.payloadBytes = size - AAC_HEADER_BYTES;
    const { config, frames } = this.track0;
    if (this.analysis && config !== undefined) {
      frames.read(bytes, body, to, out.payloadBytes, config, out);
    }
    return true;
  }

  /** Parses one body and returns the number of `packets` filled: 1, or the number of tracks of a multitrack message. */
  parse(payload: SliceList, timestampMs: number): number {
    const out = this.first;
    this.reset(out, timestampMs);
    const first = payload.byteAt(0);
    if (first < 0) return this.setEmpty(out);
    const format = first >> 4;
    if (format === ENHANCED_FORMAT) return this.parseEnhanced(payload, timestampMs, first);
    out.codec = audioCodecOfFormat(format);
    if (format === AAC_FORMAT) {
      this.#parseAac(payload, out);
    } else {
      out.flvSampleRate = FIXED_RATES.get(format) ?? (SOUND_RATES[(first >> 2) & 3] as number);
      out.flvChannels = MONO_FORMATS.has(format) ? 1 : 1 + (first & 1);
      this.setCoded(out, payload.length - 1);
    }
    this.lastCodec = out.codec;
    return 1;
  }

  /** The low four bits of an AAC header byte carry no information: 0xAF, 0xAE and 0xAC are equivalent. */
  #parseAac(payload: SliceList, out: AudioPacket): void {
    const packetType = payload.byteAt(1);
    if (packetType === SEQUENCE_START) {
      takeConfig(this.track0, payload, AAC_HEADER_BYTES, payload.length, out);
    } else if (packetType === CODED_FRAMES) {
      this.setCoded(out, payload.length - AAC_HEADER_BYTES);
      if (this.analysis) readFrame(this.track0, payload, AAC_HEADER_BYTES, payload.length, out);
    } else if (packetType < 0) {
      out.type = 'empty';
    } else {
      out.fault = 'AUDIO_PACKET_TYPE';
    }
  }

  protected override parseBody(payload: SliceList, out: AudioPacket): void {
    const { packetType, bodyFrom, bodyTo } = this.header;
    switch (packetType) {
      case SEQUENCE_START:
        if (out.codec === AAC) takeConfig(this.track(out.trackId), payload, bodyFrom, bodyTo, out);
        else out.type = 'config';
        break;
      case CODED_FRAMES:
        this.setCoded(out, bodyTo - bodyFrom);
        if (this.analysis && out.codec === AAC) readFrame(this.track(out.trackId), payload, bodyFrom, bodyTo, out);
        break;
      case SEQUENCE_END:
        out.type = 'endOfSequence';
        break;
      case MULTICHANNEL_CONFIG:
        break;
      default:
        this.setReserved(out, 'AUDIO_PACKET_TYPE');
    }
  }

  protected override newTrack(): AacTrack {
    return { bytes: undefined, config: undefined, fault: undefined, frames: new AacFrameReader() };
  }

  protected override newPacket(): AudioPacket {
    return {
      type: 'other',
      codec: '',
      timestampMs: 0,
      payloadBytes: 0,
      trackId: 0,
      multitrack: false,
      config: undefined,
      flvSampleRate: 0,
      flvChannels: 0,
      fault: undefined,
      syntaxFault: '',
      levels: undefined,
      isRepeat: false,
    };
  }

  protected override reset(packet: AudioPacket, timestampMs: number): void {
    packet.type = 'other';
    packet.codec = '';
    packet.timestampMs = timestampMs;
    packet.payloadBytes = 0;
    packet.trackId = 0;
    packet.multitrack = false;
    packet.config = undefined;
    packet.flvSampleRate = 0;
    packet.flvChannels = 0;
    packet.fault = undefined;
    packet.syntaxFault = '';
    packet.levels = undefined;
    packet.isRepeat = false;
  }
}

function readFrame({ frames, config }: AacTrack, payload: SliceList, from: number, to: number, out: AudioPacket): void {
  frames.readPieces(payload, from, to, config, out);
}

/** ffmpeg sends an empty config before it has one: type `empty`, not a fault. */
function takeConfig(track: AacTrack, payload: SliceList, from: number, to: number, out: AudioPacket): void {
  out.type = from < to ? 'config' : 'empty';
  if (from >= to) return;
  if (!isRepeated(track.bytes, payload, from, to)) {
    track.bytes = payload.copy(from, Math.min(to, from + MAX_CONFIG_BYTES));
    track.config = undefined;
    track.fault = undefined;
    try {
      track.config = parseAudioSpecificConfig(track.bytes);
    } catch (error) {
      track.fault = wireCodeOf(error);
    }
  }
  out.config = track.config;
  out.fault = track.fault;
}

function isRepeated(bytes: Uint8Array | undefined, payload: SliceList, from: number, to: number): boolean {
  if (bytes?.length !== to - from) return false;
  return bytes.every((byte, i) => byte === payload.byteAt(from + i));
}
