/** A file in another container against the live specification: ffmpeg moves its packets into FLV, ffprobe tells of what FLV cannot carry. */

import { statSync } from 'node:fs';
import { WireError } from '../../bytes/wire-error.js';
import { codeOf } from '../../lib/errors.js';
import { configOfLoas } from '../../media/aac/latm.js';
import { messageOf } from '../console/exit.js';
import { DAMAGED, type FileTrack, isReadable, loasFrames, type Remux, remuxToFlv } from '../remux/remux.js';
import { type FileShape, fileShape, lastLine, type PacketTime, packetTimes } from '../remux/tracks.js';
import { type FileReport, unreadable } from '../reports/report.js';
import type { CheckTools } from './check-tools.js';
import { cutOff } from './cut-off.js';
import { FileJudge } from './file-judge.js';
import { liveReport } from './live-report.js';
import { NamedTrack } from './named-track.js';

const LATM = 'aac_latm';
/** ffprobe's name of an H.264 byte stream without a container. */
const RAW_H264 = 'h264';

export async function checkOtherContainer(path: string, shown: string, tools: CheckTools): Promise<FileReport> {
  const shape = await shapeOf(path, tools);
  const judge = new FileJudge({ encoder: shape.encoder });
  const named = shape.tracks.filter((track) => !isReadable(track)).map((track) => new NamedTrack(track));
  const waiting = await packetsOf(named, path, shape.startS, tools);
  const readable = shape.tracks.filter(isReadable);
  await sayAacConfig(judge, named, path, tools);
  judge.beforeTag = (timestampMs) => feed(judge, waiting, timestampMs);
  const isWanted = readable.length > 0 || shape.fault !== undefined;
  const fault = isWanted ? await readInFlv(judge, path, readable, shape.container === RAW_H264, tools) : undefined;
  // What the container itself says tells more than what ffmpeg stumbled over.
  const problem = (await cutOff(path, tools.ffmpeg)) ?? fault;
  feed(judge, waiting, Number.POSITIVE_INFINITY);
  judge.close();
  if (judge.mediaMessages === 0 && shape.fault !== undefined) {
    const foreign = `it is in none of the containers of the specification (ffprobe says: ${shape.fault})`;
    return unreadable(shown, 'live', problem === fault ? foreign : (problem ?? foreign));
  }
  return named.reduce(
    renamed,
    liveReport(judge, shown, shape.container, problem, notesOf(shape, judge.stream.audioCodec)),
  );
}

/** A file that ffprobe gives up on may still be one that ffmpeg can take apart: it need not know how to decode it. */
async function shapeOf(path: string, tools: CheckTools): Promise<FileShape & { readonly fault?: string }> {
  try {
    return await fileShape(tools.ffprobe, path);
  } catch (error) {
    if (codeOf(error) !== '') throw error;
    const fault = messageOf(error);
    return { container: '', encoder: '', tracks: [], otherTracks: 0, startS: 0, fault };
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

/** AAC in LATM keeps its configuration in its packets; FLV wants it in front of them. */
async function sayAacConfig(
  judge: FileJudge,
  named: readonly NamedTrack[],
  path: string,
  tools: CheckTools,
): Promise<void> {
  for (const { track } of named.filter(({ track }) => track.codec === LATM)) {
    const config = configOfLoas(await loasFrames(tools.ffmpeg, path, track));
    if (config !== undefined) judge.packet(track.kind, 0, NamedTrack.aacHeader(config));
  }
}

/** An older ffmpeg cannot count all that a raw stream leaves out, and may get by without. */
async function readInFlv(
  judge: FileJudge,
  path: string,
  tracks: readonly FileTrack[],
  isRaw: boolean,
  tools: CheckTools,
): Promise<string | undefined> {
  const { size } = statSync(path);
  const problem = await readRemuxed(judge, remuxToFlv(tools.ffmpeg, path, tracks, { isRaw }), size, tools);
  if (!isRaw || problem === undefined || judge.bytes > 0) return problem;
  return readRemuxed(judge, remuxToFlv(tools.ffmpeg, path, tracks), size, tools);
}

async function readRemuxed(
  judge: FileJudge,
  remux: Remux,
  size: number,
  tools: CheckTools,
): Promise<string | undefined> {
  try {
    for await (const bytes of remux.output as AsyncIterable<Buffer>) {
      judge.push(bytes);
      // What FLV adds to the packets is about what the other container does.
      tools.onProgress?.(judge.bytes, size);
    }
    const fault = await remux.ended;
    if (fault !== undefined) return `ffmpeg could not read it to the end: ${lastLine(fault)}`;
    return remux.isDamaged() ? DAMAGED : undefined;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return `ffmpeg made no sound FLV of it: ${error.message}`;
  } finally {
    remux.kill();
  }
}

/** What a reader of the report should know besides. `judgedAudio`: what the sound's header says it is. */
export function notesOf(shape: FileShape, judgedAudio: string | undefined): string[] {
  const notes = shape.tracks
    .filter((track) => !isReadable(track))
    .map(({ kind, codec, details }) =>
      codec === LATM
        ? 'The audio is AAC in LATM, judged as the same AAC in FLV would be.'
        : `The ${kind} is ${codec}${details === '' ? '' : ` (${details})`}, of which only the codec and the times are judged.`,
    );
  const audio = shape.tracks.find((track) => track.codec === 'aac');
  if (audio !== undefined && /HE-AAC/.test(audio.profile) && judgedAudio === 'AAC LC') {
    notes.push(
      `The audio's header says AAC LC, as judged, but its frames decode to ${audio.profile}: set the AAC profile of the encoder to low complexity.`,
    );
  }
  if (shape.container === RAW_H264 && shape.frameRate !== undefined) {
    notes.push(
      `A raw H.264 stream holds no times: its frames are taken to come ${shape.frameRate} a second. Nor does it say where it ends: that it was cut off would not show.`,
    );
  }
  if (shape.otherTracks > 0) notes.push(`${shape.otherTracks} more tracks in the file are not judged.`);
  return notes;
}

/** The judge has no name for a codec that no stream can carry; ffprobe has. */
function renamed(told: FileReport, { alias, track }: NamedTrack): FileReport {
  return alias === undefined ? told : (JSON.parse(JSON.stringify(told).replaceAll(alias, track.codec)) as FileReport);
}
