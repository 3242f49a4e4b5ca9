/** Marks of deleted live videos and videos, by which their former owner reads their error records. */
import type { Tombstone } from '../../lifecycle/documents.js';
import { type Clock, DERIVED_ID, edgeOf, type Store, type Write } from '../../ports/index.js';

/** Retention of error logs after their last record; later the list of an owner need not name them. */
const LISTED_MS = 90 * 24 * 3_600_000;
const PAGE = 100;

export interface Buried {
  readonly id: string;
  readonly stone: Tombstone;
}

interface Ground {
  readonly store: Store;
  readonly clock: Clock;
}

/** Write them before the deletion: after a crash the object either still exists or is reported as deleted. */
export async function buryAll({ store, clock }: Ground, buried: readonly Buried[]): Promise<void> {
  const nowMs = clock.wallMs();
  const writes = buried.flatMap(({ id, stone }): Write[] => [
    {
      op: 'put',
      object: { id: DERIVED_ID.tombstone(id), kind: 'setting', createdMs: nowMs, updatedMs: nowMs, data: stone },
    },
    { op: 'edgeAdd', ...edgeOf(stone.ownerId, 'deleted_videos'), member: id, score: nowMs },
  ]);
  const owners = new Set(buried.map(({ stone }) => stone.ownerId));
  const unlisted = await Promise.all([...owners].map((ownerId) => unlist(store, ownerId, nowMs - LISTED_MS)));
  await store.objects.commit([...writes, ...unlisted.flat()]);
}

/** Removes some old entries whenever one is added, so that the list stays short. */
async function unlist(store: Store, ownerId: string, untilMs: number): Promise<Write[]> {
  const name = edgeOf(ownerId, 'deleted_videos');
  const query = { limit: PAGE, ascending: true, untilScore: Math.max(0, untilMs) };
  const { entries } = await store.objects.page(name, query);
  return entries.map(({ member }) => ({ op: 'edgeRemove', ...name, member }));
}
