/** The services of every server process: the core with its taps, media services, health history, playback. */
import type { CertificateChange as Pair } from '../../config/certificates/certificate-watch.js';
import type { CertificatePaths } from '../../config/certificates/certificates.js';
import type { Config } from '../../config/settings/schema.js';
import { HealthHistory } from '../../dashboard/history/history.js';
import type { Playback } from '../../playback/playback.js';
import type { RoleLink } from '../cluster/link.js';
import { MediaImages } from '../cluster/media-images.js';
import { MediaSamples, SAMPLES_SUBJECT } from '../cluster/media-samples.js';
import { MediaSounds, SOUNDS_SUBJECT, WITNESS_SUBJECT } from '../cluster/media-sounds.js';
import { samplesFolder } from '../cluster/sample-files.js';
import { workerChannel } from '../cluster/workers.js';
import { type Core, type CoreBase, type CoreHooks, openCore } from '../services/core.js';
import { type MediaOptions, type MediaServices, openMediaServices } from '../services/media.js';
import { openPlayback, openRelayHost } from '../services/playback.js';
import { openSandbox } from '../services/sandbox.js';
import type { Role } from '../supervisor/messages.js';
import type { Closers } from '../system/closers.js';
import type { ProcessLog } from '../system/log.js';

/** Input of each step of the start. */
export interface Starting {
  readonly config: Config;
  readonly log: ProcessLog;
  /** Each service registers here once it is open, for the shutdown and for a failed start. */
  readonly closers: Closers;
  /** Aborted when the process is stopped during its start. */
  readonly signal: AbortSignal;
  /** Absent: this process has all roles. */
  readonly link?: RoleLink;
  /** This process exports traces. */
  readonly isTraced?: boolean;
}

/** The certificate in use, and the files that are watched for changes. */
export interface Certificate {
  readonly paths: CertificatePaths;
  readonly pair: Pair;
}

export interface Running {
  readonly core: Core;
  readonly history: HealthHistory;
  readonly media: MediaServices;
  /** In the process that serves HTTP. */
  readonly playback: Playback | undefined;
}

export async function openRunning(starting: Starting): Promise<Running> {
  const { config, log, closers, signal, link, isTraced = false } = starting;
  const has = (role: Role): boolean => link === undefined || link.role === role;
  const opened: { history?: HealthHistory; media?: MediaServices; playback?: Playback | undefined } = {};
  const extend = async (base: CoreBase): Promise<CoreHooks> => {
    signal.throwIfAborted();
    const elsewhere = link === undefined || has('media') ? undefined : samplesElsewhere(config, link);
    const cage = elsewhere === undefined || has('web') ? await openSandbox(base, signal) : undefined;
    const soundsElsewhere = link?.role === 'ingest' ? comparedElsewhere(config, link) : undefined;
    const receivesStreams = has('ingest');
    const media = await openMediaServices(base, { elsewhere, soundsElsewhere, receivesStreams, cage, signal });
    closers.add('media', () => media.close());
    // Opened before ingest and so closed after it, to save the values of the last packets.
    const history = new HealthHistory({ store: base.store, clock: base.clock, log });
    closers.add('history', () => history.close());
    const playback = has('web') && cage !== undefined ? openPlayback(base, cage, link) : undefined;
    Object.assign(opened, { history, media, playback });
    const relays = playback?.tapSource ?? (link?.role === 'ingest' ? openRelayHost(base, link) : undefined);
    return { ...media.hooks, taps: [...(media.hooks.taps ?? []), ...(relays === undefined ? [] : [relays])] };
  };
  const core = await openCore(config, log, closers, {
    extend,
    isStoreServed: link !== undefined,
    marksPending: link?.role === 'ingest',
    isTraced,
  });
  const { history, media, playback } = opened;
  if (media === undefined || history === undefined) throw new Error('the media services were not opened');
  // The media process neither samples nor shows charts, and another one deletes them.
  if (has('ingest') || has('web')) history.start(has('ingest') ? () => runningStreams(core) : undefined);
  return { core, history, media, playback };
}

/** Only the media process parses untrusted media. */
function samplesElsewhere({ dataDir }: Config, link: RoleLink): NonNullable<MediaOptions['elsewhere']> {
  const folder = samplesFolder(dataDir);
  const samples = new MediaSamples(folder, workerChannel(link, SAMPLES_SUBJECT, ['media']));
  const images = new MediaImages(folder, {
    picture: workerChannel(link, 'picture', ['media']),
    still: workerChannel(link, 'still', ['media']),
  });
  return {
    get hasRoomForStill() {
      return images.hasRoomForStill;
    },
    still: (flv) => images.still(flv),
    get hasRoomForSample() {
      return samples.hasRoomForSample;
    },
    sample: (flv) => samples.sample(flv),
    get hasRoomForPicture() {
      return images.hasRoomForPicture;
    },
    picture: (flv) => images.picture(flv),
  };
}

function comparedElsewhere({ dataDir }: Config, link: RoleLink): MediaSounds {
  return new MediaSounds(
    samplesFolder(dataDir),
    workerChannel(link, SOUNDS_SUBJECT, ['media']),
    workerChannel(link, WITNESS_SUBJECT, ['media']),
  );
}

/** The streams that this process is receiving, for the charts. */
function* runningStreams({ engine }: Core) {
  for (const publication of engine.publications.all()) {
    yield { liveVideoId: publication.liveVideoId, health: publication.health() };
  }
}
