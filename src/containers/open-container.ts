/**
 * Opens MP4, MOV, Matroska, WebM and MPEG-TS, on a disk or in a browser, and gives what they hold as the messages that an encoder
 * would send. Every number of a file is bounded before it takes memory; what cannot be read is a WireError.
 */
import type { ByteSource, StopSignal } from '../bytes/byte-source.js';
import { WireError } from '../bytes/wire-error.js';
import { parseAudioSpecificConfig } from '../media/aac/audio-specific-config.js';
import { parseAvcc } from '../media/h264/avcc.js';
import { FlvMessages } from './flv-messages.js';
import { IsoReader } from './iso/iso-reader.js';
import { isIso, isoContainer } from './iso/recognize.js';
import { MatroskaReader } from './matroska/matroska-reader.js';
import { matroskaContainer } from './matroska/recognize.js';
import { NamedTrack } from './named-track.js';
import { isReadable, type MediaFile, type Reader, type SourceTrack } from './source/media-file.js';
import { SourceReader } from './source/source-reader.js';
import { layoutOf } from './ts/packets.js';
import { TsReader } from './ts/ts-reader.js';

/** First bytes by which a container is recognized. */
const SNIFF_BYTES = 4096;

/**
 * Undefined: none of these containers. A text: the container is one of them, but nothing can be read, for this reason.
 * The read that `signal` aborts throws its reason.
 */
export async function openContainer(source: ByteSource, signal?: StopSignal): Promise<MediaFile | string | undefined> {
  const file = new SourceReader(source, signal);
  const head = await file.head(0, SNIFF_BYTES);
  const reader = await readerOf(file, head);
  return reader === undefined || typeof reader === 'string' ? reader : mediaFile(reader);
}

/** Undefined or a text: as in `openContainer`. */
export async function readerOf(file: SourceReader, head: Uint8Array): Promise<Reader | string | undefined> {
  if (isIso(head)) return IsoReader.open(file, isoContainer(head));
  const matroska = matroskaContainer(head);
  if (matroska !== undefined) return MatroskaReader.open(file, matroska);
  const layout = layoutOf(head);
  return layout === undefined ? undefined : TsReader.open(file, layout);
}

function mediaFile(reader: Reader): MediaFile {
  const tracks = (['video', 'audio'] as const).flatMap(
    (kind) => reader.tracks.find((each) => each.kind === kind) ?? [],
  );
  const messages = new FlvMessages(reader, tracks);
  return {
    container: reader.container,
    encoder: reader.encoder,
    tracks,
    otherTracks: reader.tracks.length - tracks.length,
    isEdited: reader.isEdited,
    aliases: NamedTrack.aliasesOf(tracks),
    claims: Object.assign({}, ...tracks.map(claimsOf)),
    get problem() {
      return reader.problem;
    },
    get isEndOpen() {
      return reader.isEndOpen === true;
    },
    filledTracks: messages.filledTracks,
    messages: () => messages.messages(),
  };
}

/** An encoder claims what it encodes: taken from the settings, so never contradicted by them. */
function claimsOf(track: SourceTrack): Readonly<Record<string, number | boolean>> {
  if (!isReadable(track)) return {};
  const { settings = new Uint8Array(0) } = track;
  try {
    if (track.kind === 'audio') {
      const { sampleRate, extensionSampleRate = sampleRate, channels, ps } = parseAudioSpecificConfig(settings);
      const isStereo = channels === 2 || ps === 'explicit' || ps === 'backwardCompatible';
      return { audiocodecid: 10, audiosamplerate: extensionSampleRate, stereo: isStereo };
    }
    const [sps] = parseAvcc(settings).sps;
    const size = sps ?? track.size;
    return { videocodecid: 7, ...(size === undefined ? {} : { width: size.width, height: size.height }) };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return {};
  }
}
