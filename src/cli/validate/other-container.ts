/** Checks other containers against the live specification: ffmpeg remuxes to FLV, ffprobe lists packets that FLV cannot carry. */

import { statSync } from 'node:fs';
import { WireError } from '../../bytes/wire-error.js';
import { notesOf, named as withNames } from '../../check/container-check.js';
import { FileJudge } from '../../check/file-judge.js';
import { unreadable } from '../../check/file-report.js';
import { liveReport } from '../../check/live-report.js';
import { NamedTrack } from '../../containers/named-track.js';
import { type FileTrack, isReadable } from '../../containers/source/media-file.js';
import { codeOf } from '../../lib/errors.js';
import { configOfLoas } from '../../media/aac/latm.js';
import { messageOf } from '../console/exit.js';
import { DAMAGED, loasFrames, type Remux, remuxToFlv } from '../remux/remux.js';
import {
  discardedPackets,
  type FileShape,
  fileShape,
  type PacketTime,
  packetTimes,
  reasonOf,
} from '../remux/tracks.js';
import type { FileReport } from '../reports/report.js';
import type { CheckTools } from './check-tools.js';
import { cutOff } from './cut-off.js';

const LATM = 'aac_latm';
/** ffprobe's name of an H.264 byte stream without a container. */
const RAW_H264 = 'h264';

export async function checkOtherContainer(path: string, shown: string, tools: CheckTools): Promise<FileReport> {
  const shape = await shapeOf(path, tools);
  const judge = new FileJudge({ remuxed: { encoder: shape.encoder }, analysis: tools.analysis, decode: tools.decode });
  const named = shape.tracks.filter((track) => !isReadable(track)).map((track) => new NamedTrack(track));
  const waiting = await packetsOf(named, path, shape.startS, tools);
  const readable = shape.tracks.filter(isReadable);
  await sendAacConfig(judge, named, path, tools);
  judge.beforeTag = (timestampMs) => feed(judge, waiting, timestampMs);
  const isWanted = readable.length > 0 || shape.fault !== undefined;
  if (shape.isEdited === true) {
    for (const track of readable) judge.leaveOut(track.kind, await discardedPackets(tools.ffprobe, path, track));
  }
  let fault = isWanted ? await readInFlv(judge, path, readable, shape, tools) : undefined;
  const isUnstarted = fault !== undefined && judge.bytes === 0 && shape.fault === undefined;
  if (isUnstarted) fault = await readFilled(judge, path, shape, fault, tools);
  // The container's own structure explains the problem better than ffmpeg's message.
  const problem = (await cutOff(path, tools.ffmpeg)) ?? fault;
  feed(judge, waiting, Number.POSITIVE_INFINITY);
  judge.close();
  if (judge.mediaMessages === 0 && shape.fault !== undefined) {
    const foreign = `unsupported container (ffprobe: ${shape.fault})`;
    return unreadable(shown, 'live', problem === fault ? foreign : (problem ?? foreign));
  }
  const notes = notesOfShape(shape, judge.stream.audioCodec);
  return withNames(liveReport(judge, shown, shape.container, problem, notes), NamedTrack.aliasesOf(shape.tracks));
}

/** ffmpeg may still be able to remux a file that ffprobe rejects, since remuxing needs no decoder. */
async function shapeOf(path: string, tools: CheckTools): Promise<FileShape & { readonly fault?: string }> {
  try {
    return await fileShape(tools.ffprobe, path);
  } catch (error) {
    if (codeOf(error) !== '') throw error;
    const fault = messageOf(error);
    return { container: '', encoder: '', tracks: [], otherTracks: 0, startS: 0, fault };
  }
}

/** ffmpeg writes nothing if one track has no packets, as its settings are not known: reads the others. */
async function readFilled(
  judge: FileJudge,
  path: string,
  shape: FileShape,
  fault: string | undefined,
  tools: CheckTools,
): Promise<string | undefined> {
  const { tracks, startS } = shape;
  const readable = tracks.filter(isReadable);
  const filled: FileTrack[] = [];
  for (const track of readable) {
    if ((await packetTimes(tools.ffprobe, path, track, startS)).length > 0) filled.push(track);
  }
  if (filled.length === readable.length) return fault;
  judge.hasEmptyTracks = true;
  return filled.length === 0 ? undefined : readInFlv(judge, path, filled, shape, tools);
}

interface PendingPacket {
  readonly track: NamedTrack;
  readonly packet: PacketTime;
}

async function packetsOf(
  named: readonly NamedTrack[],
  path: string,
  startS: number,
  tools: CheckTools,
): Promise<PendingPacket[]> {
  const waiting: PendingPacket[] = [];
  for (const track of named) {
    const packets = await packetTimes(tools.ffprobe, path, track.track, startS);
    for (const packet of packets.toReversed()) waiting.push({ track, packet });
  }
  // Earliest last, so that `pop` returns the next one.
  return waiting.sort((a, b) => b.packet.decodeTimeMs - a.packet.decodeTimeMs);
}

/** Feeds the pending packets up to this time. */
function feed(judge: FileJudge, waiting: PendingPacket[], beforeMs: number): void {
  for (let next = waiting.at(-1); next !== undefined && next.packet.decodeTimeMs <= beforeMs; next = waiting.at(-1)) {
    waiting.pop();
    judge.packet(next.track.kind, next.packet.decodeTimeMs, next.track.payload(next.packet));
  }
}

/** AAC in LATM carries its configuration in its packets; FLV needs it in a message before them. */
async function sendAacConfig(
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

/** Versions before 4.4 lack the `setts` filter for raw streams; these are then remuxed without it. */
async function readInFlv(
  judge: FileJudge,
  path: string,
  tracks: readonly FileTrack[],
  { container, isEdited }: FileShape,
  tools: CheckTools,
): Promise<string | undefined> {
  const { size } = statSync(path);
  const isRaw = container === RAW_H264;
  const problem = await readRemuxed(judge, remuxToFlv(tools.ffmpeg, path, tracks, { isRaw, isEdited }), size, tools);
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
      // The overhead of FLV is about that of the other container.
      tools.onProgress?.(judge.bytes, size);
    }
    const fault = await remux.ended;
    if (fault !== undefined) return `ffmpeg failed before the end of the file: ${reasonOf(fault)}`;
    return remux.isDamaged() ? DAMAGED : undefined;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return `ffmpeg produced invalid FLV: ${error.message}`;
  } finally {
    remux.kill();
  }
}

/** Remarks for the report. */
function notesOfShape(shape: FileShape, judgedAudio: string | undefined): string[] {
  const notes = notesOf(shape, judgedAudio);
  if (shape.container === RAW_H264 && shape.frameRate !== undefined) {
    notes.push(`Raw H.264 has no timestamps: ${shape.frameRate} fps is assumed. Truncation cannot be detected.`);
  }
  return notes;
}
