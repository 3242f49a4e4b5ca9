/**
 * A track that cannot be moved into FLV, as messages that name the codec and hold nothing else: when its packets come and
 * how large they are is all that the rules need to say that the codec is not the specified one. AAC in another packing
 * comes with its configuration and is judged like any AAC.
 */
import { SliceList } from '../../bytes/slices.js';
import type { FlvTagKind } from '../../media/flv/file-reader.js';
import { codecName } from '../../spec/codec-names.js';
import type { FileTrack } from '../remux/remux.js';
import type { PacketTime } from '../remux/tracks.js';

/**
 * FLV's own numbers: CodecID (E.4.3.1) and SoundFormat (E.4.2.1). Not of the sounds whose rate FLV's header says: it has
 * no number for 48 kHz, and what a header made here says would be taken for a fact of the file.
 */
const LEGACY_VIDEO: Readonly<Record<string, number>> = { flv1: 2, flashsv: 3, vp6f: 4, vp6a: 5, flashsv2: 6, mpeg4: 9 };
const LEGACY_AUDIO: Readonly<Record<string, number>> = { nellymoser: 6, pcm_alaw: 7, pcm_mulaw: 8, speex: 11 };
/** Enhanced RTMP's FourCCs. */
const FOURCC: Readonly<Record<string, string>> = {
  hevc: 'hvc1',
  vvc: 'vvc1',
  av1: 'av01',
  vp8: 'vp08',
  vp9: 'vp09',
  ac3: 'ac-3',
  eac3: 'ec-3',
  opus: 'Opus',
  flac: 'fLaC',
  mp3: '.mp3',
  aac_latm: 'mp4a',
};

const SEQUENCE_START = 0;
const CODED_FRAMES_X = 3;
const CODED_FRAMES = 1;
const KEY_FRAME = 1;
const INTER_FRAME = 2;
const ENHANCED_AUDIO = 9;

const zeros = new Uint8Array(64 * 1024);

export class NamedTrack {
  readonly kind: FlvTagKind;
  readonly track: FileTrack;
  /** What the judge calls a codec that it has no name for, if it has none for this one. */
  readonly alias: string | undefined;
  readonly #fourCc: string;
  readonly #payload = new SliceList();

  constructor(track: FileTrack) {
    this.kind = track.kind;
    this.track = track;
    this.#fourCc = FOURCC[track.codec] ?? track.codec.padEnd(4).slice(0, 4);
    const isKnown = [FOURCC, LEGACY_VIDEO, LEGACY_AUDIO].some((names) => Object.hasOwn(names, track.codec));
    this.alias = isKnown ? undefined : codecName(`unknown:${Buffer.from(this.#fourCc, 'latin1').toString('hex')}`);
  }

  /** The message with which AAC begins. */
  static aacHeader(config: Uint8Array): SliceList {
    const fourCc = Buffer.from('mp4a', 'latin1');
    return SliceList.of(Uint8Array.of((ENHANCED_AUDIO << 4) | SEQUENCE_START, ...fourCc), config);
  }

  /** Valid until the next call. */
  payload(packet: PacketTime): SliceList {
    this.#payload.clear();
    const header = this.#header(packet.isKey);
    this.#payload.push(header, 0, header.length);
    for (let left = packet.bytes; left > 0; left -= zeros.length) {
      this.#payload.push(zeros, 0, Math.min(left, zeros.length));
    }
    return this.#payload;
  }

  #header(isKey: boolean): Uint8Array {
    const { kind, codec } = this.track;
    const fourCc = Buffer.from(this.#fourCc, 'latin1');
    if (kind === 'video') {
      const frame = isKey ? KEY_FRAME : INTER_FRAME;
      const legacy = LEGACY_VIDEO[codec];
      return legacy === undefined
        ? Uint8Array.of(0x80 | (frame << 4) | CODED_FRAMES_X, ...fourCc)
        : Uint8Array.of((frame << 4) | legacy);
    }
    const legacy = LEGACY_AUDIO[codec];
    return legacy === undefined
      ? Uint8Array.of((ENHANCED_AUDIO << 4) | CODED_FRAMES, ...fourCc)
      : Uint8Array.of(legacy << 4);
  }
}
