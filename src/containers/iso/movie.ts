/** The index of MP4 and MOV (ISO/IEC 14496-12, 8.2): tracks, edit lists, the program that wrote the file. */
import { ByteReader } from '../../bytes/byte-reader.js';
import { EDITS_MAX, ENTRIES_MAX, SETTINGS_BYTES_MAX, TRACKS_MAX } from '../source/limits.js';
import type { SourceTrack } from '../source/media-file.js';
import type { SourceReader } from '../source/source-reader.js';
import { type Box, boxesIn, boxOf } from './boxes.js';
import type { FragmentDefaults } from './fragments.js';
import { readSampleEntry, type SampleEntry } from './sample-entry.js';

const CLAUSE = 'ISO/IEC 14496-12, 8';
/** More of a track than its first picture is decoded ahead of its presentation, or than the priming of an audio encoder. */
const START_S = 0.1;

export interface Edit {
  /** Duration in units of the movie. */
  readonly duration: number;
  /** Start in units of the track; -1: nothing is shown. */
  readonly start: number;
}

export interface IsoTrack {
  readonly track: SourceTrack;
  readonly id: number;
  readonly stbl: Box;
  readonly edits: readonly Edit[];
  readonly isEdited: boolean;
  /** Added to the times of samples by the edit list, in units of the track. */
  readonly shift: number;
  /** Part of the shift that delays the track on purpose. */
  readonly delay: number;
  readonly entries: readonly SampleEntry[];
  readonly defaults: FragmentDefaults | undefined;
}

export interface Movie {
  readonly tracks: readonly IsoTrack[];
  readonly timescale: number;
  readonly encoder: string;
  readonly isFragmented: boolean;
}

export async function readMovie(file: SourceReader, moov: Box): Promise<Movie> {
  const boxes = await boxesIn(file, moov.from, moov.to);
  const mvhd = boxes.find(({ type }) => type === 'mvhd');
  const movie: MovieHeader = {
    timescale: await timescaleOf(file, mvhd),
    matrix: mvhd === undefined ? IDENTITY : await matrixAt(file, mvhd, MOVIE_MATRIX_AT),
  };
  const mvex = boxes.find(({ type }) => type === 'mvex');
  const defaults = mvex === undefined ? new Map<number, FragmentDefaults>() : await readDefaults(file, mvex);
  const traks = boxes.filter(({ type }) => type === 'trak').slice(0, TRACKS_MAX);
  const tracks: IsoTrack[] = [];
  for (const [index, trak] of traks.entries()) {
    const track = await readTrack(file, trak, index, movie, defaults);
    if (track !== undefined) tracks.push(track);
  }
  const { timescale } = movie;
  return { tracks, timescale, encoder: await encoderOf(file, moov, traks), isFragmented: mvex !== undefined };
}

/** Creation and modification time precede the time scale. */
async function timescaleOf(file: SourceReader, header: Box | undefined): Promise<number> {
  if (header === undefined) return 0;
  const reader = new ByteReader(await file.bytes(header.from, Math.min(32, header.to - header.from)), CLAUSE);
  const isLong = reader.u32() >>> 24 === 1;
  reader.skip(isLong ? 16 : 8);
  return reader.u32();
}

async function readTrack(
  file: SourceReader,
  trak: Box,
  index: number,
  movie: MovieHeader,
  defaults: ReadonlyMap<number, FragmentDefaults>,
): Promise<IsoTrack | undefined> {
  const [tkhd, mdia, elst] = [
    await boxOf(file, trak, 'tkhd'),
    await boxOf(file, trak, 'mdia'),
    await boxOf(file, trak, 'edts', 'elst'),
  ];
  if (mdia === undefined) return undefined;
  const handler = await boxOf(file, mdia, 'hdlr');
  const stbl = await boxOf(file, mdia, 'minf', 'stbl');
  if (handler === undefined || stbl === undefined) return undefined;
  const kind = KINDS[await textAt(file, handler.from + 8, handler.to)];
  if (kind === undefined) return undefined;
  const ticksPerSecond = Math.max(1, await timescaleOf(file, await boxOf(file, mdia, 'mdhd')));
  const entries = await readEntries(file, stbl, kind);
  const edits = elst === undefined ? [] : await readEdits(file, elst);
  const { codec = 'unknown', settings, details = '', size, sampleAspect, sound } = entries[0] ?? {};
  const id = tkhd === undefined ? index + 1 : await trackId(file, tkhd);
  const shape = tkhd === undefined || kind === 'audio' ? {} : await shapeOf(file, tkhd, movie.matrix, size);
  return {
    track: {
      index,
      kind,
      codec,
      profile: '',
      details,
      ticksPerSecond,
      settings,
      size,
      ...shape,
      sound,
      ...(sampleAspect === undefined ? {} : { sampleAspect }),
    },
    id,
    stbl,
    edits,
    entries,
    defaults: defaults.get(id),
    isEdited: leavesOut(edits, ticksPerSecond),
    ...shiftOf(edits, ticksPerSecond, movie.timescale),
  };
}

const KINDS: Readonly<Record<string, 'video' | 'audio'>> = { vide: 'video', soun: 'audio' };

async function textAt(file: SourceReader, at: number, to: number): Promise<string> {
  const bytes = await file.bytes(at, Math.min(4, to - at));
  return new ByteReader(bytes, CLAUSE).latin1(bytes.length);
}

async function trackId(file: SourceReader, tkhd: Box): Promise<number> {
  const reader = new ByteReader(await file.bytes(tkhd.from, Math.min(24, tkhd.to - tkhd.from)), CLAUSE);
  reader.skip(reader.u32() >>> 24 === 1 ? 16 : 8);
  return reader.u32();
}

interface MovieHeader {
  readonly timescale: number;
  readonly matrix: Matrix;
}

/** The part of a transformation (6.2.2) that turns and scales: a, b, c, d. */
type Matrix = readonly [number, number, number, number];
const IDENTITY: Matrix = [1, 0, 0, 1];
/** Behind version and times, in versions 0 and 1 of `mvhd` and `tkhd`. */
const MOVIE_MATRIX_AT = [36, 48] as const;
const TRACK_MATRIX_AT = [40, 52] as const;
/** Size of the matrix. The header of a track has the size of the presentation behind it. */
const MATRIX_BYTES = 36;
const FIXED_POINT = 0x1_0000;
/** FFmpeg takes a matrix for a scaling when its axes differ by more. */
const SCALE_SLACK = 0.01;

async function matrixAt(file: SourceReader, header: Box, places: readonly [number, number]): Promise<Matrix> {
  const bytes = await headerBytes(file, header, places);
  if (bytes === undefined) return IDENTITY;
  const value = (at: number): number => bytes.getInt32(at) / FIXED_POINT;
  return [value(0), value(4), value(12), value(16)];
}

async function headerBytes(
  file: SourceReader,
  header: Box,
  [short, long]: readonly [number, number],
): Promise<DataView | undefined> {
  const [version] = await file.bytes(header.from, 1);
  const at = header.from + (version === 1 ? long : short);
  const bytes = await file.bytes(at, Math.min(MATRIX_BYTES + 8, header.to - at));
  const wanted = header.type === 'tkhd' ? MATRIX_BYTES + 8 : MATRIX_BYTES;
  return bytes.length < wanted ? undefined : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** How the pictures of a track are to be shown, as FFmpeg takes it from the matrices and the size of the presentation. */
async function shapeOf(
  file: SourceReader,
  tkhd: Box,
  movie: Matrix,
  size: SourceTrack['size'],
): Promise<Pick<SourceTrack, 'sampleAspect' | 'rotationDegrees'>> {
  const bytes = await headerBytes(file, tkhd, TRACK_MATRIX_AT);
  if (bytes === undefined) return {};
  const [a, b, c, d] = product(await matrixAt(file, tkhd, TRACK_MATRIX_AT), movie);
  const isIdentity = a === 1 && b === 0 && c === 0 && d === 1;
  const [wide, high] = [Math.hypot(a, c), Math.hypot(b, d)];
  const isRotation = !isIdentity && wide > 0 && high > 0;
  const rotationDegrees = isRotation ? (Math.atan2(b / high, a / wide) * 180) / Math.PI : 0;
  const [width, height] = [
    bytes.getUint32(MATRIX_BYTES) / FIXED_POINT,
    bytes.getUint32(MATRIX_BYTES + 4) / FIXED_POINT,
  ];
  if (isRotation && width > 0 && height > 0 && Math.abs(wide / high - 1) > SCALE_SLACK)
    return { rotationDegrees, sampleAspect: wide / high };
  const shown = [Math.trunc(width), Math.trunc(height)] as const;
  if (size === undefined || shown[0] === 0 || shown[1] === 0) return { rotationDegrees };
  if (shown[0] === size.width && shown[1] === size.height) return { rotationDegrees };
  return { rotationDegrees, sampleAspect: (size.height * shown[0]) / (size.width * shown[1]) };
}

function product([a, b, c, d]: Matrix, [e, f, g, h]: Matrix): Matrix {
  return [a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h];
}

/** A track may change its settings: each sample names its entry. */
async function readEntries(file: SourceReader, stbl: Box, kind: 'video' | 'audio'): Promise<SampleEntry[]> {
  const stsd = await boxOf(file, stbl, 'stsd');
  if (stsd === undefined) return [];
  const entries: SampleEntry[] = [];
  for (const box of (await boxesIn(file, stsd.from + 8, stsd.to)).slice(0, ENTRIES_MAX)) {
    // The type stands before the content.
    const bytes = await file.bytes(box.from - 4, Math.min(SETTINGS_BYTES_MAX, box.to - box.from + 4));
    entries.push(readSampleEntry(kind, bytes.slice()));
  }
  return entries;
}

async function readEdits(file: SourceReader, elst: Box): Promise<Edit[]> {
  const head = new ByteReader(await file.bytes(elst.from, Math.min(8, elst.to - elst.from)), CLAUSE);
  const isLong = head.u32() >>> 24 === 1;
  const rowBytes = isLong ? 20 : 12;
  const count = Math.min(head.u32(), EDITS_MAX, Math.floor((elst.to - elst.from - 8) / rowBytes));
  const edits: Edit[] = [];
  for (let row = 0; row < count; row++) {
    const bytes = await file.bytes(elst.from + 8 + row * rowBytes, rowBytes);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length < rowBytes) break;
    edits.push(
      isLong
        ? { duration: Number(view.getBigUint64(0)), start: Number(view.getBigInt64(8)) }
        : { duration: view.getUint32(0), start: view.getInt32(4) },
    );
  }
  return edits;
}

function leavesOut(edits: readonly Edit[], ticksPerSecond: number): boolean {
  const starts = edits.filter(({ start }) => start >= 0).map(({ start }) => start);
  return starts.length > 1 || (starts[0] ?? 0) > START_S * ticksPerSecond;
}

/** The first edit, behind an empty one, says where the track starts. */
function shiftOf(
  edits: readonly Edit[],
  ticksPerSecond: number,
  movieScale: number,
): { readonly shift: number; readonly delay: number } {
  if (movieScale <= 0) return { shift: 0, delay: 0 };
  const [first] = edits;
  const isDelayed = first !== undefined && first.start === -1;
  const delay = isDelayed ? Math.round((first.duration * ticksPerSecond) / movieScale) : 0;
  const start = edits[isDelayed ? 1 : 0]?.start ?? 0;
  return { shift: delay - Math.max(0, start), delay };
}

async function readDefaults(file: SourceReader, mvex: Box): Promise<Map<number, FragmentDefaults>> {
  const found = new Map<number, FragmentDefaults>();
  for (const trex of (await boxesIn(file, mvex.from, mvex.to)).slice(0, TRACKS_MAX)) {
    if (trex.type !== 'trex') continue;
    const reader = new ByteReader(await file.bytes(trex.from, Math.min(24, trex.to - trex.from)), CLAUSE);
    reader.skip(4);
    const id = reader.u32();
    const description = reader.u32();
    const duration = reader.u32();
    const size = reader.u32();
    found.set(id, { description, duration, size, flags: reader.u32() });
  }
  return found;
}

/** The program that the movie names, or else the last track that names one. */
async function encoderOf(file: SourceReader, moov: Box, traks: readonly Box[]): Promise<string> {
  for (const parent of [moov, ...traks.toReversed()]) {
    const encoder = await encoderIn(file, parent);
    if (encoder !== '') return encoder;
  }
  return '';
}

/** User data of QuickTime (`©swr`, `©enc`), or metadata as iTunes writes it (`©too`). */
async function encoderIn(file: SourceReader, parent: Box): Promise<string> {
  const udta = await boxOf(file, parent, 'udta');
  if (udta === undefined) return '';
  for (const box of await boxesIn(file, udta.from, udta.to)) {
    if (box.type === '\xa9swr' || box.type === '\xa9enc' || box.type === '\xa9too') {
      const bytes = await file.bytes(box.from, Math.min(TEXT_BYTES_MAX, box.to - box.from));
      const reader = new ByteReader(bytes, CLAUSE);
      if (reader.remaining < 4) continue;
      const size = reader.u16();
      // Language.
      reader.skip(2);
      return reader.utf8(Math.min(size, reader.remaining));
    }
    if (box.type !== 'meta') continue;
    // Version and flags.
    const list = (await boxesIn(file, box.from + 4, box.to)).find(({ type }) => type === 'ilst');
    const data = list === undefined ? undefined : await boxOf(file, list, '\xa9too', 'data');
    if (data === undefined) continue;
    const bytes = await file.bytes(data.from + 8, Math.min(TEXT_BYTES_MAX, data.to - data.from - 8));
    return new ByteReader(bytes, CLAUSE).utf8(bytes.length);
  }
  return '';
}

const TEXT_BYTES_MAX = 255;
