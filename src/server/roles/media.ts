/** The media process: opens what clients sent. It runs media jobs, and answers for samples of running broadcasts. */
import { StateWriter } from '../../broadcasts/state-writer.js';
import { MediaTools } from '../../probe/media-tools.js';
import { SLOTS } from '../../vod/jobs/limits.js';
import { answerClips } from '../cluster/media-clips.js';
import { answerImages } from '../cluster/media-images.js';
import { answerSamples } from '../cluster/media-samples.js';
import { answerSounds } from '../cluster/media-sounds.js';
import { samplesFolder } from '../cluster/sample-files.js';
import { answerMetrics, read } from '../metrics/process-metrics.js';
import { JOURNAL_METRICS, MEDIA_METRICS } from '../metrics/rows.js';
import { openMediaJobs } from '../services/media-jobs.js';
import { openSandbox, toolSettings } from '../services/sandbox.js';
import { openJournal, openShared } from '../services/shared.js';
import { openWork, storageOf } from '../services/storage.js';
import type { RoleProcess } from './process.js';

/** Resolves with the ID with which the process holds leases. */
export async function openMedia({ config, log, closers, signal, link, isTraced }: RoleProcess): Promise<string> {
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
  const { detector, clips, retention, close } = openMediaJobs(storage, await openWork(config.dataDir), {
    ...shared,
    enforce: config.enforce,
    retentionDays: config.recordingRetentionDays,
    media: tools,
    prints: tools.prints,
    errors: journal,
    states: new StateWriter(store, clock),
  });
  closers.add('jobs', close);

  const folder = samplesFolder(config.dataDir);
  await answerSamples(link, folder, tools, log);
  answerImages(link, folder, tools.decoder);
  answerSounds(link, folder, detector);
  answerClips(link, folder, (id, piece) => clips.clip(id, piece));
  answerMetrics(link, log, () => ({
    ...read(JOURNAL_METRICS, { journal }),
    ...read(MEDIA_METRICS, { detector, retention }),
  }));
  return shared.holder;
}
