/** The source of each metric in a running server. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { answerQuestions } from '../cluster/ask-workers.js';
import type { RoleLink } from '../cluster/link.js';
import { workerChannel } from '../cluster/workers.js';
import { addSnapshots, type MetricsSnapshot } from '../metrics/snapshot.js';
import { METRICS_SUBJECT, WorkerMetrics } from '../metrics/workers.js';
import type { Running } from './running.js';

const NANOSECONDS = 1e9;

/** Numbers that only the process that serves HTTP has. */
type OfFirst = 'feedReaders' | 'ingestProcessEnds';

/** Answers with what this process counts now: each number is named, so that none is missing by omission. */
function processCounts({ core, media, playback }: Running): () => Omit<MetricsSnapshot, OfFirst> {
  const { engine, ingest, journal, violations } = core;
  const { counters } = ingest;
  const delay = monitorEventLoopDelay();
  delay.enable();
  return () => {
    const { bytesReceived, messagesReceived } = ingest.totals();
    const eventLoopDelaySeconds = delay.percentile(99) / NANOSECONDS;
    delay.reset();
    const recorder = media.vod.recorderCounts();
    return {
      connections: ingest.connections,
      publishers: engine.publications.size,
      journalPending: journal.pending,
      playbackViewers: playback?.watching ?? 0,
      playbackForwarded: playback?.forwarded ?? 0,
      playbackRelays: playback?.relayed.length ?? 0,
      recordingsPaused: recorder.paused,
      eventLoopDelaySeconds,
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
      violationsRaised: violations.raised,
      violationsCleared: violations.cleared,
    };
  };
}

/** Answers with what all processes of the server count. `feedReaders` are of the one that serves HTTP, which this is. */
export function serverCounts(
  parts: Running,
  link: RoleLink | undefined,
  feedReaders: () => number,
): () => Promise<MetricsSnapshot> {
  const own = processCounts(parts);
  const others =
    link === undefined ? undefined : new WorkerMetrics(workerChannel(link, METRICS_SUBJECT, ['ingest', 'media']));
  return async () => {
    const ours = { ...own(), feedReaders: feedReaders(), ingestProcessEnds: link?.restarts('ingest') ?? 0 };
    return others === undefined ? ours : addSnapshots([ours, await others.collect()]);
  };
}

/** In an ingest or media process: answers the web process. */
export function answerCounts(link: RoleLink, parts: Running): void {
  const own = processCounts(parts);
  answerQuestions<null, MetricsSnapshot>(link, METRICS_SUBJECT, () => ({
    ...own(),
    feedReaders: 0,
    ingestProcessEnds: 0,
  }));
}
