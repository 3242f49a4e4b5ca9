/** The store role: makes every write of the embedded store. */
import { serveEmbeddedStore } from '../../store/open.js';
import { systemClock } from '../system/system.js';
import type { Starting } from './running.js';

export async function startStoreRole({ config, log, closers }: Starting): Promise<undefined> {
  const server = await serveEmbeddedStore({ dataDir: config.dataDir, log, clock: systemClock });
  closers.add('store', () => server.close());
}
