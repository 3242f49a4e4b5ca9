/**
 * Selects the packets that players get, and their form. node-media-server reads the first bytes of each packet without
 * checking its length and stores unknown packets as an audio header, so it gets only packets that it understands.
 */
import { SliceList } from '../../bytes/slices.js';
import { WireError } from '../../bytes/wire-error.js';
import { type AmfObject, amfObject, isAmfObject } from '../../rtmp/amf/amf-value.js';
import { Amf0Decoder } from '../../rtmp/amf/amf0-decoder.js';
import { EcmaArray, encodeAmf0 } from '../../rtmp/amf/amf0-encoder.js';
import { DEFAULT_AMF_LIMITS } from '../../rtmp/limits.js';

export type PacketRole = 'header' | 'key' | 'inter' | 'audio' | 'none';

export interface PlayerPacket {
  role: PacketRole;
  payload: SliceList;
}

const AVC = 7;
const AAC = 10;
const ENHANCED_AUDIO = 9;
const KEY_FRAME = 1;
const START = 0;
const CODED = 1;
const END = 2;
const CODED_WITHOUT_TIME = 3;
const AVC1 = fourCc('avc1');
const MP4A = fourCc('mp4a');
const KNOWN_VIDEO = new Set(['hvc1', 'av01', 'vp09'].map(fourCc));
const ENHANCED_HEADER_BYTES = 5;

/** Classifies the video and audio packets of one stream. The returned object is reused: consume it before the next call. */
export class PlayerPackets {
  readonly #packet: PlayerPacket = { role: 'none', payload: new SliceList() };
  readonly #rewritten = new SliceList();

  video(payload: SliceList): PlayerPacket {
    const first = payload.byteAt(0);
    if (payload.length < 5) return this.#as('none', payload);
    const key = ((first >> 4) & 7) === KEY_FRAME;
    if ((first & 0x80) === 0) {
      if ((first & 0x0f) === AVC && payload.byteAt(1) === START) return this.#as('header', payload);
      return this.#as(key ? 'key' : 'inter', payload);
    }
    const type = first & 0x0f;
    const codec = readFourCc(payload);
    if (codec === AVC1) return this.#plainAvc(payload, first, type, key);
    if (!KNOWN_VIDEO.has(codec)) return this.#as('none', payload);
    if (type === START) return this.#as('header', payload);
    if (type !== CODED && type !== CODED_WITHOUT_TIME) return this.#as('none', payload);
    return this.#as(key ? 'key' : 'inter', payload);
  }

  /** Rewrites H.264 in Enhanced RTMP framing, which few players read, to the legacy framing of FLV 10.1 (E.4.3). */
  #plainAvc(payload: SliceList, first: number, type: number, key: boolean): PlayerPacket {
    const head = (first & 0x70) | AVC;
    if (type === START) return this.#as('header', this.#rewrite([head, 0, 0, 0, 0], payload, ENHANCED_HEADER_BYTES));
    const role = key ? 'key' : 'inter';
    if (type === CODED_WITHOUT_TIME)
      return this.#as(role, this.#rewrite([head, 1, 0, 0, 0], payload, ENHANCED_HEADER_BYTES));
    if (type === CODED && payload.length >= ENHANCED_HEADER_BYTES + 3)
      return this.#as(role, this.#rewrite([head, 1], payload, ENHANCED_HEADER_BYTES));
    if (type === END) return this.#as('inter', this.#rewrite([head, 2, 0, 0, 0], payload, ENHANCED_HEADER_BYTES));
    return this.#as('none', payload);
  }

  audio(payload: SliceList): PlayerPacket {
    const first = payload.byteAt(0);
    if (payload.length < 2) return this.#as('none', payload);
    if (first >> 4 === AAC) return this.#as(payload.byteAt(1) === START ? 'header' : 'audio', payload);
    if (first >> 4 !== ENHANCED_AUDIO) return this.#as('audio', payload);
    const type = first & 0x0f;
    if (payload.length < ENHANCED_HEADER_BYTES || (type !== START && type !== CODED)) return this.#as('none', payload);
    const role = type === START ? 'header' : 'audio';
    if (readFourCc(payload) !== MP4A) return this.#as(role, payload);
    return this.#as(role, this.#rewrite([0xaf, type], payload, ENHANCED_HEADER_BYTES));
  }

  #as(role: PacketRole, payload: SliceList): PlayerPacket {
    this.#packet.role = role;
    this.#packet.payload = payload;
    return this.#packet;
  }

  #rewrite(head: readonly number[], payload: SliceList, from: number): SliceList {
    const out = this.#rewritten;
    out.clear();
    out.push(Uint8Array.from(head), 0, head.length);
    let skip = from;
    for (let i = 0; i < payload.count; i++) {
      const start = payload.startAt(i);
      const end = payload.endAt(i);
      const skipped = Math.min(skip, end - start);
      skip -= skipped;
      if (start + skipped < end) out.push(payload.bufferAt(i), start + skipped, end);
    }
    return out;
  }
}

function fourCc(name: string): number {
  return Buffer.from(name, 'latin1').readUInt32BE();
}

function readFourCc(payload: SliceList): number {
  let value = 0;
  for (let i = 1; i <= 4; i++) value = value * 256 + payload.byteAt(i);
  return value;
}

const NUMBERS = [
  'width',
  'height',
  'framerate',
  'videodatarate',
  'videocodecid',
  'audiodatarate',
  'audiocodecid',
  'audiosamplerate',
  'audiosamplesize',
];
const METADATA_BYTES = 64 * 1024;

/** The members of onMetaData that players use. Empty when the encoder's message cannot be parsed. */
export function playerMetadata(payload: SliceList): AmfObject {
  const found = amfObject();
  const bytes = payload.copy(0, METADATA_BYTES);
  try {
    // AMF3 data messages begin with a 0 byte; the values after it are AMF0.
    const decoder = new Amf0Decoder(bytes, DEFAULT_AMF_LIMITS, bytes[0] === 0 ? 1 : 0);
    while (!decoder.done) {
      const value = decoder.value();
      if (!isAmfObject(value)) continue;
      for (const name of NUMBERS) if (Number.isFinite(value[name])) found[name] = value[name];
      if (typeof value.stereo === 'boolean') found.stereo = value.stereo;
      break;
    }
  } catch (error) {
    // The rules report metadata that does not parse; players work without it.
    if (!(error instanceof WireError)) throw error;
  }
  return found;
}

/** An FLV script tag body. It must declare a missing audio track, otherwise browsers wait for audio. */
export function metadataBody(
  members: Readonly<AmfObject>,
  tracks: { hasAudio: boolean; hasVideo: boolean },
): Uint8Array {
  return encodeAmf0('onMetaData', new EcmaArray(amfObject({ ...members, ...tracks })));
}
