/** The record of a recording with a gap (6506): parts of it are on a machine that cannot be reached. */
import { randomInt } from 'node:crypto';
import { serviceRecord } from '../../broadcast/service-record.js';
import type { JournalEntry } from '../../ports/index.js';
import { SERVICE_CODES } from '../../rules/registry/service-codes.js';
import { RECORDER } from '../recording/limits.js';

/** Far above the fences of publish leases, and too many to meet twice in one broadcast. */
const FENCES = { min: 2 ** 47, max: 2 ** 48 - 1 } as const;

export function missingPartsRecord(
  liveVideoId: string,
  missing: readonly string[],
  nowMs: number,
): Omit<JournalEntry, 'broadcastId'> {
  const fence = randomInt(FENCES.min, FENCES.max);
  const what = missing.length === 1 ? '1 part' : `${missing.length} parts`;
  const seconds = (missing.length * RECORDER.partMsMax) / 1_000;
  const observed = `${what}, at most ${seconds} s, on a machine that cannot be reached`;
  const id = `${liveVideoId}_${fence}_1`;
  const body = serviceRecord({ id, code: SERVICE_CODES.recordingGap, observed, timestampMs: nowMs, clearedMs: nowMs });
  return { fence, number: 1, change: { change: 'raised', body } };
}
