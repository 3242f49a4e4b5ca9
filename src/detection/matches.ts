/** Matches as they are stored: for the record of a broadcast, for a video, and for the operator. */
import type { CopyrightMatch } from '../copyright/stream-matcher.js';
import { defined } from '../lib/objects.js';
import {
  type HeardSample,
  matchRemoval,
  matchWrites,
  type ObjectStore,
  type StoredMatch,
  SYSTEM_EDGES,
  type Write,
} from '../ports/index.js';
import type { MatchDetails } from '../spec/error-record.js';
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

/** Members are ids of matches. */
const idOf = (subjectId: string, { reference_id, start_ms }: MatchDetails): string =>
  `${subjectId}_${reference_id}_${start_ms}`;

interface Subject {
  readonly id: string;
  readonly ownerId: string;
}

/** Lists matches for the operator and for the owner of the subject. */
export async function keepMatches(
  store: ObjectStore,
  subject: Subject,
  found: readonly MatchDetails[],
  nowMs: number,
  heard?: HeardSample,
): Promise<void> {
  if (found.length === 0) return;
  const ids = found.map((details) => idOf(subject.id, details));
  // A video that is compared again keeps the decisions on its matches.
  const known = await Promise.all(ids.map((id) => store.edgeEntry(SYSTEM_EDGES.copyrightMatches, id)));
  const added = found.flatMap((details, at) => {
    if (known[at] !== undefined) return [];
    const match = { subjectId: subject.id, ownerId: subject.ownerId, details, state: 'open' } as const;
    return matchWrites(ids[at] ?? '', nowMs, heard === undefined ? match : { ...match, heard });
  });
  await store.commit([...added, ...(await excess(store, found.length, subject.ownerId))]);
}

/** Replaces the details of a stored match. A decision that was made meanwhile stays. */
export async function changeDetails(store: ObjectStore, subjectId: string, details: MatchDetails): Promise<void> {
  const id = idOf(subjectId, details);
  const entry = await store.edgeEntry(SYSTEM_EDGES.copyrightMatches, id);
  if (entry === undefined) return;
  await store.commit(matchWrites(id, entry.score, { ...(entry.value as StoredMatch), details }));
}

/**
 * Chooses the matches that make room for more. Decided matches go first, then those of the same
 * owner: one who sends many copies removes no open match of others.
 */
async function excess(store: ObjectStore, added: number, ownerId: string): Promise<Write[]> {
  const over = (await store.edgeSize(SYSTEM_EDGES.copyrightMatches)) + added - DETECTOR.matchesKept;
  if (over <= 0) return [];
  const rows: { id: string; match: StoredMatch }[] = [];
  for (let after: string | undefined; ; ) {
    const query = { limit: DETECTOR.page, ascending: true, ...defined({ after }) };
    const { entries, hasNext } = await store.page(SYSTEM_EDGES.copyrightMatches, query);
    rows.push(...entries.map(({ member, value }) => ({ id: member, match: value as StoredMatch })));
    after = entries.at(-1)?.cursor;
    if (!hasNext || after === undefined) break;
  }
  const rank = ({ match }: { match: StoredMatch }): number => {
    if (match.state === 'confirmed' || match.state === 'dismissed') return 0;
    return match.ownerId === ownerId ? 1 : 2;
  };
  return rows
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, over + DETECTOR.matchesRoom)
    .flatMap(({ id, match }) => matchRemoval(id, match.subjectId));
}
