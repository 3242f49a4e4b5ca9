/** Judges a file of one of the containers that this program reads itself, with what is said of its tracks. */
import type { ByteSource, StopSignal } from '../bytes/byte-source.js';
import { isWireError, type WireError } from '../bytes/wire-error.js';
import { type FileTrack, isReadable, type MediaFile } from '../containers/source/media-file.js';
import { FileJudge, type FileJudgeOptions } from './file-judge.js';
import { type FileResult, type Progress, unreadable } from './file-report.js';
import { PROGRESS_MS } from './limits.js';
import { liveReport } from './live-report.js';

export type ContainerOptions = Pick<FileJudgeOptions, 'analysis' | 'decode'> & {
  /** Aborts the next read. */
  readonly signal?: StopSignal | undefined;
  /** Called for each second of the stream. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Decodes the end of a transport stream; undefined: there is no decoder. */
  readonly isLastFrameWhole?: (() => Promise<boolean | undefined>) | undefined;
};

/** Undefined: none of the containers that are read here. @throws what the source throws, and the reason of `signal` */
export async function checkContainer(
  source: ByteSource,
  shown: string,
  { signal, analysis, decode, onProgress, isLastFrameWhole }: ContainerOptions = {},
): Promise<FileResult | undefined> {
  let readTo = 0;
  const { size } = source;
  const reading: ByteSource = {
    size,
    read(offset, length) {
      readTo = Math.min(size, offset + length);
      return source.read(offset, length);
    },
  };
  // Loaded when such a file comes: most programs judge FLV, and the readers are a sixth of the library.
  const { openContainer } = await import('../containers/open-container.js');
  let file: MediaFile | string | undefined;
  try {
    file = await openContainer(reading, signal);
  } catch (error) {
    if (!isWireError(error)) throw error;
    file = faultOf(error);
  }
  if (file === undefined) return undefined;
  if (typeof file === 'string') return unreadable(shown, 'live', file);
  const judge = new FileJudge({
    remuxed: { encoder: file.encoder },
    analysis,
    decode,
    collects: onProgress !== undefined,
  });
  judge.bytes = size;
  if (file.tracks.some(isReadable)) judge.claim(file.claims);
  let fault: string | undefined;
  try {
    let toldMs = 0;
    for await (const message of file.messages()) {
      judge.message(message);
      if (onProgress === undefined || judge.streamTimeMs - toldMs < PROGRESS_MS) continue;
      toldMs = judge.streamTimeMs;
      onProgress({ bytes: readTo, size, findings: judge.takeFindings(), health: judge.stream });
    }
  } catch (error) {
    if (!isWireError(error)) throw error;
    fault = faultOf(error);
  }
  const { tracks, filledTracks } = file;
  judge.hasEmptyTracks = tracks.some((track) => isReadable(track) && !filledTracks.has(track.index));
  judge.close();
  const notes = notesOf(file, judge.stream.audioCodec);
  let problem = file.problem ?? fault;
  if (problem === undefined && file.isEndOpen) {
    const isWhole = await isLastFrameWhole?.();
    if (isWhole === false) problem = LAST_FRAME_CUT;
    else if (isWhole === undefined) notes.push(LAST_FRAME_UNKNOWN);
  }
  return named(liveReport(judge, shown, file.container, problem, notes), file.aliases);
}

function faultOf({ message, offset }: WireError): string {
  return offset < 0 ? `damaged file: ${message}` : `damaged file: ${message} (at byte ${offset})`;
}

export const LAST_FRAME_UNKNOWN = 'Whether the last video frame is complete was not judged: only a decoder can tell.';
export const LAST_FRAME_CUT = 'truncated file: ends inside the last video frame';

const LATM = 'aac_latm';

/** Facts of the tracks that a report mentions. */
export interface TracksShown {
  readonly tracks: readonly FileTrack[];
  readonly otherTracks: number;
  readonly isEdited?: boolean;
}

/** Remarks for the report. `judgedAudio`: the audio codec according to its header. */
export function notesOf(shape: TracksShown, judgedAudio: string | undefined): string[] {
  const notes = shape.tracks
    .filter((track) => !isReadable(track))
    .map(({ kind, codec, details }) =>
      codec === LATM
        ? 'The audio is AAC in LATM and is judged like AAC in FLV.'
        : `The ${kind} is ${codec}${details === '' ? '' : ` (${details})`}; only its codec and its times are judged.`,
    );
  const audio = shape.tracks.find((track) => track.codec === 'aac');
  if (audio !== undefined && /HE-AAC/.test(audio.profile) && judgedAudio === 'AAC LC') {
    notes.push(
      `The audio header says AAC LC, which was judged, but the frames decode as ${audio.profile}: set the AAC profile of the encoder to LC (low complexity).`,
    );
  }
  if (shape.isEdited === true) {
    notes.push(
      'The edit list leaves out parts of the tracks, which are judged whole. The rules of the timestamps leave them out, too.',
    );
  }
  if (shape.otherTracks > 0) notes.push(`${shape.otherTracks} more tracks were not judged.`);
  return notes;
}

/** Replaces the judge's placeholder names of codecs by those of FFmpeg. */
export function named<Result extends FileResult>(report: Result, aliases: ReadonlyMap<string, string>): Result {
  if (aliases.size === 0) return report;
  let text = JSON.stringify(report);
  for (const [alias, codec] of aliases) text = text.replaceAll(alias, codec);
  return JSON.parse(text) as Result;
}
