/** Frames of sound in the PES packets of a transport stream, which they do not respect. */
import { BitReader } from '../../bytes/bit-reader.js';
import { WireError } from '../../bytes/wire-error.js';
import { configOfLoas } from '../../media/aac/latm.js';

/** A frame that begins at a position: its header and its size, and how long it sounds. */
export interface FrameHead {
  readonly headerBytes: number;
  readonly size: number;
  readonly samples: number;
  readonly rate: number;
  readonly channels: number;
  /** AudioSpecificConfig, where frames say it. */
  readonly settings?: Uint8Array | undefined;
  /** Name of the codec, where only frames tell. */
  readonly codec?: string;
}

/** Undefined: no frame begins there. `'more'`: the rest of its header is missing. */
type ReadHead = (bytes: Uint8Array, at: number) => FrameHead | 'more' | undefined;

const RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];
const CHANNELS = [0, 1, 2, 3, 4, 5, 6, 8];

/** ADTS (ISO/IEC 14496-3, 1.A.2.2). */
function adtsHead(bytes: Uint8Array, at: number): FrameHead | 'more' | undefined {
  if (at + 7 > bytes.length) return bytes[at] === 0xff ? 'more' : undefined;
  const [second, third, fourth] = [bytes[at + 1] ?? 0, bytes[at + 2] ?? 0, bytes[at + 3] ?? 0];
  if (bytes[at] !== 0xff || (second & 0xf6) !== 0xf0) return undefined;
  const index = (third >> 2) & 15;
  const rate = RATES[index];
  const headerBytes = (second & 1) === 1 ? 7 : 9;
  const size = ((fourth & 3) << 11) | ((bytes[at + 4] ?? 0) << 3) | ((bytes[at + 5] ?? 0) >> 5);
  if (rate === undefined || size < headerBytes) return undefined;
  const configuration = ((third & 1) << 2) | (fourth >> 6);
  const type = (third >> 6) + 1;
  const fixed = [(type << 3) | (index >> 1), ((index & 1) << 7) | (configuration << 3)];
  const program = configuration === 0 ? programConfig(bytes.subarray(at + headerBytes, at + size)) : [];
  const settings = program === undefined ? undefined : Uint8Array.from([...fixed, ...program]);
  const samples = 1024 * (((bytes[at + 6] ?? 0) & 3) + 1);
  return { headerBytes, size, samples, rate, channels: CHANNELS[configuration] ?? 0, settings };
}

const PROGRAM_CONFIG = 5;

/** The program_config_element (4.4.1.1) that says the channels where the header does not. Undefined: the frame begins with another. */
function programConfig(frame: Uint8Array): number[] | undefined {
  try {
    const bits = new BitReader(frame, 'ISO/IEC 14496-3, 4.4.1.1');
    if (bits.u(3) !== PROGRAM_CONFIG) return undefined;
    const fields = new CopiedBits(bits);
    // Tag, object type, rate.
    fields.copy(10);
    let elements = fields.copy(4) + fields.copy(4) + fields.copy(4);
    const short = fields.copy(2) + fields.copy(3);
    elements += fields.copy(4);
    for (const mixdownBits of [4, 4, 3]) if (fields.copy(1) === 1) fields.copy(mixdownBits);
    for (let element = 0; element < elements; element++) fields.copy(5);
    for (let element = 0; element < short; element++) fields.copy(4);
    fields.align();
    for (let comment = fields.copy(8); comment > 0; comment--) fields.copy(8);
    return fields.bytes;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return undefined;
  }
}

/** Bits that are read and written again, each aligned to its own bytes. */
class CopiedBits {
  readonly bytes: number[] = [];
  readonly #from: BitReader;
  #free = 0;

  constructor(from: BitReader) {
    this.#from = from;
  }

  copy(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) {
      const bit = this.#from.u(1);
      value = 2 * value + bit;
      if (this.#free === 0) {
        this.bytes.push(0);
        this.#free = 8;
      }
      this.#free--;
      this.bytes[this.bytes.length - 1] = (this.bytes.at(-1) ?? 0) | (bit << this.#free);
    }
    return value;
  }

  align(): void {
    this.#free = 0;
    this.#from.skip((8 - (this.#from.bitOffset % 8)) % 8);
  }
}

/** LOAS (ISO/IEC 14496-3, 1.7.2). */
function loasHead(bytes: Uint8Array, at: number): FrameHead | 'more' | undefined {
  if (at + 3 > bytes.length) return bytes[at] === 0x56 ? 'more' : undefined;
  if (bytes[at] !== 0x56 || ((bytes[at + 1] ?? 0) & 0xe0) !== 0xe0) return undefined;
  const size = 3 + ((((bytes[at + 1] ?? 0) & 0x1f) << 8) | (bytes[at + 2] ?? 0));
  const settings = configOfLoas(bytes.subarray(at, at + size));
  return { headerBytes: 0, size, samples: 1024, rate: 0, channels: 0, settings };
}

const LAYER_KBPS = [
  // MPEG-1, layers I to III, then MPEG-2, layer I, layers II and III (ISO/IEC 11172-3, 2.4.2.3; 13818-3, 2.4.2.3).
  [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;
const LAYER_RATES = [44_100, 48_000, 32_000];

function layerHead(bytes: Uint8Array, at: number): FrameHead | 'more' | undefined {
  if (at + 4 > bytes.length) return bytes[at] === 0xff ? 'more' : undefined;
  const [second, third, fourth] = [bytes[at + 1] ?? 0, bytes[at + 2] ?? 0, bytes[at + 3] ?? 0];
  if (bytes[at] !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  const version = (second >> 3) & 3;
  const layer = 4 - ((second >> 1) & 3);
  const row = version === 3 ? layer - 1 : layer === 1 ? 3 : 4;
  const kbps = LAYER_KBPS[row]?.[third >> 4] ?? 0;
  const base = LAYER_RATES[(third >> 2) & 3];
  if (version === 1 || layer === 4 || kbps === 0 || base === undefined) return undefined;
  const rate = base >> (version === 3 ? 0 : version === 2 ? 1 : 2);
  const padding = (third >> 1) & 1;
  const samples = layer === 1 ? 384 : layer === 3 && version !== 3 ? 576 : 1152;
  const size =
    layer === 1
      ? 4 * (Math.floor((12_000 * kbps) / rate) + padding)
      : Math.floor((samples * 125 * kbps) / rate) + padding;
  return { headerBytes: 0, size, samples, rate, channels: fourth >> 6 === 3 ? 1 : 2, codec: `mp${layer}` };
}

const AC3_KBPS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];
const AC3_RATES = [48_000, 44_100, 32_000];
const AC3_CHANNELS = [2, 1, 2, 3, 3, 4, 4, 5];
/** Fields before the flag of the low frequency channel, by the audio coding mode (ETSI TS 102 366, 4.3). */
const lfeShift = (mode: number): number =>
  ((mode & 1) !== 0 && mode !== 1 ? 2 : 0) + ((mode & 4) !== 0 ? 2 : 0) + (mode === 2 ? 2 : 0);

function ac3Head(bytes: Uint8Array, at: number): FrameHead | 'more' | undefined {
  if (at + 8 > bytes.length) return bytes[at] === 0x0b ? 'more' : undefined;
  if (bytes[at] !== 0x0b || bytes[at + 1] !== 0x77) return undefined;
  const [fifth, sixth, seventh, eighth] = [
    bytes[at + 4] ?? 0,
    bytes[at + 5] ?? 0,
    bytes[at + 6] ?? 0,
    bytes[at + 7] ?? 0,
  ];
  const isEnhanced = sixth >> 3 > 10;
  if (isEnhanced) {
    const size = 2 * (((((bytes[at + 2] ?? 0) & 7) << 8) | (bytes[at + 3] ?? 0)) + 1);
    const rate = AC3_RATES[fifth >> 6] ?? 0;
    const blocks = [1, 2, 3, 6][(fifth >> 4) & 3] ?? 6;
    const channels = (AC3_CHANNELS[(fifth >> 1) & 7] ?? 0) + (fifth & 1);
    return rate === 0 ? undefined : { headerBytes: 0, size, samples: 256 * blocks, rate, channels, codec: 'eac3' };
  }
  const rate = AC3_RATES[fifth >> 6];
  const kbps = AC3_KBPS[(fifth & 63) >> 1];
  if (rate === undefined || kbps === undefined) return undefined;
  const words = rate === 44_100 ? Math.floor((kbps * 96_000) / rate) + (fifth & 1) : (kbps * 96_000) / rate;
  const mode = seventh >> 5;
  const bits = ((seventh << 8) | eighth) << 3;
  const lfe = (bits >> (15 - lfeShift(mode))) & 1;
  return {
    headerBytes: 0,
    size: 2 * words,
    samples: 1536,
    rate,
    channels: (AC3_CHANNELS[mode] ?? 0) + lfe,
    codec: 'ac3',
  };
}

/** Samples of an Opus packet at 48 kHz by its first byte (RFC 6716, 3.1). */
function opusSamples(bytes: Uint8Array, at: number): number {
  const toc = bytes[at] ?? 0;
  const mode = toc >> 3;
  const frame =
    mode < 12 ? [480, 960, 1920, 2880][mode & 3] : mode < 16 ? [480, 960][mode & 1] : [120, 240, 480, 960][mode & 3];
  const count = [1, 2, 2, (bytes[at + 1] ?? 0) & 63][toc & 3] ?? 1;
  return (frame ?? 960) * count;
}

/** Opus with the control header of transport streams (11 bits of sync, then flags and a size). */
function opusHead(bytes: Uint8Array, at: number): FrameHead | 'more' | undefined {
  if (at + 3 > bytes.length) return bytes[at] === 0x7f ? 'more' : undefined;
  if (bytes[at] !== 0x7f || ((bytes[at + 1] ?? 0) & 0xe0) !== 0xe0) return undefined;
  const flags = bytes[at + 1] ?? 0;
  let next = at + 2;
  let size = 0;
  for (let byte = 255; byte === 255; size += byte) {
    if (next >= bytes.length) return 'more';
    byte = bytes[next++] ?? 0;
  }
  if ((flags & 0x10) !== 0) next += 2;
  if ((flags & 0x08) !== 0) next += 2;
  if ((flags & 0x04) !== 0) next += 1 + (bytes[next] ?? 0);
  if (next >= bytes.length) return 'more';
  return {
    headerBytes: next - at,
    size: next - at + size,
    samples: opusSamples(bytes, next),
    rate: 48_000,
    channels: 0,
  };
}

const HEADS: Readonly<Record<string, ReadHead>> = {
  aac: adtsHead,
  aac_latm: loasHead,
  mp2: layerHead,
  ac3: ac3Head,
  eac3: ac3Head,
  opus: opusHead,
};

export interface AudioFrame {
  readonly head: FrameHead;
  /** Without its header. */
  readonly data: Uint8Array;
  /** Time of the PES packet of which it is the first to begin. */
  readonly time: number | undefined;
}

/** Larger than any frame of these codecs. */
const FRAME_BYTES_MAX = 64 * 1024;

/** Cuts the bytes of one PID into frames. */
export class AudioFrames {
  readonly #read: ReadHead;
  #rest = new Uint8Array(0);
  #restTime: number | undefined;

  private constructor(read: ReadHead) {
    this.#read = read;
  }

  /** Undefined: frames of this codec are not told apart; a PES packet is taken for one. */
  static of(codec: string): AudioFrames | undefined {
    const read = HEADS[codec];
    return read === undefined ? undefined : new AudioFrames(read);
  }

  /** The codec of bytes that begin with two of its frames, or with one that fills them. */
  static recognize(data: Uint8Array): string | undefined {
    return ['aac', 'ac3', 'aac_latm', 'mp2'].find((codec) => {
      const read = HEADS[codec];
      const head = read?.(data, 0);
      if (read === undefined || head === undefined || head === 'more') return false;
      const next = head.size < data.length ? read(data, head.size) : undefined;
      return head.size === data.length || (next !== undefined && next !== 'more');
    });
  }

  /** `time`: of the PES packet whose bytes these are. */
  take(data: Uint8Array, time: number | undefined): AudioFrame[] {
    const restBytes = this.#rest.length;
    const bytes = restBytes === 0 ? data : joined(this.#rest, data);
    const frames: AudioFrame[] = [];
    // The time of the frame that began in the packet before, then that of the first to begin in this one.
    const times = [this.#restTime, time];
    let next = restBytes === 0 ? 1 : 0;
    let at = 0;
    this.#restTime = undefined;
    while (at < bytes.length) {
      const head = this.#read(bytes, at);
      if (head === undefined || (head !== 'more' && head.size > FRAME_BYTES_MAX)) {
        at++;
        continue;
      }
      if (at >= restBytes && next === 0) next = 1;
      const hasTime = next === 0 ? at < restBytes : at >= restBytes;
      const own = hasTime ? times[next] : undefined;
      if (head === 'more' || at + head.size > bytes.length) {
        this.#restTime = own;
        break;
      }
      if (hasTime) next++;
      frames.push({ head, data: bytes.subarray(at + head.headerBytes, at + head.size), time: own });
      at += Math.max(1, head.size);
    }
    this.#rest = bytes.slice(Math.max(at, bytes.length - FRAME_BYTES_MAX));
    return frames;
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}
