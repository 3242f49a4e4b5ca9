/**
 * Links that show the report on one broadcast to anyone who has them. Each is a token that opens nothing else, so that it ends
 * with the token that made it, and is listed and revoked as any other.
 */
import type { TokenData } from '../../lifecycle/documents.js';
import { type EdgeName, edgeOf, type Store, type StoredObject } from '../../ports/index.js';
import { ancestorsOf, familyExpiry, isRevoked, type Token } from './families.js';
import { type IssueDeps, revokeToken } from './token-issue.js';

/** Listed at most; no broadcast has as many valid ones. */
const LISTED_MAX = 100;

export const reportLinksOf = (liveVideoId: string): EdgeName => edgeOf(liveVideoId, 'report_tokens');

export interface ReportLinkRow {
  readonly id: string;
  readonly created_ms: number;
  readonly expires_ms: number;
  /** Id of the token that made it. */
  readonly made_by?: string;
}

/** The valid ones, oldest first. */
export async function reportLinks(
  { store, clock }: Pick<IssueDeps, 'clock'> & { readonly store: Pick<Store, 'objects'> },
  liveVideoId: string,
): Promise<readonly ReportLinkRow[]> {
  const nowMs = clock.wallMs();
  const { entries } = await store.objects.page(reportLinksOf(liveVideoId), { limit: LISTED_MAX, sinceScore: nowMs });
  const found = await store.objects.getMany(entries.map(({ member }) => member));
  const rows = await Promise.all(
    found.map((token) => (token?.kind === 'token' ? rowOf(store, token as StoredObject<TokenData>, nowMs) : [])),
  );
  return rows.flat().sort((left, right) => left.created_ms - right.created_ms);
}

async function rowOf(store: Pick<Store, 'objects'>, token: Token, nowMs: number): Promise<readonly ReportLinkRow[]> {
  const ancestors = await ancestorsOf(token, (id) => store.objects.get(id));
  if (ancestors === undefined || isRevoked(token, ancestors)) return [];
  const expiresMs = familyExpiry(token, ancestors) ?? Number.POSITIVE_INFINITY;
  if (expiresMs <= nowMs) return [];
  const { parentId } = token.data;
  const row = { id: token.id, created_ms: token.createdMs, expires_ms: expiresMs };
  return [parentId === undefined ? row : { ...row, made_by: parentId }];
}

/** False: the broadcast has no such link. `by` and `from`: for the audit log. */
export async function endReportLink(
  deps: IssueDeps,
  { liveVideoId, linkId }: { readonly liveVideoId: string; readonly linkId: string },
  by: string,
  from: string,
): Promise<boolean> {
  const links = reportLinksOf(liveVideoId);
  if ((await deps.store.objects.edgeEntry(links, linkId)) === undefined) return false;
  await revokeToken(deps, linkId, by, from);
  await deps.store.objects.commit([{ op: 'edgeRemove', ...links, member: linkId }]);
  return true;
}
