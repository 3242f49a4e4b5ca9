/** Listing access tokens. */
import type { TokenData } from '../../broadcast/documents.js';
import { ALIAS, type StoredObject, SYSTEM_EDGES } from '../../ports/index.js';
import { hashToken } from '../access/tokens.js';
import { type ListQuery, listed } from './listing.js';
import type { AdminDeps } from './owners.js';

export interface TokenRow {
  readonly id: string;
  readonly owner_id: string;
  readonly owner_kind: string;
  readonly scopes: readonly string[];
  readonly state: 'valid' | 'expired' | 'revoked';
  readonly created_ms: number;
  readonly expires_ms?: number;
  readonly label?: string;
}

function tokenRow(token: StoredObject<TokenData>, nowMs: number): TokenRow {
  const { ownerId, ownerKind, scopes, expiresMs, revokedMs, label } = token.data;
  const expired = expiresMs !== undefined && expiresMs <= nowMs;
  return {
    id: token.id,
    owner_id: ownerId,
    owner_kind: ownerKind,
    scopes,
    state: revokedMs !== undefined ? 'revoked' : expired ? 'expired' : 'valid',
    created_ms: token.createdMs,
    ...(expiresMs === undefined ? {} : { expires_ms: expiresMs }),
    ...(label === undefined ? {} : { label }),
  };
}

export async function listTokens(
  deps: AdminDeps,
  query: ListQuery = {},
): Promise<{ readonly tokens: readonly TokenRow[]; readonly after?: string }> {
  const nowMs = deps.clock.wallMs();
  const { rows, ...page } = await listed<TokenData, TokenRow>(deps.store, SYSTEM_EDGES.tokens, query, (token) =>
    tokenRow(token, nowMs),
  );
  return { tokens: rows, ...page };
}

/** Id of the token's owner; `undefined` for a token that is unknown, expired or revoked. */
export async function ownerOfToken(
  deps: Pick<AdminDeps, 'store' | 'clock'>,
  token: string,
): Promise<string | undefined> {
  const id = await deps.store.objects.resolveAlias(ALIAS.token(hashToken(token)));
  const found = id === undefined ? undefined : await deps.store.objects.get<TokenData>(id);
  if (found?.kind !== 'token' || found.data.revokedMs !== undefined) return undefined;
  const { expiresMs, ownerId } = found.data;
  return expiresMs !== undefined && expiresMs <= deps.clock.wallMs() ? undefined : ownerId;
}
