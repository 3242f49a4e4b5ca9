/** Nodes that are not stored objects: error records, and deleted broadcasts and videos whose records are kept. */
import type { LiveVideoData, OwnerKind, Tombstone } from '../../lifecycle/documents.js';
import { DERIVED_ID, recordSubject, type StoredObject } from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import { type ErrorView, errorView, type RecordSubject } from '../../spec/error-view.js';
import type { Call } from './call.js';

interface ErrorData {
  readonly ownerId: string;
  readonly ownerKind: OwnerKind;
  /** The live video or video. */
  readonly rootId: string;
  readonly record: StoredRecord;
  readonly view: ErrorView;
}

export type ErrorNode = StoredObject<ErrorData> & { readonly kind: 'error' };
export type FormerNode = StoredObject<Omit<Tombstone, 'was' | 'wasPublic' | 'keptVideoId'>> & {
  readonly kind: Tombstone['was'];
};

/** `<broadcast or video id>_<fence>_<number>` */
const RECORD_ID = /^(\d{1,20})_\d{1,16}_\d{1,16}$/;

export async function tombstoneOf(call: Call, id: string): Promise<StoredObject<Tombstone> | undefined> {
  return (await call.loader.load(DERIVED_ID.tombstone(id))) as StoredObject<Tombstone> | undefined;
}

/** The deleted object, for the reads of its error records by its former owner. */
export async function formerNode(call: Call, id: string): Promise<FormerNode | undefined> {
  const stone = await tombstoneOf(call, id);
  if (stone === undefined || !(await mayReadErrors(call, stone.data.ownerId))) return undefined;
  const { was, wasPublic: _public, keptVideoId: _kept, ...data } = stone.data;
  return { ...stone, id, kind: was, data };
}

/** The record, if its broadcast or video is visible to the token, or was deleted by an owner that it acts for. */
export async function errorNode(call: Call, id: string): Promise<ErrorNode | undefined> {
  const rootId = RECORD_ID.exec(id)?.[1];
  if (rootId === undefined) return undefined;
  const owner = await ownerOf(call, rootId);
  if (owner === undefined) return undefined;
  await call.services.recordsStored?.(rootId);
  const record = await call.services.store.records.get(rootId, id);
  if (record === undefined) return undefined;
  const { timestampMs: createdMs, revision: version } = record;
  const data: ErrorData = { ...owner, rootId, record, view: errorView(record, await subjectOf(call, rootId)) };
  return { id, kind: 'error', version, createdMs, updatedMs: record.cleared_time_ms ?? createdMs, data };
}

/** @param id of a live video or a video that was resolved, also of a deleted one */
export async function subjectOf({ loader }: Call, id: string): Promise<RecordSubject> {
  return (await recordSubject((each) => loader.load(each), id)) ?? { videoId: id };
}

async function ownerOf(call: Call, rootId: string): Promise<Pick<ErrorData, 'ownerId' | 'ownerKind'> | undefined> {
  const root = await call.loader.load(rootId);
  if (root === undefined) return (await formerNode(call, rootId))?.data;
  if (root.kind !== 'live_video' && root.kind !== 'video') return undefined;
  const { ownerId, ownerKind } = root.data as LiveVideoData;
  const isVisible = call.access.readsAllErrors || (await call.access.maySee(root));
  return isVisible ? { ownerId, ownerKind } : undefined;
}

async function mayReadErrors(call: Call, ownerId: string): Promise<boolean> {
  return call.access.readsAllErrors || call.access.manages(ownerId);
}
