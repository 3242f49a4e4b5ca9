/** Who reads, as the composition root tells it: tokens and roles are the HTTP interface's own. */
import type { LiveVideoData } from '../../broadcast/documents.js';
import type { StoredObject } from '../../ports/index.js';

export type LiveVideo = StoredObject<LiveVideoData>;

export interface FeedViewer {
  readonly tokenId: string;
  /** Milliseconds since 1970. */
  readonly expiresMs?: number;
  /** Whose broadcasts are meant by a subscription that names none. */
  readonly ownerIds: readonly string[];
  /** The only broadcasts that the token opens, when it was made for some; then `ownerIds` is empty. */
  readonly broadcastIds?: readonly string[];
  /** Whether the token may read the errors and observed values of this live video. */
  mayRead(live: LiveVideo): Promise<boolean>;
  /** Whether it may also hand out links to it. */
  mayShare(live: LiveVideo): Promise<boolean>;
}

/** `undefined`: no such token, or revoked, or expired. Rejects when the store is away. */
export type Authenticate = (token: string) => Promise<FeedViewer | undefined>;
