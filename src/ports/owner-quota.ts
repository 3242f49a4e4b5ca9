/** What one owner may take of a server that it shares with others. */
import { COUNTER, edgeOf } from './keys.js';
import type { EdgeName, Write } from './objects.js';
import type { Lease } from './store.js';

/** 0: no bound. */
export interface OwnerLimits {
  /** Streams and preflights at one time. */
  readonly publishers: number;
  /** Live videos and videos. */
  readonly objects: number;
  /** Of uploads and recordings, as far as they are or become files of videos. */
  readonly bytes: number;
}

export type OwnerUse = OwnerLimits;

export interface OwnerQuota {
  limits(ownerId: string): Promise<OwnerLimits>;
  use(ownerId: string): Promise<OwnerUse>;
  /** A place for the publisher that holds this lease; the answer is the limit when all places are taken. */
  acquireSlot(ownerId: string, lease: Lease): Promise<{ readonly limit: number } | undefined>;
  /** Gives the place back, then the lease. */
  releaseSlot(ownerId: string, lease: Lease): Promise<void>;
  /** @throws ServiceError 341 when the owner has as many objects as it may have */
  requireObject(ownerId: string): Promise<void>;
  /** Whether a recording may begin. */
  hasStorage(ownerId: string): Promise<boolean>;
  /** @throws ServiceError 341 when so many bytes more are too many */
  requireBytes(ownerId: string, bytes: number): Promise<void>;
}

/** Videos of every state; `videos` lists only those with something to see. */
export const ownedVideos = (ownerId: string): EdgeName => edgeOf(ownerId, 'owned_videos');

/** To be written with the document that says so. */
export function chargeWrites(ownerId: string, bytes: number): Write[] {
  return bytes === 0 ? [] : [{ op: 'count', owner: ownerId, counter: COUNTER.storedBytes, by: bytes }];
}
