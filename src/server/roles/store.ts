/** The store process: makes every write of the embedded store. */
import { serveEmbeddedStore } from '../../store/open.js';
import { ownMetrics } from '../metrics/process-metrics.js';
import { systemClock } from '../system/system.js';
import type { RoleProcess } from './process.js';

export async function openStoreProcess({ config, log, closers, link, calls }: RoleProcess): Promise<undefined> {
  calls.serve('store', { metrics: ownMetrics(link.role, log, () => ({})) });
  const server = await serveEmbeddedStore({ dataDir: config.dataDir, log, clock: systemClock });
  closers.add('store', () => server.close());
}
