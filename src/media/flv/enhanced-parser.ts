/**
 * Base of the video and audio parsers: reused packets, one per track, and parsing of Enhanced RTMP messages. The two headers
 * differ in numbers only.
 */
import type { SliceList } from '../../bytes/slices.js';
import type { CodecName, PacketType } from '../packet.js';
import { codecOfFourCc } from './codecs.js';
import { EnhancedHeader, type EnhancedPacketTypes } from './enhanced-header.js';

/** Maximum tracks per message, and tracks with a kept configuration. Track IDs have one byte. */
export const MAX_TRACKS = 16;

const ENHANCED_HEADER_BYTES = 5;

interface TrackPacket {
  type: PacketType;
  codec: CodecName;
  trackId: number;
  multitrack: boolean;
  payloadBytes: number;
  fault: string | undefined;
}

export abstract class EnhancedParser<P extends TrackPacket, T> {
  /** The first packet of the last message, which nearly always is its only one. */
  readonly first: P;
  /** One packet per track of the last message. */
  readonly packets: P[];
  protected readonly header = new EnhancedHeader();
  /** Codec of messages too short to name one. */
  protected lastCodec: CodecName = '';
  /** State of track 0, the only track of nearly every stream. */
  protected readonly track0: T;
  /** Frames are parsed beyond what the published document needs. */
  protected readonly analysis: boolean;
  readonly #packetTypes: EnhancedPacketTypes;
  #otherTracks: Map<number, T> | undefined;
  #unknownFourCc = -1;
  #unknownName: CodecName = '';

  constructor(packetTypes: EnhancedPacketTypes, analysis = false) {
    this.#packetTypes = packetTypes;
    this.analysis = analysis;
    this.first = this.newPacket();
    this.packets = [this.first];
    this.track0 = this.newTrack();
  }

  protected abstract newPacket(): P;
  protected abstract newTrack(): T;
  protected abstract reset(packet: P, timestampMs: number): void;
  /** Parses the body at `header`'s current track; `first` is the message's first byte. */
  protected abstract parseBody(payload: SliceList, packet: P, first: number): void;

  protected packet(index: number): P {
    const existing = this.packets[index];
    if (existing) return existing;
    const packet = this.newPacket();
    this.packets[index] = packet;
    return packet;
  }

  /** An empty message, e.g. silence or a keep-alive. Never a fault. */
  protected setEmpty(packet: P): number {
    packet.type = 'empty';
    packet.codec = this.lastCodec;
    return 1;
  }

  protected setCoded(packet: P, payloadBytes: number): void {
    packet.type = payloadBytes > 0 ? 'coded' : 'empty';
    packet.payloadBytes = Math.max(0, payloadBytes);
  }

  /** Parses a message with an enhanced header into `packets`; returns the number filled, at least one. */
  protected parseEnhanced(payload: SliceList, timestampMs: number, first: number): number {
    const header = this.header;
    const out = this.first;
    if (payload.length < ENHANCED_HEADER_BYTES) return this.setEmpty(out);
    let count = 0;
    if (header.read(payload, first & 15, this.#packetTypes)) {
      while (header.nextTrack()) {
        if (count === MAX_TRACKS) {
          header.fault ??= 'MULTITRACK_TOO_MANY';
          break;
        }
        const packet = this.packet(count++);
        this.reset(packet, timestampMs);
        packet.trackId = header.trackId;
        packet.multitrack = header.multitrack;
        packet.codec = this.#codecName(header.fourCc);
        this.parseBody(payload, packet, first);
      }
    }
    if (count === 0) {
      out.codec = this.lastCodec;
      out.multitrack = header.multitrack;
    }
    // A framing fault is attributed to the track before it.
    if (header.fault !== undefined) this.packet(Math.max(0, count - 1)).fault ??= header.fault;
    this.lastCodec = out.codec;
    header.close();
    return Math.max(1, count);
  }

  /**
   * Reserved packet type. With an unknown FourCC it is not an enhanced header at all (DJI sends such bytes): the packet
   * counts as coded, with an unknown codec.
   */
  protected setReserved(packet: P, fault: string): void {
    if (packet.codec === this.#unknownName) this.setCoded(packet, this.header.bodyTo - this.header.bodyFrom);
    packet.fault = fault;
  }

  /** The state of a track. Tracks beyond the cap are parsed without kept state. */
  protected track(trackId: number): T {
    if (trackId === 0) return this.track0;
    this.#otherTracks ??= new Map();
    const known = this.#otherTracks.get(trackId);
    if (known) return known;
    const track = this.newTrack();
    if (this.#otherTracks.size < MAX_TRACKS) this.#otherTracks.set(trackId, track);
    return track;
  }

  /** Caches the name of the last unknown codec, to avoid an allocation per packet. */
  #codecName(fourCc: number): CodecName {
    if (fourCc === this.#unknownFourCc) return this.#unknownName;
    const name = codecOfFourCc(fourCc);
    if (name.startsWith('unknown:')) {
      this.#unknownFourCc = fourCc;
      this.#unknownName = name;
    }
    return name;
  }
}
