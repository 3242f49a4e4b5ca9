import type { TokenData } from '../../lifecycle/documents.js';

/** The authenticated token of a request. */
export interface Viewer {
  readonly tokenId: string;
  readonly ownerId: string;
  readonly ownerKind: TokenData['ownerKind'];
  readonly scopes: ReadonlySet<string>;
  readonly issuedMs: number;
  readonly expiresMs: number | undefined;
  /** Broadcasts that the token of a link is limited to; absent for other tokens. */
  readonly broadcastIds?: readonly string[];
  /** Viewer of the token that this one was made from. */
  readonly maker?: Viewer;
}
