/**
 * What the video and the audio parser share: reused packets, one a track, and the way through an Enhanced RTMP message.
 * Kept in one place because the two headers differ in numbers only.
 */
import type { SliceList } from '../../bytes/slices.js';
import type { CodecName, PacketType } from '../packet.js';
import { codecOfFourCc } from './codecs.js';
import { EnhancedHeader, type EnhancedPacketTypes } from './enhanced-header.js';

/** Tracks told apart in one message, and tracks whose configuration is kept. Track ids are a byte. */
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
  /** One packet a track of the message that was parsed last; the first is there from the start. */
  readonly packets: P[];
  protected readonly header = new EnhancedHeader();
  /** For messages too short to say what they are. */
  protected lastCodec: CodecName = '';
  /** Of track 0, which nearly every stream has and no other. */
  protected readonly track0: T;
  readonly #packetTypes: EnhancedPacketTypes;
  #otherTracks: Map<number, T> | undefined;
  #unknownFourCc = -1;
  #unknownName: CodecName = '';

  constructor(packetTypes: EnhancedPacketTypes) {
    this.#packetTypes = packetTypes;
    this.packets = [this.newPacket()];
    this.track0 = this.newTrack();
  }

  protected abstract newPacket(): P;
  protected abstract newTrack(): T;
  protected abstract reset(packet: P, timestampMs: number): void;
  /** Reads the body that `header` stands on; `first` is the message's first byte. */
  protected abstract parseBody(payload: SliceList, packet: P, first: number): void;

  protected packet(index: number): P {
    const existing = this.packets[index];
    if (existing) return existing;
    const packet = this.newPacket();
    this.packets[index] = packet;
    return packet;
  }

  /** A message of no bytes: a silence, a keep-alive, a slip. Never a fault. */
  protected setEmpty(packet: P): number {
    packet.type = 'empty';
    packet.codec = this.lastCodec;
    return 1;
  }

  protected setCoded(packet: P, payloadBytes: number): void {
    packet.type = payloadBytes > 0 ? 'coded' : 'empty';
    packet.payloadBytes = Math.max(0, payloadBytes);
  }

  /** Parses a message with an enhanced header into `packets`; returns how many it filled, at least one. */
  protected parseEnhanced(payload: SliceList, timestampMs: number, first: number): number {
    const header = this.header;
    const out = this.packet(0);
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
    // A fault of the framing is told with the track behind which it was found.
    if (header.fault !== undefined) this.packet(Math.max(0, count - 1)).fault ??= header.fault;
    this.lastCodec = out.codec;
    header.close();
    return Math.max(1, count);
  }

  /**
   * A packet type that the standard reserves. With an unknown FourCC this is no enhanced header at all (DJI sends such
   * bytes): then the codec is the news, and the packet counts as coded.
   */
  protected setReserved(packet: P, fault: string): void {
    if (packet.codec === this.#unknownName) this.setCoded(packet, this.header.bodyTo - this.header.bodyFrom);
    packet.fault = fault;
  }

  /** The state of a track. Beyond the cap a track is parsed without memory of what came before. */
  protected track(trackId: number): T {
    if (trackId === 0) return this.track0;
    this.#otherTracks ??= new Map();
    const known = this.#otherTracks.get(trackId);
    if (known) return known;
    const track = this.newTrack();
    if (this.#otherTracks.size < MAX_TRACKS) this.#otherTracks.set(trackId, track);
    return track;
  }

  /** Names of unknown codecs are made once, not for each packet. */
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
