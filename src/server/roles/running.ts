/** What every process of the server runs: the core with its taps, media services, health history, playback. */
import type { CertificateChange as Pair } from '../../config/certificate-watch.js';
import type { CertificatePaths } from '../../config/certificates.js';
import type { Config } from '../../config/schema.js';
import { HealthHistory } from '../../dashboard/history/history.js';
import type { Playback } from '../../playback/playback.js';
import type { Log } from '../../ports/index.js';
import { isWorker } from '../cluster/workers.js';
import { type Core, openCore } from '../services/core.js';
import { type MediaServices, openMediaServices } from '../services/media.js';
import { openPlayback, openRelayHost } from '../services/playback.js';
import type { Closers } from '../system/closers.js';

/** What each step of the start is given. */
export interface Starting {
  readonly config: Config;
  readonly log: Log;
  /** Each part registers here as soon as it is open: the one list for the end and for a start that fails. */
  readonly closers: Closers;
  /** Aborted when the process is told to stop before the start is through. */
  readonly signal: AbortSignal;
}

/** The certificate in use, and where it is read again when it changes. */
export interface Certificate {
  readonly paths: CertificatePaths;
  readonly pair: Pair;
}

export interface Running {
  readonly core: Core;
  readonly history: HealthHistory;
  readonly media: MediaServices;
  /** Of the process that serves HTTP. */
  readonly playback: Playback | undefined;
}

export async function openRunning({ config, log, closers, signal }: Starting): Promise<Running> {
  const opened: { history?: HealthHistory; media?: MediaServices; playback?: Playback | undefined } = {};
  const core = await openCore(config, log, closers, async (base) => {
    signal.throwIfAborted();
    const media = await openMediaServices(base, { runsJobs: !isWorker(), signal });
    closers.add('media', () => media.close());
    // Closed after the ingest side, which is not there yet: it saves what the last packets showed.
    const history = new HealthHistory({ store: base.store, clock: base.clock, log });
    closers.add('history', () => history.close());
    const playback = isWorker() ? undefined : openPlayback(base);
    Object.assign(opened, { history, media, playback });
    const relays = playback?.tapSource ?? openRelayHost(base);
    return { ...media.hooks, taps: [...(media.hooks.taps ?? []), relays] };
  });
  const { history, media, playback } = opened;
  if (media === undefined || history === undefined) throw new Error('the media services were not opened');
  history.start(() => runningStreams(core));
  return { core, history, media, playback };
}

/** The streams that this process receives now, for the charts. */
function* runningStreams({ engine }: Core) {
  for (const publication of engine.publications.all()) {
    yield { liveVideoId: publication.liveVideoId, health: publication.health() };
  }
}
