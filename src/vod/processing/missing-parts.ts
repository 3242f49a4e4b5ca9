/** The record of a recording with a gap (6506): its video was made before all parts were uploaded. */
import { randomInt } from 'node:crypto';
import { serviceRecord } from '../../judge/service-record.js';
import type { VideoData } from '../../lifecycle/documents.js';
import type { JournalEntry } from '../../ports/index.js';
import { RECORDER } from '../../recording/limits.js';
import { SERVICE_CODES } from '../../rules/registry/service-codes.js';

/** Far above the fences of publish leases, and too many to meet twice in one broadcast. */
const FENCES = { min: 2 ** 47, max: 2 ** 48 - 1 } as const;
const REMEDY = 'No change in the encoder is needed: the video is made again when the rest arrives.';

export type MissingRecord = NonNullable<VideoData['missingRecord']>;

export function missingPartsRecord(liveVideoId: string, missing: readonly string[], nowMs: number): MissingRecord {
  const fence = randomInt(FENCES.min, FENCES.max);
  const [what, them] = missing.length === 1 ? ['1 part', 'it'] : [`${missing.length} parts`, 'them'];
  const seconds = (missing.length * RECORDER.partMsMax) / 1_000;
  const observed = `${what}, at most ${seconds} s, which the server that received ${them} has not uploaded`;
  const id = `${liveVideoId}_${fence}_1`;
  const notice = { id, code: SERVICE_CODES.recordingGap, observed, timestampMs: nowMs, clearedMs: null };
  return { fence, body: serviceRecord(notice, REMEDY) };
}

/** The journal applies each of both once, however often it is told. */
export function raised(broadcastId: string, { fence, body }: MissingRecord): JournalEntry {
  return { broadcastId, fence, number: 1, change: { change: 'raised', body } };
}

export function cleared(broadcastId: string, { fence, body }: MissingRecord, nowMs: number): JournalEntry {
  const openMs = Math.max(0, nowMs - body.timestampMs);
  const change = { change: 'cleared', body: { ...body, cleared_time_ms: nowMs, open_ms: openMs } } as const;
  return { broadcastId, fence, number: 2, change };
}
