/** Resumable uploads in the store: one object per session, and the ordered list of its parts. */

import { defined } from '../../lib/objects.js';
import type { OwnerKind } from '../../lifecycle/documents.js';
import { type EdgeName, edgeOf, type ObjectStore, type StoredObject } from '../../ports/index.js';

export interface UploadSessionData {
  readonly ownerId: string;
  readonly ownerKind: OwnerKind;
  readonly videoId: string;
  readonly fileSize: number;
  /** Stored bytes: the offset of the next chunk. */
  readonly received: number;
  readonly state: 'open' | 'finished';
  readonly expiresMs: number;
  readonly [field: string]: unknown;
}

export type UploadSession = StoredObject<UploadSessionData>;

/** Unfinished sessions of one owner. */
export const openSessions = (ownerId: string): EdgeName => edgeOf(ownerId, 'upload_sessions');
/** Members are blob keys, scores are offsets; value: the size. */
export const partsOf = (sessionId: string): EdgeName => edgeOf(sessionId, 'parts');

const PAGE = 500;

/** Blob keys of the parts, in order of offset. */
export async function listParts(store: ObjectStore, sessionId: string): Promise<{ key: string; offset: number }[]> {
  const parts: { key: string; offset: number }[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.page(partsOf(sessionId), {
      limit: PAGE,
      ascending: true,
      ...defined({ after }),
    });
    parts.push(...page.entries.map(({ member, score }) => ({ key: member, offset: score })));
    after = page.entries.at(-1)?.cursor;
    if (!page.hasNext || after === undefined) return parts;
  }
}
