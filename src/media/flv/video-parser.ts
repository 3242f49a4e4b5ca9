/**
 * Bodies of FLV video tags and RTMP video messages (FLV E.4.3; Enhanced RTMP v2, ExVideoTagHeader): legacy and enhanced.
 * Never throws for the content of a body: a parse error becomes the packet's `fault`, and the stream continues.
 */
import type { PartialFrame } from '../../bytes/partial-frame.js';
import type { SliceList } from '../../bytes/slices.js';
import type { CodecName, VideoPacket } from '../packet.js';
import { AvcTrack } from './avc-track.js';
import { AVC, HEVC, videoCodecOfId } from './codecs.js';
import { VIDEO_PACKET_TYPES } from './enhanced-header.js';
import { EnhancedParser } from './enhanced-parser.js';
import { nextWanted, retainHeaders } from './retain-headers.js';

const ENHANCED_MARK = 0x80;
const KEY_FRAME = 1;
const INTER_FRAME = 2;
const DISPOSABLE_INTER_FRAME = 3;
const GENERATED_KEY_FRAME = 4;
const INFO_OR_COMMAND_FRAME = 5;
const AVC_ID = 7;
const HEVC_ID = 12;
/** Frame type and codec ID, packet type, composition time. */
const AVC_HEADER_BYTES = 5;
const PLAIN_FRAME = (INTER_FRAME << 4) | AVC_ID;
const PLAIN_DISPOSABLE_FRAME = (DISPOSABLE_INTER_FRAME << 4) | AVC_ID;

const SEQUENCE_START = 0;
const CODED_FRAMES = 1;
const SEQUENCE_END = 2;
const CODED_FRAMES_X = 3;
const METADATA = 4;
const MPEG2TS_SEQUENCE_START = 5;

export class VideoParser extends EnhancedParser<VideoPacket, AvcTrack> {
  /** `analysis`: read the slice header of every picture too. */
  constructor(analysis = false) {
    super(VIDEO_PACKET_TYPES, analysis);
  }

  /**
   * Parses a body of `size` bytes from its prefix `bytes[from, to)`, if that gives the same result as `parse`; it does for
   * nearly every frame of a broadcast. False: no state has changed.
   */
  parsePrefix(bytes: Uint8Array, from: number, to: number, size: number, timestampMs: number): boolean {
    if (to - from <= AVC_HEADER_BYTES) return false;
    const first = bytes[from] as number;
    if (first !== PLAIN_FRAME && first !== PLAIN_DISPOSABLE_FRAME) return false;
    if (bytes[from + 1] !== CODED_FRAMES) return false;
    const frame = size - AVC_HEADER_BYTES;
    const body = from + AVC_HEADER_BYTES;
    if (!this.track0.isPlain(bytes, body, to, frame)) return false;
    const out = this.first;
    this.reset(out, timestampMs);
    out.codec = AVC;
    this.lastCodec = AVC;
    const time = ((bytes[from + 2] as number) << 16) | ((bytes[from + 3] as number) << 8) | (bytes[from + 4] as number);
    out.compositionTimeMs = (time << 8) >> 8;
    this.track0.setPlain(bytes, body, to, frame, out);
    return true;
  }

  /** Parses one body and returns the number of `packets` filled: 1, or the number of tracks of a multitrack message. */
  parse(payload: SliceList, timestampMs: number): number {
    if (this.#parseFirstPiece(payload, timestampMs)) return 1;
    const out = this.first;
    this.reset(out, timestampMs);
    const first = payload.byteAt(0);
    if (first < 0) return this.setEmpty(out);
    if ((first & ENHANCED_MARK) !== 0) {
      if (!isCommandFrame(first)) return this.parseEnhanced(payload, timestampMs, first);
      out.codec = this.lastCodec;
      return 1;
    }
    this.#parseLegacy(payload, first, out);
    this.lastCodec = out.codec;
    return 1;
  }

  #parseFirstPiece(payload: SliceList, timestampMs: number): boolean {
    if (payload.count === 0) return false;
    return this.parsePrefix(payload.bufferAt(0), payload.startAt(0), payload.endAt(0), payload.length, timestampMs);
  }

  /** See `retain-headers.ts`. */
  retainHeaders(payload: SliceList, partial: PartialFrame): boolean {
    return retainHeaders(payload, partial, this.track0.nalLengthSize);
  }

  /** See `retain-headers.ts`. */
  nextWanted(payload: SliceList, partial: PartialFrame): number {
    return nextWanted(payload, partial, this.track0.nalLengthSize);
  }

  #parseLegacy(payload: SliceList, first: number, out: VideoPacket): void {
    const frameType = first >> 4;
    const codecId = first & 15;
    out.codec = videoCodecOfId(codecId);
    if (frameType === INFO_OR_COMMAND_FRAME) return;
    if (frameType === 0 || frameType > INFO_OR_COMMAND_FRAME) out.fault = 'VIDEO_FRAME_TYPE';
    out.flvKeyFrame = isKeyFrame(frameType);
    if (codecId === AVC_ID || codecId === HEVC_ID) this.#parseAvcLayout(payload, codecId, out);
    else this.setCoded(out, payload.length - 1);
  }

  /** Codec IDs 7 and 12 share a layout: packet type, composition time, body. */
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
      if (codecId === AVC_ID) this.track0.parseConfig(payload, AVC_HEADER_BYTES, length, out);
      else out.type = 'config';
    } else {
      out.compositionTimeMs = signed24(payload, 2);
      if (codecId === AVC_ID) this.track0.parseFrame(payload, AVC_HEADER_BYTES, length, out);
      else this.setCoded(out, length - AVC_HEADER_BYTES);
    }
  }

  protected override parseBody(payload: SliceList, out: VideoPacket, first: number): void {
    const header = this.header;
    const { bodyFrom, bodyTo } = header;
    out.flvKeyFrame = isKeyFrame((first >> 4) & 7);
    switch (header.packetType) {
      case SEQUENCE_START:
        if (out.codec === AVC) this.track(out.trackId).parseConfig(payload, bodyFrom, bodyTo, out);
        else out.type = 'config';
        break;
      case MPEG2TS_SEQUENCE_START:
        out.type = 'config';
        break;
      case CODED_FRAMES:
        if (carriesCompositionTime(out.codec)) {
          if (bodyTo - bodyFrom >= 3) out.compositionTimeMs = signed24(payload, bodyFrom);
          this.#parseCoded(payload, bodyFrom + 3, bodyTo, out);
        } else {
          this.#parseCoded(payload, bodyFrom, bodyTo, out);
        }
        break;
      case CODED_FRAMES_X:
        this.#parseCoded(payload, bodyFrom, bodyTo, out);
        break;
      case SEQUENCE_END:
        out.type = 'endOfSequence';
        break;
      case METADATA:
        break;
      default:
        this.setReserved(out, 'VIDEO_PACKET_TYPE');
    }
  }

  #parseCoded(payload: SliceList, from: number, to: number, out: VideoPacket): void {
    out.compositionTimeMs += this.header.nanoOffset / 1e6;
    if (out.codec === AVC) this.track(out.trackId).parseFrame(payload, from, to, out);
    else this.setCoded(out, to - from);
  }

  protected override newTrack(): AvcTrack {
    return new AvcTrack(this.analysis);
  }

  protected override newPacket(): VideoPacket {
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
      flaws: 0,
      slices: 0,
      sliceType: -1,
      qp: Number.NaN,
      sliceBits: 0,
      isCabac: false,
      isWeighted: false,
      cornerLuma: Number.NaN,
      missingReferences: 0,
      performance: undefined,
      captions: undefined,
      timecode: undefined,
    };
  }

  protected override reset(packet: VideoPacket, timestampMs: number): void {
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
    packet.flaws = 0;
    packet.slices = 0;
    packet.sliceType = -1;
    packet.qp = Number.NaN;
    packet.sliceBits = 0;
    packet.isCabac = false;
    packet.isWeighted = false;
    packet.cornerLuma = Number.NaN;
    packet.missingReferences = 0;
    packet.performance = undefined;
    packet.captions = undefined;
    packet.timecode = undefined;
  }
}

/** Enhanced form of the seek commands: the next byte is the command, without a FourCC. Metadata ignores the frame type. */
function isCommandFrame(first: number): boolean {
  return ((first >> 4) & 7) === INFO_OR_COMMAND_FRAME && (first & 15) !== METADATA;
}

function isKeyFrame(frameType: number): boolean {
  return frameType === KEY_FRAME || frameType === GENERATED_KEY_FRAME;
}

function carriesCompositionTime(codec: CodecName): boolean {
  return codec === AVC || codec === HEVC || codec === 'vvc1';
}

function signed24(payload: SliceList, at: number): number {
  const value = (payload.byteAt(at) << 16) | (payload.byteAt(at + 1) << 8) | payload.byteAt(at + 2);
  return (value << 8) >> 8;
}
