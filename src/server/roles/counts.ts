/** The source of each metric in a running server. */
import { answerQuestions } from '../cluster/ask-workers.js';
import type { RoleLink } from '../cluster/link.js';
import { workerChannel } from '../cluster/workers.js';
import { addSnapshots, EMPTY_SNAPSHOT, type MetricsSnapshot, usageCounts } from '../metrics/snapshot.js';
import { METRICS_SUBJECT, WorkerMetrics } from '../metrics/workers.js';
import type { Role } from '../supervisor/messages.js';
import type { ProcessLog } from '../system/log.js';
import { UsageMeter } from '../system/process-usage.js';
import type { Running, Starting } from './running.js';
import { supervisorCounts } from './usage.js';

type Counted = Omit<Running, 'history'>;

const ROLES: readonly Role[] = ['store', 'ingest', 'media', 'web'];
/** The label of a process that has all roles. */
const ALL_ROLES = 'all';

/** Values that only the process that serves HTTP has. */
type OfWeb = 'feedReaders' | 'httpBodyBytes' | 'httpBodyLimitBytes' | 'httpSocketsRefused';
type OfFirst = OfWeb | 'draining' | 'ingestProcessEnds' | 'roleRestarts';

/** The current counts of this process. Each is listed explicitly, so that the compiler reports a missing one. */
function processCounts(
  role: string,
  log: ProcessLog,
  { core, media, playback }: Counted,
): () => Omit<MetricsSnapshot, OfFirst> {
  const { engine, ingest, journal } = core;
  const { counters } = ingest;
  const usage = new UsageMeter(log);
  return () => {
    const { bytesReceived, messagesReceived } = ingest.totals();
    const recorder = media.vod.recorderCounts();
    return {
      ...usageCounts(role, usage.now()),
      connections: ingest.connections,
      publishers: engine.publications.size,
      journalPending: journal.pending,
      playbackViewers: playback?.watching ?? 0,
      playbackForwarded: playback?.forwarded ?? 0,
      playbackRelays: playback?.relayed.length ?? 0,
      recordingsPaused: recorder.paused,
      connectionsOpened: counters.connectionsOpened,
      handshakeFailures: counters.handshakeFailures,
      connectionsRefused: counters.connectionsRefused,
      publishesRefused: Object.fromEntries(counters.publishesRefused),
      bytesReceived,
      packetsReceived: messagesReceived,
      journalDropped: journal.dropped,
      recordingsStopped: recorder.stops,
      retentionBytes: media.vod.retentionBytes(),
      playbackServerEnds: playback?.childEnds ?? 0,
      probeSamples: media.deepProbe.counts.samples,
      probeSkipped: media.deepProbe.counts.skipped,
      probeDisagreements: media.deepProbe.counts.disagreements,
      ...copyrightCounts(media),
      violationsRaised: journal.violations.raised,
      violationsCleared: journal.violations.cleared,
    };
  };
}

/** A sample is counted where it is decoded, one that was skipped where it was collected. */
function copyrightCounts({ vod: { detector }, sounds }: Running['media']) {
  const { samples = 0, matches = 0, failed = 0 } = detector?.counts ?? {};
  return {
    copyrightOn: detector?.state.state === 'on' ? 1 : 0,
    copyrightUnavailable: detector?.state.state === 'unavailable' ? 1 : 0,
    copyrightReferences: detector?.state.references ?? 0,
    copyrightIndexBytes: detector?.indexBytes ?? 0,
    copyrightDecoders: detector?.decoders ?? 0,
    copyrightStreams: { ...detector?.turns },
    copyrightSamples: samples - failed,
    copyrightSkipped: sounds?.counts.skipped ?? 0,
    copyrightMatches: matches,
  };
}

/** The counts of all processes of the server. `ofWeb` are those of this process, which serves HTTP. */
export function serverCounts(
  { link, log }: Pick<Starting, 'link' | 'log'>,
  parts: Counted,
  ofWeb: () => Pick<MetricsSnapshot, OfWeb>,
): () => Promise<MetricsSnapshot> {
  const own = processCounts(link?.role ?? ALL_ROLES, log, parts);
  if (link === undefined) {
    return async () => ({ ...own(), ...ofWeb(), draining: 0, ingestProcessEnds: 0, roleRestarts: {} });
  }
  const others = new WorkerMetrics(workerChannel(link, METRICS_SUBJECT, ['store', 'ingest', 'media']));
  return async () => {
    const roleRestarts = Object.fromEntries(ROLES.map((role) => [role, link.restarts(role)]));
    const draining = link.isDraining ? 1 : 0;
    const ours = { ...own(), ...ofWeb(), draining, ingestProcessEnds: link.restarts('ingest'), roleRestarts };
    return addSnapshots([ours, supervisorCounts(link), await others.collect()]);
  };
}

/** In an ingest or media process: answers queries of the web process. */
export function answerCounts(link: RoleLink, log: ProcessLog, parts: Counted): void {
  const own = processCounts(link.role, log, parts);
  answerQuestions<null, MetricsSnapshot>(link, METRICS_SUBJECT, () => ({ ...EMPTY_SNAPSHOT, ...own() }));
}
