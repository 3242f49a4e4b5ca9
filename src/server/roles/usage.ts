/** What a process of a role uses, for the metrics. */
import { answerQuestions } from '../cluster/ask-workers.js';
import type { RoleLink } from '../cluster/link.js';
import { EMPTY_SNAPSHOT, type MetricsSnapshot, usageCounts } from '../metrics/snapshot.js';
import { METRICS_SUBJECT } from '../metrics/workers.js';
import type { ProcessLog } from '../system/log.js';
import { UsageMeter } from '../system/process-usage.js';

/** In a process that counts nothing else: answers the web process. */
export function answerUsage(link: RoleLink, log: ProcessLog): void {
  const usage = new UsageMeter(log);
  answerQuestions<null, MetricsSnapshot>(link, METRICS_SUBJECT, () => ({
    ...EMPTY_SNAPSHOT,
    ...usageCounts(link.role, usage.now()),
  }));
}

export function supervisorCounts({ supervisor }: RoleLink): MetricsSnapshot {
  return supervisor === undefined ? EMPTY_SNAPSHOT : { ...EMPTY_SNAPSHOT, ...usageCounts('supervisor', supervisor) };
}
