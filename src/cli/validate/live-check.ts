/** One file or stream of bytes against the live specification. */
import { statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { WireError } from '../../bytes/wire-error.js';
import { codeOf, messageOf } from '../exit.js';
import { isFlv } from '../files.js';
import { FileJudge } from './file-judge.js';
import { NamedTrack } from './named-track.js';
import { pieces } from './pieces.js';
import { isReadable, type Remux, remuxToFlv } from './remux.js';
import { type FileReport, outcomeOf, unreadable } from './report.js';
import { type FileShape, fileShape, lastLine, type PacketTime, packetTimes } from './tracks.js';

export interface CheckTools {
  readonly ffmpeg: string;
  readonly ffprobe: string;
  /** Bytes read so far, of how many (undefined where nobody knows). */
  readonly onProgress?: (bytes: number, of: number | undefined) => void;
}

/** `path` is where `shown` really is. */
export async function checkLiveFile(path: string, shown: string, tools: CheckTools): Promise<FileReport> {
  const size = statSync(path).size;
  if (size === 0) return unreadable(shown, 'live', 'the file is empty');
  if (isFlv(path)) {
    return checkFlv(path, shown, tools, size);
  }
  return checkOtherContainer(path, shown, tools);
}

/** Read without waiting for each piece: nothing else has to be done meanwhile, and it is twice as fast. */
function checkFlv(path: string, shown: string, tools: CheckTools, size: number): FileReport {
  const judge = new FileJudge();
  try {
    for (const bytes of pieces(path, () => judge.mediaMessages)) {
      judge.push(bytes);
      tools.onProgress?.(judge.bytes, size);
    }
    return ended(judge, shown);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return brokenFlv(judge, shown, error);
  }
}

function ended(judge: FileJudge, shown: string): FileReport {
  return report(judge, shown, 'flv', judge.end() ? 'the file ends in the middle of a tag: it was cut off' : undefined);
}

/** A stream of FLV bytes. */
export async function checkLiveStream(
  input: Readable,
  shown: string,
  tools: CheckTools,
  size?: number,
): Promise<FileReport> {
  const judge = new FileJudge();
  try {
    for await (const bytes of input as AsyncIterable<Buffer>) {
      judge.push(bytes);
      tools.onProgress?.(judge.bytes, size);
    }
    return ended(judge, shown);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return brokenFlv(judge, shown, error);
  }
}

/** What was read before the fault is told, with the fault. */
function brokenFlv(judge: FileJudge, shown: string, error: WireError): FileReport {
  if (judge.mediaMessages === 0) return unreadable(shown, 'live', `this is no FLV: ${error.message}`);
  judge.close();
  return report(judge, shown, 'flv', `not FLV any more at byte ${error.offset}: ${error.message}`);
}

async function checkOtherContainer(path: string, shown: string, tools: CheckTools): Promise<FileReport> {
  const shape = await shapeOf(path, tools);
  const judge = new FileJudge();
  const named = shape.tracks.filter((track) => !isReadable(track)).map((track) => new NamedTrack(track));
  const waiting = await packetsOf(named, path, shape.startS, tools);
  const readable = shape.tracks.filter(isReadable);
  judge.beforeTag = (timestampMs) => feed(judge, waiting, timestampMs);
  const isWanted = readable.length > 0 || shape.fault !== undefined;
  const problem = isWanted ? await readRemuxed(judge, remuxToFlv(tools.ffmpeg, path, readable), tools) : undefined;
  feed(judge, waiting, Number.POSITIVE_INFINITY);
  judge.close();
  if (judge.mediaMessages === 0 && shape.fault !== undefined) {
    return unreadable(shown, 'live', `none of the containers of the specification: ${shape.fault}`);
  }
  return named.reduce(renamed, report(judge, shown, shape.container, problem, notesOf(shape)));
}

/** A file that ffprobe gives up on may still be one that ffmpeg can take apart: it need not know how to decode it. */
async function shapeOf(path: string, tools: CheckTools): Promise<FileShape & { readonly fault?: string }> {
  try {
    return await fileShape(tools.ffprobe, path);
  } catch (error) {
    if (codeOf(error) !== '') throw error;
    const fault = messageOf(error);
    return { container: '', tracks: [], otherTracks: 0, startS: 0, fault };
  }
}

interface Waiting {
  readonly track: NamedTrack;
  readonly packet: PacketTime;
}

async function packetsOf(
  named: readonly NamedTrack[],
  path: string,
  startS: number,
  tools: CheckTools,
): Promise<Waiting[]> {
  const waiting: Waiting[] = [];
  for (const track of named) {
    for await (const packet of packetTimes(tools.ffprobe, path, track.track, startS)) waiting.push({ track, packet });
  }
  // Soonest last, so that the next one is popped.
  return waiting.sort((a, b) => b.packet.decodeTimeMs - a.packet.decodeTimeMs);
}

/** Feeds what is due by then. */
function feed(judge: FileJudge, waiting: Waiting[], beforeMs: number): void {
  for (let next = waiting.at(-1); next !== undefined && next.packet.decodeTimeMs <= beforeMs; next = waiting.at(-1)) {
    waiting.pop();
    judge.packet(next.track.kind, next.packet.decodeTimeMs, next.track.payload(next.packet));
  }
}

async function readRemuxed(judge: FileJudge, remux: Remux, tools: CheckTools): Promise<string | undefined> {
  try {
    for await (const bytes of remux.output as AsyncIterable<Buffer>) {
      judge.push(bytes);
      tools.onProgress?.(judge.bytes, undefined);
    }
    const fault = await remux.ended;
    return fault === undefined ? undefined : `ffmpeg could not read it to the end: ${lastLine(fault)}`;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return `ffmpeg made no sound FLV of it: ${error.message}`;
  } finally {
    remux.kill();
  }
}

function notesOf(shape: FileShape): string[] {
  const notes = shape.tracks
    .filter((track) => !isReadable(track))
    .map((track) => `The ${track.kind} is ${track.codec}, of which only the codec and the times are judged.`);
  if (shape.otherTracks > 0) notes.push(`${shape.otherTracks} more tracks in the file are not judged.`);
  return notes;
}

function report(
  judge: FileJudge,
  shown: string,
  container: string,
  fault?: string,
  notes: readonly string[] = [],
): FileReport {
  if (judge.mediaMessages === 0) {
    return {
      ...unreadable(shown, 'live', fault ?? 'there is neither video nor audio in it'),
      container,
      bytes: judge.bytes,
    };
  }
  const { errors, stream } = judge;
  const problem = fault ?? unreadHeaders(stream);
  return {
    file: shown,
    spec: 'live',
    outcome: problem === undefined ? outcomeOf(errors) : 'unreadable',
    ...(problem === undefined ? {} : { problem }),
    notes,
    container,
    bytes: judge.bytes,
    stream,
    rules: judge.rules,
    errors,
  };
}

/** Without its headers most of a track cannot be judged, and nothing found is no good news. */
function unreadHeaders(stream: FileJudge['stream']): string | undefined {
  if (stream.videoCodec === 'H.264' && stream.width === undefined)
    return 'the H.264 parameter sets are missing or broken';
  if (stream.audioCodec === 'AAC' && stream.sampleRate === undefined)
    return 'the AAC configuration is missing or broken';
  return undefined;
}

/** The judge has no name for a codec that no stream can carry; ffprobe has. */
function renamed(told: FileReport, { alias, track }: NamedTrack): FileReport {
  return alias === undefined ? told : (JSON.parse(JSON.stringify(told).replaceAll(alias, track.codec)) as FileReport);
}
