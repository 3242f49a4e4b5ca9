/** The last broadcast of the owner, as far as the next answer depends on it. */

import { findingsOf, type LastFindings } from '../../golive/last-broadcast.js';
import type { GoLiveRequest } from '../../golive/request.js';
import type { LiveVideoData } from '../../lifecycle/documents.js';
import { edgeOf, type StoredObject, VOLATILE } from '../../ports/index.js';
import type { Services } from '../graph/call.js';

const LIMITS = {
  /** Newest live videos of the owner among which the last broadcast is looked for; the others may be scheduled ones. */
  liveVideos: 10,
  /** Newest records of it. */
  records: 100,
  /** An uplink or a setting from before says little about today. */
  ageMs: 30 * 24 * 3_600_000,
} as const;

interface Next {
  readonly ownerId: string;
  /** The broadcast that the answer is for, if it exists. */
  readonly liveVideoId: string | undefined;
  /** False: the answer has no text, so its findings stay untold. */
  readonly tellsFindings: boolean;
}

/** Undefined: there is none, or its records cannot be read; an encoder is set up without them. */
export async function lastBroadcast(
  services: Services,
  asked: GoLiveRequest,
  next: Next,
): Promise<LastFindings | undefined> {
  try {
    return await read(services, asked, next);
  } catch (error) {
    services.log.warn({ err: error, ownerId: next.ownerId }, 'the records of the last broadcast could not be read');
    return undefined;
  }
}

async function read({ store, clock }: Services, { audio }: GoLiveRequest, next: Next) {
  const { ownerId, liveVideoId: nextId, tellsFindings } = next;
  const { entries } = await store.objects.page(edgeOf(ownerId, 'live_videos'), { limit: LIMITS.liveVideos });
  const objects = await store.objects.getMany(entries.map(({ member }) => member));
  const sinceMs = clock.wallMs() - LIMITS.ageMs;
  const ended = objects
    .flatMap((object) => {
      if (object?.kind !== 'live_video' || object.id === nextId) return [];
      const { id, data } = object as StoredObject<LiveVideoData>;
      const { broadcastStartMs, endedMs } = data;
      return broadcastStartMs === undefined || endedMs === undefined || endedMs < sinceMs ? [] : [{ id, endedMs }];
    })
    .sort((a, b) => b.endedMs - a.endedMs)[0];
  if (ended === undefined) return undefined;
  const { records } = await store.records.page(ended.id, { limit: LIMITS.records });
  const found = findingsOf(records, { endedMs: ended.endedMs, knowsAudio: audio !== undefined });
  if (found.findings.length === 0 || !tellsFindings) return found;
  const key = VOLATILE.toldFindings(ended.id);
  const isTold = (await store.volatile.get(key)) !== undefined;
  if (isTold) return { ...found, findings: [] };
  await store.volatile.set(key, true, LIMITS.ageMs);
  return found;
}
