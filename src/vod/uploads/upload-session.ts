/** Resumable uploads as the store keeps them: one object a session, and the list of its parts in order. */
import type { OwnerKind } from '../../broadcast/documents.js';
import { type EdgeName, edgeOf, type ObjectStore, type StoredObject } from '../../ports/index.js';

export interface UploadSessionData {
  readonly ownerId: string;
  readonly ownerKind: OwnerKind;
  readonly videoId: string;
  readonly fileSize: number;
  /** Bytes that are safe: where the next chunk begins. */
  readonly received: number;
  readonly state: 'open' | 'finished';
  readonly expiresMs: number;
  readonly [field: string]: unknown;
}

export type UploadSession = StoredObject<UploadSessionData>;

/** Value of an entry of the parts: the blob and its size. Score: the offset. */
export interface PartValue {
  readonly size: number;
}

/** Sessions of one owner that are not finished. */
export const openSessions = (ownerId: string): EdgeName => edgeOf(ownerId, 'upload_sessions');
/** Members are keys of blobs. */
export const partsOf = (sessionId: string): EdgeName => edgeOf(sessionId, 'parts');

const PAGE = 500;

/** Keys of the parts in the order of their bytes. */
export async function listParts(store: ObjectStore, sessionId: string): Promise<{ key: string; offset: number }[]> {
  const parts: { key: string; offset: number }[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.page(partsOf(sessionId), {
      limit: PAGE,
      ascending: true,
      ...(after === undefined ? {} : { after }),
    });
    parts.push(...page.entries.map(({ member, score }) => ({ key: member, offset: score })));
    after = page.entries.at(-1)?.cursor;
    if (!page.hasNext || after === undefined) return parts;
  }
}
