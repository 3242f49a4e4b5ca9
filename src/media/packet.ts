/**
 * What the FLV tag parsers tell of one audio or video message. One object of each kind is reused for a whole connection:
 * read it before the next message is parsed, keep nothing of it.
 */
import type { AudioSpecificConfig } from './aac/audio-specific-config.js';
import type { AvcDecoderConfiguration } from './h264/avcc.js';
import type { Sps } from './h264/sps.js';

/** FourCC or the name of a legacy FLV codec (`flv/codecs.ts`); `unknown:xxxxxxxx` (hex) for what no list knows; '' before anything is known. */
export type CodecName = string;

export type PacketType =
  /** Sequence header with a decoder configuration. */
  | 'config'
  /** Coded frame. */
  | 'coded'
  | 'endOfSequence'
  /** Info/command frame, metadata packet, multichannel configuration: carries no media. */
  | 'other'
  /** Zero-length or too short to carry anything: counted, never a fault (rtmp-interop E12). */
  | 'empty';

export interface VideoPacket {
  type: PacketType;
  codec: CodecName;
  /** Decode time as sent, 32-bit milliseconds that wrap. */
  timestampMs: number;
  /** pts - dts, signed milliseconds (plus the nanosecond offset of ModEx as a fraction). */
  compositionTimeMs: number;
  /** Coded payload: bytes behind the FLV video header, filler included, 0 for `config`. */
  payloadBytes: number;
  /** The FLV header's claim. */
  flvKeyFrame: boolean;
  /** An IDR slice (NAL type 5) is in the frame, whatever the FLV header claims. */
  idr: boolean;
  /** A recovery point SEI with recovery_frame_cnt 0 and no IDR: a key frame of an open GOP. */
  recoveryPoint: boolean;
  /** Bit n set: a NAL unit of type n is in the frame. All of them in key frames and in the first frames behind a configuration, else up to the first slice. */
  nalTypes: number;
  /** The first slice says field_pic_flag 1: a field, not a frame. */
  fieldCoded: boolean;
  /** Enhanced RTMP track; 0 for everything else. */
  trackId: number;
  /** The message used Enhanced RTMP multitrack framing. */
  multitrack: boolean;
  /** Parsed configuration of a `config` packet when the codec is H.264. */
  config: AvcDecoderConfiguration | undefined;
  /** SPS found inside a coded frame, when it parses. The same object as long as its bytes stay the same. */
  inBandSps: Sps | undefined;
  /** H.264: the SPS in use after this packet, from the configuration or in band. The same object as long as its bytes stay the same. */
  activeSps: Sps | undefined;
  /** Encoder settings text of x264's SEI (user data unregistered), first key frame only. */
  encoderSei: string | undefined;
  /** A code of `bytes/wire-error` when something in the body did not parse; the stream goes on. `AVC_CONFIG_MISSING`: a frame before any configuration. */
  fault: string | undefined;
}

export interface AudioPacket {
  type: PacketType;
  codec: CodecName;
  timestampMs: number;
  /** Coded payload: bytes behind the FLV audio header, 0 for `config`. */
  payloadBytes: number;
  trackId: number;
  multitrack: boolean;
  config: AudioSpecificConfig | undefined;
  /** From the FLV header, for codecs that have no configuration of their own (not AAC). */
  flvSampleRate: number;
  flvChannels: number;
  fault: string | undefined;
}
