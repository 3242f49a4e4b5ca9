/** Takes one track out of messages in the multitrack form of Enhanced RTMP, in the form that a message of a single track has, and back. */
import { SliceList } from '../../bytes/slices.js';
import { AUDIO_PACKET_TYPES, EnhancedHeader, VIDEO_PACKET_TYPES } from './enhanced-header.js';
import { MAX_TRACKS } from './enhanced-parser.js';

const ENHANCED_VIDEO = 0x80;
const ENHANCED_AUDIO = 9;
const COMMAND_FRAME = 5;

/** Whether the message may hold several tracks. Reads one byte; a message with a ModEx prefix counts. */
export function mayHaveTracks(kind: 'audio' | 'video', payload: SliceList): boolean {
  const first = payload.byteAt(0);
  const isEnhanced = kind === 'video' ? (first & ENHANCED_VIDEO) !== 0 : first >> 4 === ENHANCED_AUDIO;
  const types = kind === 'video' ? VIDEO_PACKET_TYPES : AUDIO_PACKET_TYPES;
  return isEnhanced && ((first & 15) === types.multitrack || (first & 15) === types.modEx);
}

/** Type of the message, then four characters of the codec. */
const HEAD_BYTES = 5;

/** A message of a single track as one in the multitrack form, with that track alone; undefined: it is not an enhanced one. */
export function inTrack(kind: 'audio' | 'video', track: number, message: Uint8Array): Uint8Array | undefined {
  const first = message[0] ?? 0;
  const isEnhanced = kind === 'video' ? (first & ENHANCED_VIDEO) !== 0 : first >> 4 === ENHANCED_AUDIO;
  const types = kind === 'video' ? VIDEO_PACKET_TYPES : AUDIO_PACKET_TYPES;
  const type = first & 15;
  if (!isEnhanced || type === types.modEx || message.length < HEAD_BYTES) return undefined;
  const out = new Uint8Array(message.length + 2);
  // One track, and the type of its packet.
  out.set([(first & 0xf0) | types.multitrack, type]);
  out.set(message.subarray(1, HEAD_BYTES), 2);
  out[HEAD_BYTES + 1] = track;
  out.set(message.subarray(HEAD_BYTES), HEAD_BYTES + 2);
  return out;
}

export class TrackMessages {
  readonly #header = new EnhancedHeader();
  readonly #out = new SliceList();

  /**
   * Calls `to` with each track and its message, which is valid during the call. A message that is not in the multitrack
   * form is passed as it is, as track 0; one that cannot be read is not passed.
   */
  each(kind: 'audio' | 'video', payload: SliceList, to: (trackId: number, message: SliceList) => void): void {
    const first = payload.byteAt(0);
    const header = this.#header;
    const isCommand = kind === 'video' && ((first >> 4) & 7) === COMMAND_FRAME;
    if (!header.read(payload, first & 15, kind === 'video' ? VIDEO_PACKET_TYPES : AUDIO_PACKET_TYPES)) return;
    if (!header.multitrack) {
      header.close();
      to(0, payload);
      return;
    }
    for (let count = 0; !isCommand && count < MAX_TRACKS && header.nextTrack(); count++) {
      if (header.fault !== undefined) break;
      const { trackId, fourCc, packetType, bodyFrom, bodyTo } = header;
      const out = this.#out;
      out.clear();
      const head = [
        (first & 0xf0) | packetType,
        fourCc >>> 24,
        (fourCc >> 16) & 255,
        (fourCc >> 8) & 255,
        fourCc & 255,
      ];
      out.push(Uint8Array.from(head), 0, head.length);
      pushRange(out, payload, bodyFrom, bodyTo);
      to(trackId, out);
    }
    header.close();
  }
}

/** Appends the bytes `[from, to)` of a message without copying them. */
function pushRange(out: SliceList, payload: SliceList, from: number, to: number): void {
  let position = 0;
  for (let i = 0; i < payload.count && position < to; i++) {
    const start = payload.startAt(i);
    const size = payload.sizeAt(i);
    const first = Math.max(0, from - position);
    const last = Math.min(size, to - position);
    if (first < last) out.push(payload.bufferAt(i), start + first, start + last);
    position += size;
  }
}
