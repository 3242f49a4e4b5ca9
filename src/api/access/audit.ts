/** The audit log: who changed tokens, rights and objects, from where and when. Append-only, kept for a year, without secrets. */
import { defined } from '../../lib/objects.js';
import { type Clock, type IdSource, type Log, type Store, SYSTEM_EDGES, type Write } from '../../ports/index.js';

const KEPT_MS = 365 * 86_400_000;
const SWEEP_INTERVAL_MS = 3_600_000;
const SWEEP_PAGE = 1_000;
const LIST_MAX = 1_000;

export interface AuditLine {
  /** The action: `token.revoke`, `DELETE /{live-video-id}`. */
  readonly action: string;
  /** Id of the token that did it, or `command line`. */
  readonly who: string;
  /** Address of the client. */
  readonly from?: string | undefined;
  /** Id of the object that it was done to. */
  readonly target?: string | undefined;
  /** Owner of that object. */
  readonly owner?: string | undefined;
}

export type AuditDeps = { readonly store: Pick<Store, 'objects'>; readonly clock: Clock; readonly ids: IdSource };

/** The line as a write, for the transaction of the change itself. */
export function auditWrite({ clock, ids }: Pick<AuditDeps, 'clock' | 'ids'>, line: AuditLine): Write {
  const value = Object.fromEntries(Object.entries(line).filter(([, each]) => each !== undefined));
  return { op: 'edgeAdd', ...SYSTEM_EDGES.audit, member: ids.next(), score: clock.wallMs(), value };
}

export async function audit(deps: AuditDeps, line: AuditLine): Promise<void> {
  await deps.store.objects.commit([auditWrite(deps, line)]);
}

export interface AuditRow extends AuditLine {
  readonly at_ms: number;
}

export interface AuditQuery {
  /** Milliseconds since 1970. */
  readonly sinceMs?: number | undefined;
  /** Lines about objects of this owner, or about the owner. */
  readonly owner?: string | undefined;
}

/** Newest first, at most a thousand. */
export async function auditLog(deps: AuditDeps, { sinceMs, owner }: AuditQuery = {}): Promise<readonly AuditRow[]> {
  const sinceScore = Math.max(sinceMs ?? 0, deps.clock.wallMs() - KEPT_MS);
  const rows: AuditRow[] = [];
  let after: string | undefined;
  do {
    const page = await deps.store.objects.page(SYSTEM_EDGES.audit, {
      limit: LIST_MAX,
      sinceScore,
      ...defined({ after }),
    });
    for (const { score, value } of page.entries) {
      const line = value as AuditLine;
      if (owner === undefined || line.owner === owner || line.target === owner) rows.push({ at_ms: score, ...line });
    }
    after = page.hasNext ? page.entries.at(-1)?.cursor : undefined;
  } while (after !== undefined && rows.length < LIST_MAX);
  return rows.slice(0, LIST_MAX);
}

/** Removes what is older than a year. Concurrent sweeps of several processes are harmless. */
export async function removeOldLines({ store, clock }: AuditDeps): Promise<void> {
  const untilScore = clock.wallMs() - KEPT_MS - 1;
  for (;;) {
    const { entries, hasNext } = await store.objects.page(SYSTEM_EDGES.audit, { limit: SWEEP_PAGE, untilScore });
    if (entries.length === 0) return;
    await store.objects.commit(entries.map(({ member }) => ({ op: 'edgeRemove', ...SYSTEM_EDGES.audit, member })));
    if (!hasNext) return;
  }
}

/** At the start and every hour, until the returned function is called. */
export function sweepAudit(deps: AuditDeps & { readonly log: Log }): () => void {
  let isClosed = false;
  const once = (): void => {
    removeOldLines(deps).catch((error: unknown) => {
      if (!isClosed) deps.log.warn({ err: error }, 'cannot remove old lines of the audit log; retrying in an hour');
    });
  };
  const timer = setInterval(once, SWEEP_INTERVAL_MS).unref();
  once();
  return () => {
    isClosed = true;
    clearInterval(timer);
  };
}
