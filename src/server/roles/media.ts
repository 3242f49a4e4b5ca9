/** The media process: opens what clients sent. It runs media jobs, and answers for samples of running broadcasts, while there are any. */
import { StateWriter } from '../../broadcasts/state-writer.js';
import { MediaTools } from '../../probe/media-tools.js';
import { SLOTS } from '../../vod/jobs/limits.js';
import { ownMetrics, read } from '../metrics/process-metrics.js';
import { JOURNAL_METRICS, MEDIA_METRICS } from '../metrics/rows.js';
import { mediaCalls, removeLeftFiles, samplesFolder } from '../rpc/media.js';
import { openMediaJobs } from '../services/media-jobs.js';
import { MediaRest } from '../services/media-rest.js';
import { openSandbox, toolSettings } from '../services/sandbox.js';
import { openJournal, openShared } from '../services/shared.js';
import { openWork, storageOf } from '../services/storage.js';
import type { RoleProcess } from './process.js';

/** Resolves with the ID with which the process holds leases. */
export async function openMedia(process: RoleProcess): Promise<string> {
  const { config, log, closers, signal, link, calls, isTraced } = process;
  const ports = await link.ports();
  const shared = await openShared({ config, log, closers }, { ports, isStoreServed: true, isTraced });
  const { store, clock } = shared;
  const journal = await openJournal(shared, closers);
  signal.throwIfAborted();

  const cage = await openSandbox({ config, log }, signal);
  const tools = await MediaTools.open({ ...toolSettings(config), cage, log, parallel: SLOTS, signal });
  closers.add('tools', () => tools.close());
  signal.throwIfAborted();

  const storage = await storageOf(shared, closers);
  const { detector, clips, close } = openMediaJobs(storage, await openWork(config.dataDir), {
    ...shared,
    enforce: config.enforce,
    media: tools,
    prints: tools.prints,
    errors: journal,
    states: new StateWriter(store, clock),
  });
  closers.add('jobs', close);

  const folder = samplesFolder(config.dataDir);
  await removeLeftFiles(folder).catch((error: unknown) => {
    log.warn({ error, folder }, 'samples that a process left behind could not be removed');
  });
  const metrics = ownMetrics(link.role, log, () => ({
    ...read(JOURNAL_METRICS, { journal }),
    ...read(MEDIA_METRICS, { detector }),
  }));
  const parts = { folder, probe: tools, decoder: tools.decoder, comparer: detector, clips };
  calls.serve('media', { ...mediaCalls(parts), metrics });
  const rest = new MediaRest({
    clock,
    log,
    jobs: storage.jobs,
    calls,
    references: () => detector.state.references ?? 0,
    // Absent in the settings of an older supervisor, which does not tell that the process rests.
    idleMs: (config.mediaIdleS ?? 0) * 1000,
    rest: async () => {
      await detector.rest();
      link.demand('media', false);
    },
  });
  link.onPing(() => void rest.check());
  return shared.holder;
}
