/** Issuing and revoking access tokens. */
import { createHmac } from 'node:crypto';
import { defined } from '../../lib/objects.js';
import type { OwnerKind, TokenData } from '../../lifecycle/documents.js';
import { ALIAS, ConflictError, SYSTEM_EDGES, TOPIC } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import type { ApiDeps } from '../context/config.js';
import type { Viewer } from '../context/viewer.js';
import { auditWrite } from './audit.js';
import { isLinkScope } from './broadcast-scope.js';
import { ancestorsOf, FAMILY_DEPTH, isRevoked, type Token } from './families.js';
import { OPERATOR_SCOPES, SCOPES } from './scopes.js';
import { hashToken, newToken } from './tokens.js';

export type IssueDeps = Pick<ApiDeps, 'store' | 'clock' | 'ids'>;

export interface NewToken {
  readonly ownerId: string;
  /** All scopes of an owner when absent. */
  readonly scopes?: readonly string[];
  /** Milliseconds since 1970; absent: the token does not expire. */
  readonly expiresMs?: number;
  readonly label?: string;
  /** The token from which this one was derived; revoking the parent revokes this one. */
  readonly parentId?: string;
  /** For the audit log of a token without a parent; `server` when absent. */
  readonly issuedBy?: string;
  /** Address of the client, for the audit log. */
  readonly from?: string | undefined;
}

export interface IssuedToken {
  readonly id: string;
  /** Not retrievable later: the store keeps only the hash. */
  readonly token: string;
}

const KNOWN: readonly string[] = [...SCOPES, ...OPERATOR_SCOPES];

/** @throws ServiceError 100 for an unknown owner or scope */
export async function issueToken(deps: IssueDeps, wanted: NewToken): Promise<IssuedToken> {
  const token = newToken();
  return { id: await storeToken(deps, token, wanted), token };
}

async function storeToken(deps: IssueDeps, token: string, wanted: NewToken): Promise<string> {
  const owner = await deps.store.objects.get(wanted.ownerId);
  if (owner?.kind !== 'page' && owner?.kind !== 'group' && owner?.kind !== 'user') {
    throw parameterError(`No Page, group or user has the id ${wanted.ownerId}`);
  }
  const scopes = wanted.scopes ?? SCOPES;
  const unknown = scopes.find((scope) => !KNOWN.includes(scope) && !isLinkScope(scope));
  if (unknown !== undefined)
    throw parameterError(`Param scopes must be among {${KNOWN.join(', ')}} - got "${unknown}".`);
  if (wanted.parentId !== undefined) await checkParent(deps, wanted.parentId);
  const nowMs = deps.clock.wallMs();
  const hash = hashToken(token);
  const data: TokenData = {
    hash,
    ownerId: owner.id,
    ownerKind: owner.kind as OwnerKind,
    scopes: [...scopes],
    ...defined({ expiresMs: wanted.expiresMs, label: wanted.label, parentId: wanted.parentId }),
  };
  const id = deps.ids.next();
  await deps.store.objects.commit([
    { op: 'put', object: { id, kind: 'token', createdMs: nowMs, updatedMs: nowMs, data }, expect: 0 },
    { op: 'alias', alias: ALIAS.token(hash), id },
    { op: 'edgeAdd', ...SYSTEM_EDGES.tokens, member: id, score: nowMs },
    auditWrite(deps, {
      action: wanted.label === undefined ? 'token issued' : `token issued: ${wanted.label}`,
      who: wanted.parentId ?? wanted.issuedBy ?? 'server',
      from: wanted.from,
      target: id,
      owner: owner.id,
    }),
  ]);
  return id;
}

/** @throws ServiceError 100 for a parent that is revoked or has too many tokens above it */
async function checkParent({ store }: IssueDeps, parentId: string): Promise<void> {
  const parent = await store.objects.get<TokenData>(parentId);
  const ancestors =
    parent?.kind === 'token' ? await ancestorsOf(parent as Token, (id) => store.objects.get(id)) : undefined;
  if (parent === undefined || isRevoked(parent as Token, ancestors)) throw parameterError('No such token');
  if (ancestors?.length === FAMILY_DEPTH) {
    throw parameterError('This token was exchanged too often; exchange the first one again.');
  }
}

/**
 * The Page token of a user with a role on the Page. Derived from the user's token, so that repeated reads return the
 * same token; revoked together with it.
 */
export async function pageTokenFor(
  deps: IssueDeps,
  userToken: string,
  { viewer, from }: { readonly viewer: Viewer; readonly from: string | undefined },
  pageId: string,
): Promise<string> {
  const token = `AP${createHmac('sha256', userToken).update(`page:${pageId}`).digest('base64url')}`;
  if ((await deps.store.objects.resolveAlias(ALIAS.token(hashToken(token)))) !== undefined) return token;
  try {
    await storeToken(deps, token, {
      ownerId: pageId,
      scopes: [...viewer.scopes].filter((scope) => !OPERATOR_SCOPES.includes(scope)),
      parentId: viewer.tokenId,
      label: 'page token',
      from,
      ...defined({ expiresMs: viewer.expiresMs }),
    });
  } catch (error) {
    // A concurrent read derived and stored the same token first.
    if (!(error instanceof ConflictError)) throw error;
  }
  return token;
}

/**
 * Takes effect at once in every process. Accepts the id or the token. `by` and `from`: for the audit log.
 * @throws ServiceError 100 for an unknown token
 */
export async function revokeToken(deps: IssueDeps, idOrToken: string, by = 'server', from?: string): Promise<void> {
  const id = /^\d{1,20}$/.test(idOrToken)
    ? idOrToken
    : await deps.store.objects.resolveAlias(ALIAS.token(hashToken(idOrToken)));
  const token = id === undefined ? undefined : await deps.store.objects.get<TokenData>(id);
  if (token?.kind !== 'token') throw parameterError('No such token');
  const nowMs = deps.clock.wallMs();
  const data: TokenData = { ...token.data, revokedMs: token.data.revokedMs ?? nowMs };
  const { createdMs, kind } = token;
  await deps.store.objects.commit([
    { op: 'put', object: { id: token.id, kind, createdMs, updatedMs: nowMs, data } },
    auditWrite(deps, { action: 'token revoked', who: by, from, target: token.id, owner: token.data.ownerId }),
  ]);
  deps.store.bus.publish(TOPIC.tokens, { id: token.id });
}
