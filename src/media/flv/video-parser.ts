/**
 * Bodies of FLV video tags and RTMP video messages (FLV E.4.3; Enhanced RTMP v2, ExVideoTagHeader): legacy and enhanced.
 * Never throws for what is in a body: what does not parse becomes the packet's `fault`, and the stream goes on.
 */
import type { SliceList } from '../../bytes/slices.js';
import type { CodecName, VideoPacket } from '../packet.js';
import { AvcTrack } from './avc-track.js';
import { AVC, codecOfFourCc, HEVC, videoCodecOfId } from './codecs.js';
import { EnhancedHeader, VIDEO_PACKET_TYPES } from './enhanced-header.js';

const ENHANCED_MARK = 0x80;
const KEY_FRAME = 1;
const GENERATED_KEY_FRAME = 4;
const INFO_OR_COMMAND_FRAME = 5;
const AVC_ID = 7;
const HEVC_ID = 12;
/** Frame type and codec id, packet type, composition time. */
const AVC_HEADER_BYTES = 5;
/** Frame type and packet type, FourCC. */
const ENHANCED_HEADER_BYTES = 5;

const SEQUENCE_START = 0;
const CODED_FRAMES = 1;
const SEQUENCE_END = 2;
const CODED_FRAMES_X = 3;
const METADATA = 4;
const MPEG2TS_SEQUENCE_START = 5;

/** Tracks told apart in one message, and tracks whose parameter sets are kept. Track ids are a byte. */
export const MAX_TRACKS = 16;

export class VideoParser {
  /** One packet a track of the message that was parsed last; the first is there from the start. */
  readonly packets: VideoPacket[] = [newVideoPacket()];
  readonly #header = new EnhancedHeader();
  readonly #tracks = new Map<number, AvcTrack>();
  readonly #track0 = new AvcTrack();
  #lastCodec: CodecName = '';
  #unknownFourCc = -1;
  #unknownName: CodecName = '';

  /** Parses one body and returns how many `packets` it filled: 1, or the number of tracks of a multitrack message. */
  parse(payload: SliceList, timestampMs: number): number {
    const out = this.#packet(0);
    resetVideo(out, timestampMs);
    const first = payload.byteAt(0);
    if (first < 0) {
      out.type = 'empty';
      out.codec = this.#lastCodec;
      return 1;
    }
    if ((first & ENHANCED_MARK) !== 0) return this.#parseEnhanced(payload, timestampMs, first);
    this.#parseLegacy(payload, first, out);
    this.#lastCodec = out.codec;
    return 1;
  }

  #parseLegacy(payload: SliceList, first: number, out: VideoPacket): void {
    const frameType = first >> 4;
    const codecId = first & 15;
    out.codec = videoCodecOfId(codecId);
    if (frameType === INFO_OR_COMMAND_FRAME) return;
    if (frameType === 0 || frameType > INFO_OR_COMMAND_FRAME) out.fault = 'VIDEO_FRAME_TYPE';
    out.flvKeyFrame = frameType === KEY_FRAME || frameType === GENERATED_KEY_FRAME;
    if (codecId === AVC_ID || codecId === HEVC_ID) this.#parseAvcLayout(payload, codecId, out);
    else setCoded(out, payload.length - 1);
  }

  /** Codec ids 7 and 12 share a layout: packet type, composition time, body. */
  #parseAvcLayout(payload: SliceList, codecId: number, out: VideoPacket): void {
    const length = payload.length;
    const packetType = payload.byteAt(1);
    if (packetType === SEQUENCE_END) {
      out.type = 'endOfSequence';
    } else if (packetType > SEQUENCE_END) {
      out.fault ??= 'VIDEO_PACKET_TYPE';
    } else if (length <= AVC_HEADER_BYTES) {
      out.type = 'empty';
    } else if (packetType === SEQUENCE_START) {
      if (codecId === AVC_ID) this.#track0.parseConfig(payload, AVC_HEADER_BYTES, length, out);
      else out.type = 'config';
    } else {
      out.compositionTimeMs = signed24(payload, 2);
      if (codecId === AVC_ID) this.#track0.parseFrame(payload, AVC_HEADER_BYTES, length, out);
      else setCoded(out, length - AVC_HEADER_BYTES);
    }
  }

  #parseEnhanced(payload: SliceList, timestampMs: number, first: number): number {
    const header = this.#header;
    const frameType = (first >> 4) & 7;
    const out = this.#packet(0);
    if (frameType === INFO_OR_COMMAND_FRAME && (first & 15) !== METADATA) {
      out.codec = this.#lastCodec;
      return 1;
    }
    if (payload.length < ENHANCED_HEADER_BYTES || !header.read(payload, first & 15, VIDEO_PACKET_TYPES)) {
      out.type = header.fault === undefined || payload.length < ENHANCED_HEADER_BYTES ? 'empty' : 'other';
      out.fault = out.type === 'other' ? header.fault : undefined;
      out.codec = this.#lastCodec;
      out.multitrack = out.type === 'other' && header.multitrack;
      header.close();
      return 1;
    }
    const key = frameType === KEY_FRAME || frameType === GENERATED_KEY_FRAME;
    let count = 0;
    while (header.nextTrack()) {
      if (count === MAX_TRACKS) {
        header.fault ??= 'MULTITRACK_TOO_MANY';
        break;
      }
      const packet = this.#packet(count++);
      resetVideo(packet, timestampMs);
      packet.flvKeyFrame = key;
      this.#parseEnhancedBody(payload, packet);
    }
    if (count === 0) {
      out.multitrack = header.multitrack;
      out.codec = this.#lastCodec;
    }
    if (header.fault !== undefined) this.#packet(Math.max(0, count - 1)).fault ??= header.fault;
    if (count > 0) this.#lastCodec = out.codec;
    header.close();
    return Math.max(1, count);
  }

  #parseEnhancedBody(payload: SliceList, out: VideoPacket): void {
    const header = this.#header;
    out.trackId = header.trackId;
    out.multitrack = header.multitrack;
    out.codec = this.#codecName(header.fourCc);
    let from = header.bodyFrom;
    const to = header.bodyTo;
    switch (header.packetType) {
      case SEQUENCE_START:
        if (out.codec === AVC) this.#track(out.trackId).parseConfig(payload, from, to, out);
        else out.type = 'config';
        break;
      case MPEG2TS_SEQUENCE_START:
        out.type = 'config';
        break;
      case CODED_FRAMES:
      case CODED_FRAMES_X:
        if (header.packetType === CODED_FRAMES && carriesCompositionTime(out.codec)) {
          out.compositionTimeMs = to - from >= 3 ? signed24(payload, from) : 0;
          from = Math.min(to, from + 3);
        }
        out.compositionTimeMs += header.nanoOffset / 1e6;
        if (out.codec === AVC) this.#track(out.trackId).parseFrame(payload, from, to, out);
        else setCoded(out, to - from);
        break;
      case SEQUENCE_END:
        out.type = 'endOfSequence';
        break;
      case METADATA:
        break;
      default:
        // A first byte of 0x80 and more that is no enhanced header at all (DJI): the codec is the news, not the type.
        if (out.codec === this.#unknownName) setCoded(out, to - from);
        out.fault = 'VIDEO_PACKET_TYPE';
    }
  }

  #codecName(fourCc: number): CodecName {
    if (fourCc === this.#unknownFourCc) return this.#unknownName;
    const name = codecOfFourCc(fourCc);
    if (name.startsWith('unknown:')) {
      this.#unknownFourCc = fourCc;
      this.#unknownName = name;
    }
    return name;
  }

  #track(trackId: number): AvcTrack {
    if (trackId === 0) return this.#track0;
    const known = this.#tracks.get(trackId);
    if (known) return known;
    const track = new AvcTrack();
    // Beyond the cap a track is parsed without memory of its parameter sets.
    if (this.#tracks.size < MAX_TRACKS) this.#tracks.set(trackId, track);
    return track;
  }

  #packet(index: number): VideoPacket {
    const existing = this.packets[index];
    if (existing) return existing;
    const packet = newVideoPacket();
    this.packets[index] = packet;
    return packet;
  }
}

function carriesCompositionTime(codec: CodecName): boolean {
  return codec === AVC || codec === HEVC || codec === 'vvc1';
}

function setCoded(out: VideoPacket, payloadBytes: number): void {
  out.type = payloadBytes > 0 ? 'coded' : 'empty';
  out.payloadBytes = Math.max(0, payloadBytes);
}

function signed24(payload: SliceList, at: number): number {
  const value = (payload.byteAt(at) << 16) | (payload.byteAt(at + 1) << 8) | payload.byteAt(at + 2);
  return (value << 8) >> 8;
}

/** A packet as it stands before any message. */
export function newVideoPacket(): VideoPacket {
  return {
    type: 'other',
    codec: '',
    timestampMs: 0,
    compositionTimeMs: 0,
    payloadBytes: 0,
    flvKeyFrame: false,
    idr: false,
    recoveryPoint: false,
    nalTypes: 0,
    fieldCoded: false,
    trackId: 0,
    multitrack: false,
    config: undefined,
    inBandSps: undefined,
    activeSps: undefined,
    encoderSei: undefined,
    fault: undefined,
  };
}

function resetVideo(packet: VideoPacket, timestampMs: number): void {
  packet.type = 'other';
  packet.codec = '';
  packet.timestampMs = timestampMs;
  packet.compositionTimeMs = 0;
  packet.payloadBytes = 0;
  packet.flvKeyFrame = false;
  packet.idr = false;
  packet.recoveryPoint = false;
  packet.nalTypes = 0;
  packet.fieldCoded = false;
  packet.trackId = 0;
  packet.multitrack = false;
  packet.config = undefined;
  packet.inBandSps = undefined;
  packet.activeSps = undefined;
  packet.encoderSei = undefined;
  packet.fault = undefined;
}
