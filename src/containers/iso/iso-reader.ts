/** Reads MP4, MOV and their relatives (ISO/IEC 14496-12), with and without fragments, by the times of their index. */
import { WireError } from '../../bytes/wire-error.js';
import { EMPTY_FRAMES_MAX, FRAME_BYTES_MAX, OUTSIDE_FRAMES_MAX, SHARED_BYTES_FACTOR } from '../source/limits.js';
import { type Frame, isReadable, newFrame, type Reader, type SourceTrack } from '../source/media-file.js';
import type { SourceReader } from '../source/source-reader.js';
import { topLevel } from './boxes.js';
import { FragmentSamples, Fragments } from './fragments.js';
import { type IsoTrack, type Movie, readMovie } from './movie.js';
import { newSample, type Sample, type Samples } from './sample.js';
import { lowestOffset, SampleTable } from './sample-table.js';

/** Frames that precede the earliest presentation of a track in decode order, and more. */
const FIRST_FRAMES = 64;
const CLAUSE = 'ISO/IEC 14496-12, 8';

/** A track while it is read. */
interface Cursor {
  readonly iso: IsoTrack;
  readonly samples: Samples;
  readonly sample: Sample;
  /** Added to decode and presentation times. */
  readonly shift: number;
  /** Added to presentation times alone. */
  readonly presentationShift: number;
  readonly isShown: (sample: Sample) => boolean;
  /** Presentation time before any shift at which the edit list ends. */
  readonly editEnd: number;
  description: number;
  /** Number of its last frames that lie behind the end of the file. */
  outside: number;
  /** Decode time of `sample` in seconds; infinite at the end. */
  nextS: number;
}

export class IsoReader implements Reader {
  readonly container: string;
  readonly encoder: string;
  readonly tracks: readonly SourceTrack[];
  readonly startS: number;
  readonly isEdited: boolean;
  readonly #file: SourceReader;
  readonly #movie: Movie;
  readonly #end: number;
  #problem: string | undefined;
  #fragments: Fragments | undefined;

  private constructor(
    file: SourceReader,
    movie: Movie,
    indexEnd: number,
    facts: { readonly container: string; readonly startS: number; readonly problem: string | undefined },
  ) {
    this.#file = file;
    this.#movie = movie;
    this.#end = indexEnd;
    this.#problem = facts.problem;
    this.container = facts.container;
    this.encoder = movie.encoder;
    this.tracks = movie.tracks.map(({ track }) => track);
    this.startS = facts.startS;
    this.isEdited = movie.tracks.some(({ isEdited }) => isEdited);
  }

  /** Undefined: without an index, nothing can be read; `problem` of the top level says why. */
  static async open(file: SourceReader, container: string): Promise<IsoReader | string> {
    const { moov, problem } = await topLevel(file);
    if (moov === undefined || moov.to > file.size) return problem ?? 'the index (“moov” box) is missing';
    const movie = await readMovie(file, moov);
    const starts: number[] = [];
    for (const iso of movie.tracks) {
      const start = await startOf(file, movie, iso, moov.to);
      if (start !== undefined) starts.push(start);
    }
    const startS = starts.length === 0 ? 0 : Math.min(...starts);
    return new IsoReader(file, movie, moov.to, { container, startS, problem });
  }

  get problem(): string | undefined {
    return this.#problem ?? this.#fragments?.problem;
  }

  async *frames(wanted: ReadonlySet<number>, onlySizes = false): AsyncGenerator<Frame> {
    const cursors = await this.#cursors(wanted);
    const [first] = cursors;
    if (first === undefined) return;
    const frame = newFrame(first.iso.track);
    let bytesLeft = SHARED_BYTES_FACTOR * this.#file.size;
    let emptyLeft = EMPTY_FRAMES_MAX;
    for (;;) {
      const cursor = cursors.reduce((earliest, each) => (each.nextS < earliest.nextS ? each : earliest));
      if (cursor.nextS === Number.POSITIVE_INFINITY) return;
      const { sample } = cursor;
      if (sample.size === 0) {
        if (emptyLeft-- === 0)
          throw new WireError('CONTAINER_EMPTY_FRAMES', 'too many empty frames', CLAUSE, sample.at);
      } else if (sample.at < this.#file.size) {
        if (sample.at + sample.size > this.#file.size) {
          this.#problem ??= 'truncated file: a frame is longer than the rest of the file';
          sample.size = this.#file.size - sample.at;
        }
        cursor.outside = 0;
        bytesLeft -= sample.size;
        if (bytesLeft < 0) throw new WireError('CONTAINER_SHARED', 'frames overlap in the file', CLAUSE, sample.at);
        await this.#fill(frame, cursor, onlySizes);
        yield frame;
      } else {
        this.#problem ??= 'truncated file: frames lie behind its end';
        if (++cursor.outside > OUTSIDE_FRAMES_MAX) {
          cursor.nextS = Number.POSITIVE_INFINITY;
          continue;
        }
      }
      await step(cursor);
    }
  }

  async #fill(frame: Frame, cursor: Cursor, onlySizes: boolean): Promise<void> {
    const { sample, iso } = cursor;
    frame.track = iso.track;
    frame.decodeTime = sample.decodeTime + cursor.shift;
    frame.presentationTime = frame.decodeTime + sample.offset + cursor.presentationShift;
    frame.duration = sample.duration;
    frame.isKey = sample.isKey;
    frame.isDiscarded = !cursor.isShown(sample);
    frame.byteOffset = sample.at;
    frame.settings = undefined;
    if (sample.description !== cursor.description) {
      cursor.description = sample.description;
      const entry = iso.entries[sample.description - 1];
      if (entry?.codec === iso.track.codec) frame.settings = entry.settings;
    }
    frame.data.clear();
    if (onlySizes || !isReadable(iso.track)) {
      frame.data.pushHole(sample.size);
      return;
    }
    if (sample.size > FRAME_BYTES_MAX) {
      throw new WireError('CONTAINER_FRAME_SIZE', `a frame of ${sample.size} bytes`, CLAUSE, sample.at);
    }
    if (!this.#file.append(frame.data, sample.at, sample.size)) {
      await this.#file.load(frame.data, sample.at, sample.size);
    }
  }

  async #cursors(wanted: ReadonlySet<number>): Promise<Cursor[]> {
    const cursors: Cursor[] = [];
    const fragmented = new Map<number, FragmentSamples>();
    for (const iso of this.#movie.tracks.filter(({ track }) => wanted.has(track.index))) {
      const table = await openTable(this.#file, iso);
      let samples: Samples = table;
      if (this.#movie.isFragmented) {
        const inFragments = new FragmentSamples(iso.track.kind === 'video', iso.defaults, table);
        fragmented.set(iso.id, inFragments);
        samples = inFragments;
      }
      const { shift, presentationShift } = await shiftsOf(this.#file, this.#movie, iso, this.#end);
      const isShown = this.isEdited ? shownBy(iso, this.#movie.timescale, presentationShift) : () => true;
      const editEnd =
        this.isEdited || this.#movie.isFragmented ? Number.POSITIVE_INFINITY : endOfEdit(iso, this.#movie.timescale);
      const times = { shift, presentationShift, isShown, editEnd };
      cursors.push({ iso, samples, sample: newSample(), ...times, description: 1, outside: 0, nextS: 0 });
    }
    if (fragmented.size > 0) this.#fragments = new Fragments(this.#file, this.#end, fragmented);
    for (const cursor of cursors) await step(cursor);
    return cursors;
  }
}

async function step(cursor: Cursor): Promise<void> {
  const { sample, iso } = cursor;
  const isThere = !isLast(cursor) && (await cursor.samples.next(sample));
  cursor.nextS = isThere ? (sample.decodeTime + cursor.shift) / iso.track.ticksPerSecond : Number.POSITIVE_INFINITY;
}

/** Whether all further samples lie behind the edit list. FFmpeg reads on to a frame on which no shown one depends. */
function isLast({ sample, presentationShift, editEnd }: Cursor): boolean {
  return sample.isKey && sample.decodeTime + sample.offset + presentationShift + sample.duration >= editEnd;
}

/** The end of a list with one edit, in units of the track. */
function endOfEdit({ edits, track }: IsoTrack, movieScale: number): number {
  const edit = edits.find(({ start }) => start >= 0);
  // Fragments were to follow: the end was not known yet.
  if (edit === undefined || edit.duration === 0 || movieScale <= 0) return Number.POSITIVE_INFINITY;
  return edit.start + Math.round((edit.duration * track.ticksPerSecond) / movieScale);
}

const openTable = (file: SourceReader, { stbl, entries }: IsoTrack) =>
  SampleTable.open(file, stbl, entries[0]?.sampleBytes);

/** A reader of the first samples of one track. */
async function firstSamples(file: SourceReader, movie: Movie, iso: IsoTrack, indexEnd: number): Promise<Samples> {
  const table = await openTable(file, iso);
  if (!movie.isFragmented) return table;
  const samples = new FragmentSamples(iso.track.kind === 'video', iso.defaults, table);
  new Fragments(file, indexEnd, new Map([[iso.id, samples]]));
  return samples;
}

/**
 * How FFmpeg moves the times of a track: by its edit list; the presentation by negative composition offsets; and, where an
 * edit list is there, so that nothing is presented before or after its start.
 */
async function shiftsOf(
  file: SourceReader,
  movie: Movie,
  iso: IsoTrack,
  indexEnd: number,
): Promise<{ readonly shift: number; readonly presentationShift: number; readonly start: number | undefined }> {
  const inIndex = await lowestOffset(file, iso.stbl);
  const sample = newSample();
  const samples = await firstSamples(file, movie, iso, indexEnd);
  let lowest = inIndex;
  const times: number[] = [];
  for (let count = 0; count < FIRST_FRAMES && (await samples.next(sample)); count++) {
    if (movie.isFragmented) lowest = Math.min(lowest, sample.offset);
    times.push(sample.decodeTime + sample.offset);
  }
  const presentationShift = -lowest;
  // A video frame before the start is decoded, not shown.
  const isVideo = iso.track.kind === 'video' && !movie.tracks.some(({ isEdited }) => isEdited);
  const from = isVideo ? iso.delay - iso.shift - presentationShift : Number.NEGATIVE_INFINITY;
  const earliest = Math.min(...times.filter((time) => time >= from));
  const isWhole = iso.edits.length === 0 || iso.isEdited || movie.isFragmented || earliest === Number.POSITIVE_INFINITY;
  const late = isWhole ? 0 : Math.max(0, earliest + presentationShift + iso.shift - iso.delay);
  const [first] = times;
  const shown = first === undefined || first >= from || earliest === Number.POSITIVE_INFINITY ? first : earliest;
  const start = shown === undefined ? undefined : shown + presentationShift + iso.shift - late;
  return { shift: iso.shift - late, presentationShift, start };
}

/** Presentation time of the first frame in seconds; undefined for a track without frames. */
async function startOf(file: SourceReader, movie: Movie, iso: IsoTrack, indexEnd: number): Promise<number | undefined> {
  const { start } = await shiftsOf(file, movie, iso, indexEnd);
  if (start === undefined) return undefined;
  // The priming of an audio encoder precedes the start of its track.
  const isPriming = iso.track.kind === 'audio' && start < 0;
  return (isPriming ? 0 : start) / iso.track.ticksPerSecond;
}

/** Whether an edit of the track shows a sample; audio also where its first edit begins inside of it. */
function shownBy(
  { edits, track }: IsoTrack,
  movieScale: number,
  presentationShift: number,
): (sample: Sample) => boolean {
  if (edits.length === 0) return () => true;
  const shown = edits
    .filter(({ start }) => start >= 0)
    .map(({ start, duration }) => {
      const ticks = (duration * track.ticksPerSecond) / Math.max(1, movieScale);
      // Fragments were to follow: the end was not known yet.
      return { start, end: duration === 0 ? Number.POSITIVE_INFINITY : start + ticks };
    });
  const [first] = shown;
  const parts = merged(shown);
  const isAudio = track.kind === 'audio';
  return (sample) => {
    const time = sample.decodeTime + sample.offset + presentationShift;
    if (isIn(parts, time)) return true;
    return (
      isAudio && first !== undefined && first.start > 0 && time < first.start && time + sample.duration > first.start
    );
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Spans that do not touch, ascending. */
function merged(spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = found.at(-1);
    if (last === undefined || span.start > last.end) found.push(span);
    else if (span.end > last.end) found[found.length - 1] = { start: last.start, end: span.end };
  }
  return found;
}

/** By halves, for an edit list may have a hundred thousand parts. */
function isIn(spans: readonly Span[], time: number): boolean {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as Span).start <= time) low = middle + 1;
    else high = middle;
  }
  const span = spans[low - 1];
  return span !== undefined && time < span.end;
}
