/**
 * Result of parsing one audio or video message. One object of each kind is reused for a whole connection: valid until the
 * next message is parsed.
 */
import type { AudioSpecificConfig } from './aac/audio-specific-config.js';
import type { AudioLevels } from './aac/frame-levels.js';
import type { Timecode } from './data/timecode.js';
import type { AvcDecoderConfiguration } from './h264/avcc.js';
import type { PerformanceMessages } from './h264/bpm.js';
import type { CaptionData } from './h264/caption-data.js';
import type { Sps } from './h264/sps.js';

/** FourCC or the name of a legacy FLV codec (`flv/codecs.ts`); `unknown:xxxxxxxx` (hex) for an unknown codec; '' before the first message. */
export type CodecName = string;

export type PacketType =
  /** Sequence header with a decoder configuration. */
  | 'config'
  /** Coded frame. */
  | 'coded'
  | 'endOfSequence'
  /** Info/command frame, metadata packet or multichannel configuration: no media. */
  | 'other'
  /** Empty or too short to carry media: counted, never a fault. */
  | 'empty';

export interface VideoPacket {
  type: PacketType;
  codec: CodecName;
  /** Decode time as sent, 32-bit milliseconds that wrap. */
  timestampMs: number;
  /** pts - dts, signed milliseconds (plus the nanosecond offset of ModEx as a fraction). */
  compositionTimeMs: number;
  /** Size of the coded payload: bytes after the FLV video header, filler included; 0 for `config`. */
  payloadBytes: number;
  /** The key frame flag of the FLV header. */
  flvKeyFrame: boolean;
  /** The frame contains an IDR slice (NAL type 5), regardless of the FLV flag. */
  idr: boolean;
  /** A recovery point SEI with recovery_frame_cnt 0 and no IDR: a key frame of an open GOP. */
  recoveryPoint: boolean;
  /** Bit n is set if a NAL unit of type n is present. Complete for key frames and the first frames after a configuration, otherwise up to the first slice. */
  nalTypes: number;
  /** The first slice has field_pic_flag 1: a field, not a frame. */
  fieldCoded: boolean;
  /** Enhanced RTMP track; otherwise 0. */
  trackId: number;
  /** The message used Enhanced RTMP multitrack framing. */
  multitrack: boolean;
  /** Parsed configuration of a `config` packet of H.264. */
  config: AvcDecoderConfiguration | undefined;
  /** Valid SPS found in a coded frame. The same object while its bytes are unchanged. */
  inBandSps: Sps | undefined;
  /** H.264: the active SPS after this packet, from the configuration or in band. The same object while its bytes are unchanged. */
  activeSps: Sps | undefined;
  /** Settings text of x264's SEI (user data unregistered), first key frame only. */
  encoderSei: string | undefined;
  /** Code of a parse error in the body; the stream continues. `AVC_CONFIG_MISSING`: a frame before any configuration. */
  fault: string | undefined;
  /** Faults of the bit stream, as bits (`h264/flaws.ts`). This and the fields below need the parser's `analysis`. */
  flaws: number;
  /** Slice NAL units of the frame. */
  slices: number;
  /** slice_type modulo 5 of the first slice; -1 if unknown. */
  sliceType: number;
  /** SliceQP_Y of the first slice; NaN if unknown. */
  qp: number;
  /** Bits of the slices without their headers. */
  sliceBits: number;
  /** Entropy coding of the first slice: by CABAC, else by CAVLC. */
  isCabac: boolean;
  /** The first slice is a P slice that changes the brightness of its first reference. */
  isWeighted: boolean;
  /** Mean luma of the upper left block of an I picture (`h264/corner.ts`); NaN if unknown. */
  cornerLuma: number;
  /** Reference pictures missing before this one. */
  missingReferences: number;
  /** The encoder's own measurements, sent with this key frame. */
  performance: PerformanceMessages | undefined;
  /** Closed captions; undefined for a frame without any. */
  captions: CaptionData | undefined;
  /** Time code of the picture timing: of frames with other SEI messages, and of one frame in 16 of the others. */
  timecode: Timecode | undefined;
}

export interface AudioPacket {
  type: PacketType;
  codec: CodecName;
  timestampMs: number;
  /** Size of the coded payload: bytes after the FLV audio header; 0 for `config`. */
  payloadBytes: number;
  trackId: number;
  multitrack: boolean;
  config: AudioSpecificConfig | undefined;
  /** From the FLV header, for codecs without a configuration of their own (not AAC). */
  flvSampleRate: number;
  flvChannels: number;
  fault: string | undefined;
  /** Fault of the start of an AAC frame (`aac/frame-syntax.ts`); '' if there is none. Needs the parser's `analysis`. */
  syntaxFault: string;
  /** Levels of a sampled AAC frame (`aac/frame-levels.ts`); undefined for the others. Needs the parser's `analysis`. */
  levels: AudioLevels | undefined;
  /** An AAC frame that is equal to the one before in size and at its start. Needs the parser's `analysis`. */
  isRepeat: boolean;
}
