/** Authorization of the feed, implemented outside: tokens and roles belong to the HTTP interface. */
import type { IncomingMessage } from 'node:http';
import type { LiveVideoData } from '../../lifecycle/documents.js';
import type { StoredObject } from '../../ports/index.js';

export type LiveVideo = StoredObject<LiveVideoData>;

export interface FeedViewer {
  readonly tokenId: string;
  /** The owner of the token. */
  readonly ownerId: string;
  /** Milliseconds since 1970. */
  readonly expiresMs?: number;
  /** Owners whose broadcasts a subscription without ids includes. */
  readonly ownerIds: readonly string[];
  /** For a token limited to named broadcasts: their ids. `ownerIds` is then empty. */
  readonly broadcastIds?: readonly string[];
  /** The token may read the errors and observed values of every owner. */
  readonly readsAll?: boolean;
  /** The token of a link to the wall: it opens the feed, the list of what runs and stills, and nothing else. */
  readonly isWall?: true;
  /** The token may act for every owner. */
  readonly isOperator?: boolean;
  /** Whether the token may read the errors and observed values of this live video. */
  mayRead(live: LiveVideo): Promise<boolean>;
  /** Whether the token may see pictures of it. */
  mayPicture(live: LiveVideo): Promise<boolean>;
  /** Whether a dock link opens `GET /{live-video-id}/obs_profile` too. */
  readonly maySetUpEncoder?: true;
  /** Whether a dock link puts the input streams of its broadcast on air. */
  readonly mayPutOnAir?: true;
  /** Whether the token may also create dock links to it. */
  mayShare(live: LiveVideo): Promise<boolean>;
}

/** `undefined`: the token is unknown, revoked or expired. Rejects if the store is unavailable. `from`: the client's address. */
export type Authenticate = (token: string, from: string) => Promise<FeedViewer | undefined>;

/** The client's address, which differs from the peer's behind a trusted proxy. */
export type AddressOf = (request: IncomingMessage) => string;
