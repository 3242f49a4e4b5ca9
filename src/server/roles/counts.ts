/** The counts of a process for the metrics, and their sum in the web process. */
import { answerQuestions } from '../cluster/ask-workers.js';
import type { RoleLink } from '../cluster/link.js';
import { workerChannel } from '../cluster/workers.js';
import { addSnapshots, EMPTY_SNAPSHOT, type MetricsSnapshot, usageCounts } from '../metrics/snapshot.js';
import { METRICS_SUBJECT, WorkerMetrics } from '../metrics/workers.js';
import type { Role } from '../supervisor/messages.js';
import type { ProcessLog } from '../system/log.js';
import { UsageMeter } from '../system/process-usage.js';

const ROLES: readonly Role[] = ['store', 'ingest', 'media', 'web'];

/** What a process counts beside its usage; the rest is zero. */
export type OwnCounts = () => Partial<MetricsSnapshot>;

function countsOf(role: Role, log: ProcessLog, own: OwnCounts): () => MetricsSnapshot {
  const usage = new UsageMeter(log);
  return () => ({ ...EMPTY_SNAPSHOT, ...usageCounts(role, usage.now()), ...own() });
}

/** Answers the web process. */
export function answerCounts(link: RoleLink, log: ProcessLog, own: OwnCounts): void {
  const counts = countsOf(link.role, log, own);
  answerQuestions<null, MetricsSnapshot>(link, METRICS_SUBJECT, counts);
}

/** In the web process: the counts of all processes of the server. */
export function serverCounts(link: RoleLink, log: ProcessLog, own: OwnCounts): () => Promise<MetricsSnapshot> {
  const counts = countsOf(link.role, log, own);
  const others = new WorkerMetrics(workerChannel(link, METRICS_SUBJECT, ['store', 'ingest', 'media']));
  return async () => {
    const roleRestarts = Object.fromEntries(ROLES.map((role) => [role, link.restarts(role)]));
    const draining = link.isDraining ? 1 : 0;
    const ours = { ...counts(), draining, ingestProcessEnds: link.restarts('ingest'), roleRestarts };
    return addSnapshots([ours, supervisorCounts(link), await others.collect()]);
  };
}

function supervisorCounts({ supervisor }: RoleLink): MetricsSnapshot {
  return supervisor === undefined ? EMPTY_SNAPSHOT : { ...EMPTY_SNAPSHOT, ...usageCounts('supervisor', supervisor) };
}
