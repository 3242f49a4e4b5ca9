/** Joins recorder, media jobs, uploads and the ffprobe samples to the core. */

import { join } from 'node:path';
import { FileAccess } from '../../api/access/file-access.js';
import { publicUrls } from '../../config/public-urls.js';
import type { Config } from '../../config/schema.js';
import { VOLATILE } from '../../ports/index.js';
import { DeepProbe } from '../../probe/deep-probe.js';
import { MediaTools } from '../../probe/media-tools.js';
import { SERVICE_CODES } from '../../rules/registry/service-codes.js';
import { parseBlobUrl } from '../../vod/blobs/open.js';
import { SLOTS } from '../../vod/jobs/limits.js';
import { openVod, type Vod } from '../../vod/vod.js';
import type { CoreBase, CoreHooks } from './core.js';

export interface MediaServices {
  readonly vod: Vod;
  readonly deepProbe: DeepProbe;
  readonly hooks: CoreHooks;
  close(): Promise<void>;
}

const DISAGREEMENT_KEPT_MS = 24 * 3_600_000;

/** `runsJobs`: one process of several runs jobs, so that ffmpeg does not compete with all of them. */
export async function openMediaServices(
  base: CoreBase,
  options: { readonly runsJobs: boolean; readonly signal: AbortSignal },
): Promise<MediaServices> {
  const { config, log, clock, ids, store, journal, quota, serverKey, buffers, holder } = base;
  const media = await MediaTools.open({
    ...toolPaths(config),
    folder: join(config.dataDir, 'tools'),
    log,
    parallel: SLOTS,
    signal: options.signal,
  });
  options.signal.throwIfAborted();
  const note =
    (code: number) =>
    (liveVideoId: string, reason: string): void =>
      base.engine().publications.get(liveVideoId)?.note(code, reason);
  const access = new FileAccess({ store, clock, config: { publicHttpUrl: publicUrls(config, config).httpUrl } });
  const vod = await openVod({
    dataDir: config.dataDir,
    s3: config.blobUrl === undefined ? undefined : parseBlobUrl(config.blobUrl),
    record: config.record,
    enforce: config.enforce,
    diskReserve: config.diskReserve,
    retentionDays: config.recordingRetentionDays,
    store,
    buffers,
    clock,
    ids,
    log,
    holder,
    quota,
    media,
    serverKey,
    errors: journal,
    runsJobs: options.runsJobs,
    processingStarted: (id) => base.engine().processing(id, 'processing-started'),
    processingDone: (id) => base.engine().processing(id, 'processing-done'),
    onRecordingStopped: note(SERVICE_CODES.recordingStopped),
    onRecordingGap: note(SERVICE_CODES.recordingGap),
    maySee: (token, videoId) => access.maySee(token, videoId),
  });
  const deepProbe = new DeepProbe({
    sample: (flv) => media.sample(flv),
    hasRoom: () => media.hasRoomForSample,
    health: (id) => base.engine().publications.get(id)?.health(),
    onDisagreement: (found) => {
      log.warn({ ...found }, 'ffprobe sees the stream differently');
      store.volatile
        .set(VOLATILE.disagreement(found.liveVideoId), found, DISAGREEMENT_KEPT_MS)
        .catch((error: unknown) => {
          log.debug({ error }, 'a disagreement could not be kept');
        });
    },
    clock,
    log,
  });
  const close = async (): Promise<void> => {
    access.close();
    await vod.close();
  };
  return { vod, deepProbe, hooks: { taps: [vod, deepProbe], onEnded: (live) => vod.onEnded(live) }, close };
}

function toolPaths({ ffmpegPath, ffprobePath }: Config) {
  return { ffmpegPath, ffprobePath };
}
