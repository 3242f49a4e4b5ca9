/** Strict enforcement: which fault ends a broadcast. One of severity error that stands, or was seen just now, for long enough. */
import type { StreamFacts } from '../../facts/stream-facts.js';
import { ENFORCEMENT } from '../../spec/tolerances.js';
import { catalogueEntry } from '../registry/catalogue.js';
import type { RecordDraft } from './record-draft.js';

export function endsBroadcast(open: RecordDraft, facts: StreamFacts): boolean {
  if (open.severity !== 'error') return false;
  const { clears, judgedBy } = catalogueEntry(open.fixed.error_code);
  // What a header, the settings or the connection says is so until it is said otherwise.
  const stands = clears.how === 'header' || clears.how === 'settings' || clears.how === 'connection';
  const streamMs = facts.streamTimeMs;
  if (isOverdue(streamMs, open.raisedStreamMs, stands ? streamMs : open.seenStreamMs)) return true;
  if (!facts.isLiveMode || judgedBy !== 'arrival') return false;
  const atMs = facts.arrival.nowAtMs;
  return isOverdue(atMs, open.raisedAtMs, stands ? atMs : open.seenAtMs);
}

function isOverdue(nowMs: number, raisedMs: number, seenMs: number): boolean {
  return nowMs - raisedMs >= ENFORCEMENT.strictOpenMs.value && nowMs - seenMs <= ENFORCEMENT.strictSeenMs.value;
}
