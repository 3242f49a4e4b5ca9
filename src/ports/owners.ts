/** Limits of one owner on a shared server, the validity of its tokens, and its sessions in browsers. */
import { COUNTER, edgeOf } from './keys.js';
import type { EdgeName, Write } from './objects.js';
import type { Lease } from './store.js';

/** Whether access tokens are still valid, for connections and links that they opened. */
export interface TokenWatch {
  /** False once the token, or one that it was made from, is revoked or expired. */
  isValid(tokenId: string): Promise<boolean>;
  /** Calls `onEnd` at most once, within 5 s after the token ends. Returns the function that stops watching. */
  watch(tokenId: string, onEnd: () => void): () => void;
}

export interface SignedIn {
  readonly token: string;
  /** For a server that requires an app secret proof. */
  readonly proof?: string | undefined;
  readonly tokenId: string;
  readonly ownerId: string;
  /** Expiry of the token, milliseconds since 1970. */
  readonly expiresMs?: number | undefined;
}

/** A session as the cookie of its browser opens it. */
export interface OpenSession extends SignedIn {
  readonly cookie: string;
  readonly expiresMs: number;
}

/** 0 means unlimited. */
export interface OwnerLimits {
  /** Concurrent streams and preflights. */
  readonly publishers: number;
  /** Live videos and videos. */
  readonly objects: number;
  /** Bytes of uploads and recordings that are or become files of videos. */
  readonly bytes: number;
}

export type OwnerUse = OwnerLimits;

export interface OwnerQuota {
  limits(ownerId: string): Promise<OwnerLimits>;
  use(ownerId: string): Promise<OwnerUse>;
  /** Takes a publisher slot for the holder of this lease. Returns the limit if no slot is free. */
  acquireSlot(ownerId: string, lease: Lease): Promise<{ readonly limit: number } | undefined>;
  /** Releases the slot, then the lease. */
  releaseSlot(ownerId: string, lease: Lease): Promise<void>;
  /** @throws ServiceError 341 if the owner has reached its limit of objects */
  requireObject(ownerId: string): Promise<void>;
  /** Whether the owner is below its limit of bytes, so that a recording may start. */
  hasStorage(ownerId: string): Promise<boolean>;
  /** @throws ServiceError 341 if `bytes` more would exceed the limit */
  requireBytes(ownerId: string, bytes: number): Promise<void>;
}

/** Videos in any state; `videos` lists only those that can be watched. */
export const ownedVideos = (ownerId: string): EdgeName => edgeOf(ownerId, 'owned_videos');

/** Writes that charge the owner; commit them with the document that causes the charge. */
export function chargeWrites(ownerId: string, bytes: number): Write[] {
  return bytes === 0 ? [] : [{ op: 'count', owner: ownerId, counter: COUNTER.storedBytes, by: bytes }];
}
