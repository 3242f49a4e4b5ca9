/** What the web process runs: its health history has the samples of the ingest processes too. */
import { type AskUnsaved, DistributedHistory } from '../../dashboard/history/distributed-history.js';
import type { HealthHistory } from '../../dashboard/history/history.js';
import { askWorkers } from '../cluster/ask-workers.js';
import type { RoleLink } from '../cluster/link.js';
import { workerChannel } from '../cluster/workers.js';
import { HISTORY_SUBJECT } from './ingest.js';
import type { Running } from './running.js';

export interface WebRunning extends Omit<Running, 'history'> {
  readonly history: Pick<HealthHistory, 'read'>;
}

/** Charts and reports omit the samples of an ingest process that does not respond within this time. */
const UNSAVED_MS = 1_000;

const unsavedSamples = (link: RoleLink): AskUnsaved => askWorkers(workerChannel(link, HISTORY_SUBJECT), UNSAVED_MS);

export function webRunning(running: Running, link: RoleLink | undefined): WebRunning {
  if (link === undefined) return running;
  return { ...running, history: new DistributedHistory(running.core.store, unsavedSamples(link)) };
}
