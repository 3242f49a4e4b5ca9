/** Listing access tokens. */

import { defined } from '../../lib/objects.js';
import type { TokenData } from '../../lifecycle/documents.js';
import { SYSTEM_EDGES } from '../../ports/index.js';
import { ancestorsOf, familyExpiry, isRevoked, type Token } from '../access/families.js';
import { lastUse } from '../access/token-use.js';
import { type ListQuery, listed } from './listing.js';
import type { AdminDeps } from './owners.js';

export interface TokenRow {
  readonly id: string;
  readonly owner_id: string;
  readonly owner_kind: string;
  readonly scopes: readonly string[];
  readonly state: 'valid' | 'expired' | 'revoked';
  readonly created_ms: number;
  /** The earliest expiry of the token and of those that it was made from. */
  readonly expires_ms?: number;
  readonly last_used_ms?: number;
  /** The token from which it was made, and the first of the family; absent for a first token. */
  readonly parent_id?: string;
  readonly root_id?: string;
  readonly label?: string;
}

async function tokenRow(deps: Pick<AdminDeps, 'store'>, token: Token, nowMs: number): Promise<TokenRow> {
  const { ownerId, ownerKind, scopes, label, parentId } = token.data;
  const ancestors = await ancestorsOf(token, (id) => deps.store.objects.get(id));
  const expiresMs = familyExpiry(token, ancestors ?? []);
  const expired = expiresMs !== undefined && expiresMs <= nowMs;
  const usedMs = await lastUse(deps.store, token.id);
  return {
    id: token.id,
    owner_id: ownerId,
    owner_kind: ownerKind,
    scopes,
    state: isRevoked(token, ancestors) ? 'revoked' : expired ? 'expired' : 'valid',
    created_ms: token.createdMs,
    ...defined({ expires_ms: expiresMs, last_used_ms: usedMs }),
    ...(parentId === undefined ? {} : { parent_id: parentId, root_id: ancestors?.at(-1)?.id ?? parentId }),
    ...defined({ label }),
  };
}

export async function listTokens(
  deps: AdminDeps,
  query: ListQuery = {},
): Promise<{ readonly tokens: readonly TokenRow[]; readonly after?: string }> {
  const nowMs = deps.clock.wallMs();
  const { rows, ...page } = await listed<TokenData, Token>(deps.store, SYSTEM_EDGES.tokens, query, (token) => token);
  return { tokens: await Promise.all(rows.map((token) => tokenRow(deps, token, nowMs))), ...page };
}
