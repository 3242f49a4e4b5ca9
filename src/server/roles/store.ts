/** The store process: makes every write of the embedded store. */
import { serveEmbeddedStore } from '../../store/open.js';
import { answerMetrics } from '../metrics/process-metrics.js';
import { systemClock } from '../system/system.js';
import type { RoleProcess } from './process.js';

export async function openStoreProcess({ config, log, closers, link }: RoleProcess): Promise<undefined> {
  answerMetrics(link, log, () => ({}));
  const server = await serveEmbeddedStore({ dataDir: config.dataDir, log, clock: systemClock });
  closers.add('store', () => server.close());
}
