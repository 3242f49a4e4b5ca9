/**
 * A track that FLV cannot carry, as messages with a codec header and zero payload: codec, packet times and sizes are all
 * that the rules need to report the wrong codec. AAC in LATM comes with its configuration and is judged like any AAC.
 */
import { SliceList } from '../bytes/slices.js';
import { codecName } from '../spec/codec-names.js';
import { type FileTrack, isReadable } from './source/media-file.js';

/**
 * FLV's CodecID (E.4.3.1) and SoundFormat (E.4.2.1). Formats whose sample rate is in the FLV header are left out: the header
 * cannot express 48 kHz, and a rate written here would be taken for that of the file.
 */
const LEGACY_VIDEO: Readonly<Record<string, number>> = { flv1: 2, flashsv: 3, vp6f: 4, vp6a: 5, flashsv2: 6, mpeg4: 9 };
const LEGACY_AUDIO: Readonly<Record<string, number>> = { nellymoser: 6, pcm_alaw: 7, pcm_mulaw: 8, speex: 11 };
/** FourCCs of Enhanced RTMP. */
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

export class NamedTrack {
  readonly kind: FileTrack['kind'];
  readonly track: FileTrack;
  /** The judge's placeholder name of this codec, when it has no name for it. */
  readonly alias: string | undefined;
  readonly #fourCc: string;
  readonly #payload = new SliceList();

  constructor(track: FileTrack) {
    this.kind = track.kind;
    this.track = track;
    this.#fourCc = FOURCC[track.codec] ?? unknownFourCc(track);
    const isKnown = [FOURCC, LEGACY_VIDEO, LEGACY_AUDIO].some((names) => Object.hasOwn(names, track.codec));
    this.alias = isKnown ? undefined : codecName(`unknown:${hexOf(this.#fourCc)}`);
  }

  /** Placeholder names of the judge for codecs of tracks, each with the name of the codec. */
  static aliasesOf(tracks: readonly FileTrack[]): ReadonlyMap<string, string> {
    const named = tracks.filter((track) => !isReadable(track)).map((track) => new NamedTrack(track));
    return new Map(named.flatMap(({ alias, track }) => (alias === undefined ? [] : [[alias, track.codec] as const])));
  }

  /** The AAC sequence header message. */
  static aacHeader(config: Uint8Array): SliceList {
    return SliceList.of(Uint8Array.of((ENHANCED_AUDIO << 4) | SEQUENCE_START, ...latin1('mp4a')), config);
  }

  /** Valid until the next call. */
  payload(packet: { readonly isKey: boolean; readonly bytes: number }): SliceList {
    this.#payload.clear();
    const header = this.#header(packet.isKey);
    this.#payload.push(header, 0, header.length);
    if (packet.bytes > 0) this.#payload.pushHole(packet.bytes);
    return this.#payload;
  }

  #header(isKey: boolean): Uint8Array {
    const { kind, codec } = this.track;
    if (kind === 'video') {
      const frame = isKey ? KEY_FRAME : INTER_FRAME;
      const legacy = LEGACY_VIDEO[codec];
      return legacy === undefined
        ? Uint8Array.of(0x80 | (frame << 4) | CODED_FRAMES_X, ...latin1(this.#fourCc))
        : Uint8Array.of((frame << 4) | legacy);
    }
    const legacy = LEGACY_AUDIO[codec];
    return legacy === undefined
      ? Uint8Array.of((ENHANCED_AUDIO << 4) | CODED_FRAMES, ...latin1(this.#fourCc))
      : Uint8Array.of(legacy << 4);
  }
}

/** The start of the name, unless that is the FourCC of another codec: that of ALS, `mp4als`, is that of AAC. */
function unknownFourCc({ codec, kind }: FileTrack): string {
  if (codec.startsWith('encrypted ')) return kind === 'video' ? 'encv' : 'enca';
  const start = codec.padEnd(4).slice(0, 4);
  return Object.values(FOURCC).includes(start) ? codec.slice(-4) : start;
}

const latin1 = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0) & 0xff);
const hexOf = (text: string): string =>
  latin1(text)
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
