/**
 * Token families. A token made from another one (exchanged, of a Page, in a link) is valid only while every token above it
 * is, and never has a later expiry or more scopes than any of them.
 */
import type { TokenData } from '../../lifecycle/documents.js';
import type { StoredObject } from '../../ports/index.js';
import { isLinkScope } from './broadcast-scope.js';

export type Token = StoredObject<TokenData>;

/** Tokens above a token. Bounds the reads of one check; no client needs more than two. */
export const FAMILY_DEPTH = 16;

type Load = (id: string) => Promise<StoredObject | undefined>;

/** The tokens above this one, nearest first; `undefined` when one is missing or the chain is too long. */
export async function ancestorsOf(token: Token, load: Load): Promise<readonly Token[] | undefined> {
  const found: Token[] = [];
  for (let { parentId } = token.data; parentId !== undefined; ) {
    if (typeof parentId !== 'string' || found.length === FAMILY_DEPTH) return undefined;
    const parent = await load(parentId);
    if (parent?.kind !== 'token') return undefined;
    found.push(parent as Token);
    ({ parentId } = (parent as Token).data);
  }
  return found;
}

export function isRevoked(token: Token, ancestors: readonly Token[] | undefined): boolean {
  if (ancestors === undefined || token.data.revokedMs !== undefined) return true;
  return ancestors.some(({ data }) => data.revokedMs !== undefined);
}

/** The scopes that the whole family has. A dock link's own scopes are narrower than any, so no ancestor needs them. */
export function familyScopes(token: Token, ancestors: readonly Token[]): ReadonlySet<string> {
  const held = (scope: string): boolean =>
    isLinkScope(scope) || ancestors.every(({ data }) => data.scopes.includes(scope));
  return new Set(token.data.scopes.filter(held));
}

/** The earliest expiry in the family. */
export function familyExpiry(token: Token, ancestors: readonly Token[]): number | undefined {
  const ends = [token, ...ancestors].flatMap(({ data }) => data.expiresMs ?? []);
  return ends.length === 0 ? undefined : Math.min(...ends);
}
