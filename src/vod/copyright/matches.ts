/** Matches as they are stored: for the record of a broadcast, for a video, and for the operator. */
import type { CopyrightMatch } from '../../copyright/stream-matcher.js';
import { type ObjectStore, type StoredMatch, SYSTEM_EDGES, type Write } from '../../ports/index.js';
import type { MatchDetails } from '../../spec/error-record.js';
import { DETECTOR } from './limits.js';

export function detailsOf(match: CopyrightMatch): MatchDetails {
  const { videoId, ownerId, policy } = match.reference;
  return {
    reference_id: videoId,
    page_id: ownerId,
    policy,
    start_ms: match.streamMs,
    offset_ms: match.offsetMs,
    length_ms: match.lengthMs,
    error_rate: match.errorRate,
    confidence: match.confidence,
  };
}

/** Lists matches for the operator. */
export async function keepMatches(
  store: ObjectStore,
  subject: { readonly id: string; readonly ownerId: string },
  found: readonly MatchDetails[],
  nowMs: number,
): Promise<void> {
  if (found.length === 0) return;
  const added = found.map((details): Write => {
    const value: StoredMatch = { subjectId: subject.id, ownerId: subject.ownerId, details, state: 'open' };
    const member = `${subject.id}_${details.reference_id}_${details.start_ms}`;
    return { op: 'edgeAdd', ...SYSTEM_EDGES.copyrightMatches, member, score: nowMs, value };
  });
  await store.commit([...added, ...(await excess(store, found.length))]);
}

async function excess(store: ObjectStore, added: number): Promise<Write[]> {
  const over = (await store.edgeSize(SYSTEM_EDGES.copyrightMatches)) + added - DETECTOR.matchesKept;
  if (over <= 0) return [];
  const { entries } = await store.page(SYSTEM_EDGES.copyrightMatches, { limit: over, ascending: true });
  return entries.map(({ member }): Write => ({ op: 'edgeRemove', ...SYSTEM_EDGES.copyrightMatches, member }));
}
