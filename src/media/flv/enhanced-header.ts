/**
 * The Enhanced RTMP header of audio and video (Enhanced RTMP v2, ExAudioTagHeader and ExVideoTagHeader): ModEx prefixes,
 * FourCC, and the tracks of a multitrack message. Reused: `read` begins a message, `nextTrack` iterates over its tracks.
 */
import { SliceList } from '../../bytes/slices.js';

/** Packet type numbers, in which the two headers differ. */
export interface EnhancedPacketTypes {
  readonly multitrack: number;
  readonly modEx: number;
}

const MOD_EX = 7;
export const VIDEO_PACKET_TYPES: EnhancedPacketTypes = { multitrack: 6, modEx: MOD_EX };
export const AUDIO_PACKET_TYPES: EnhancedPacketTypes = { multitrack: 5, modEx: MOD_EX };

const MOD_EX_TIMESTAMP_OFFSET_NANO = 0;
/** Enhanced RTMP sets no bound; one prefix is usual. */
const MAX_MOD_EX = 8;
const ONE_TRACK = 0;
const MANY_TRACKS_MANY_CODECS = 2;
const NOTHING = new SliceList();

/** The packet type of an enhanced message, behind its ModEx prefixes; -1 where it is too short. Reads a byte where it has none. */
export function packetTypeOf(message: { readonly length: number; byteAt(index: number): number }): number {
  const { length } = message;
  let type = message.byteAt(0) & 15;
  for (let at = 1, count = 0; type === MOD_EX && count < MAX_MOD_EX; count++) {
    let size = message.byteAt(at++) + 1;
    if (size === 256) {
      size = message.byteAt(at) * 256 + message.byteAt(at + 1) + 1;
      at += 2;
    }
    at += size;
    if (at >= length) return -1;
    type = message.byteAt(at++) & 15;
  }
  return type;
}

export class EnhancedHeader {
  /** The actual packet type, after ModEx and multitrack. */
  packetType = 0;
  multitrack = false;
  /** Nanoseconds to add to the presentation time. */
  nanoOffset = 0;
  /** Codes: FOURCC_TRUNCATED, MOD_EX_TRUNCATED, MOD_EX_TOO_MANY, MULTITRACK_KIND, MULTITRACK_NESTED, MULTITRACK_TRUNCATED, MULTITRACK_BEYOND_MESSAGE. */
  fault: string | undefined;

  /** Id of the current track. */
  trackId = 0;
  fourCc = 0;
  bodyFrom = 0;
  bodyTo = 0;

  #payload: SliceList = NOTHING;
  #kind = ONE_TRACK;
  #at = 0;
  #done = true;

  /**
   * Reads the header whose first byte held `packetType`. False if there are no tracks: too short, or a `fault` that makes
   * the rest unreadable.
   */
  read(payload: SliceList, packetType: number, types: EnhancedPacketTypes): boolean {
    this.#payload = payload;
    this.packetType = packetType;
    this.multitrack = false;
    this.nanoOffset = 0;
    this.fault = undefined;
    this.trackId = 0;
    this.fourCc = 0;
    this.#kind = ONE_TRACK;
    this.#at = 1;
    this.#done = false;
    for (let count = 0; this.packetType === types.modEx; count++) {
      if (count === MAX_MOD_EX) return this.#fail('MOD_EX_TOO_MANY');
      if (!this.#readModEx()) return this.#fail('MOD_EX_TRUNCATED');
    }
    if (this.packetType === types.multitrack) {
      const byte = this.#uint(1);
      if (byte < 0) return this.#fail('MULTITRACK_TRUNCATED');
      this.multitrack = true;
      this.#kind = byte >> 4;
      this.packetType = byte & 15;
      if (this.#kind > MANY_TRACKS_MANY_CODECS) return this.#fail('MULTITRACK_KIND');
      if (this.packetType === types.multitrack) return this.#fail('MULTITRACK_NESTED');
    }
    if (this.#kind !== MANY_TRACKS_MANY_CODECS) {
      const fourCc = this.#uint(4);
      if (fourCc < 0) return this.#fail('FOURCC_TRUNCATED');
      this.fourCc = fourCc;
    }
    return true;
  }

  /** Moves to the next track's body. False after the last. */
  nextTrack(): boolean {
    if (this.#done) return false;
    const length = this.#payload.length;
    if (!this.multitrack) {
      this.#done = true;
      this.bodyFrom = this.#at;
      this.bodyTo = length;
      return true;
    }
    if (this.#at >= length) return this.#fail(undefined);
    if (this.#kind === MANY_TRACKS_MANY_CODECS) {
      const fourCc = this.#uint(4);
      if (fourCc < 0) return this.#fail('MULTITRACK_TRUNCATED');
      this.fourCc = fourCc;
    }
    const trackId = this.#uint(1);
    const size = this.#kind === ONE_TRACK ? length - this.#at : this.#uint(3);
    if (trackId < 0 || size < 0) return this.#fail('MULTITRACK_TRUNCATED');
    this.trackId = trackId;
    this.bodyFrom = this.#at;
    this.bodyTo = this.#at + size;
    if (this.bodyTo > length) {
      this.fault ??= 'MULTITRACK_BEYOND_MESSAGE';
      this.bodyTo = length;
    }
    this.#at = this.bodyTo;
    if (this.#kind === ONE_TRACK) this.#done = true;
    return true;
  }

  /** Releases the message. */
  close(): void {
    this.#payload = NOTHING;
    this.#done = true;
  }

  #readModEx(): boolean {
    let size = this.#uint(1) + 1;
    if (size === 256) size = this.#uint(2) + 1;
    if (size <= 0) return false;
    const data = this.#at;
    this.#at += size;
    const next = this.#uint(1);
    if (next < 0) return false;
    if (next >> 4 === MOD_EX_TIMESTAMP_OFFSET_NANO && size >= 3) {
      const after = this.#at;
      this.#at = data;
      this.nanoOffset = this.#uint(3);
      this.#at = after;
    }
    this.packetType = next & 15;
    return true;
  }

  /** The next `count` bytes as a number, or -1 past the end. */
  #uint(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) {
      const byte = this.#payload.byteAt(this.#at);
      if (byte < 0) return -1;
      this.#at++;
      value = value * 256 + byte;
    }
    return value;
  }

  #fail(fault: string | undefined): false {
    this.fault ??= fault;
    this.#done = true;
    return false;
  }
}
