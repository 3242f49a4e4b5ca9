/** The metrics of the counts: name, help and field of each, and how they are set from a snapshot. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { CATALOGUE, CAUSE_CODES, catalogueEntry } from '../../rules/registry/catalogue.js';
import type { Counts, MetricsSnapshot, SharedSnapshot } from './snapshot.js';

/** A bound on label values; refusal reasons come from the code, so it is never reached. */
const REASONS_MAX = 40;

type NumberOf = {
  [Key in keyof MetricsSnapshot]: MetricsSnapshot[Key] extends number ? Key : never;
}[keyof MetricsSnapshot];

const GAUGES: readonly (readonly [name: string, help: string, from: NumberOf])[] = [
  ['airlock_connections', 'RTMP connections now.', 'connections'],
  ['airlock_publishers', 'Streams that are received now.', 'publishers'],
  ['airlock_feed_readers', 'Readers of the live feed now.', 'feedReaders'],
  ['airlock_journal_pending', 'Changes of error records that the store does not have yet.', 'journalPending'],
  ['airlock_playback_viewers', 'Who watches running broadcasts now, as FLV and as HLS.', 'playbackViewers'],
  [
    'airlock_playback_forwarded',
    'Viewers that are passed on to the server that receives the broadcast.',
    'playbackForwarded',
  ],
  ['airlock_playback_relays', 'Broadcasts that are relayed for viewers now.', 'playbackRelays'],
  [
    'airlock_recordings_paused',
    'Broadcasts that are received and not recorded now, because the disk has no room or refused the recording.',
    'recordingsPaused',
  ],
  [
    'airlock_event_loop_delay_p99_seconds',
    'Delay of the event loop since the last answer, 99th percentile, in the process where it is highest.',
    'eventLoopDelaySeconds',
  ],
  ['airlock_copyright_on', '1 while sound is compared with copyright references.', 'copyrightOn'],
  [
    'airlock_copyright_unavailable',
    '1 if ffmpeg lacks the chromaprint muxer: no sound is compared with copyright references.',
    'copyrightUnavailable',
  ],
  ['airlock_copyright_references', 'Copyright references in the index.', 'copyrightReferences'],
  ['airlock_copyright_index_bytes', 'Memory of the index.', 'copyrightIndexBytes'],
  ['airlock_copyright_decoders', 'Decoders of sound that are kept, one for an owner.', 'copyrightDecoders'],
  ['airlock_http_body_bytes', 'Bytes of request bodies held in memory now.', 'httpBodyBytes'],
  ['airlock_http_body_limit_bytes', 'Bound of that memory; beyond it requests are refused.', 'httpBodyLimitBytes'],
];

const COUNTERS: readonly (readonly [name: string, help: string, from: NumberOf])[] = [
  ['airlock_connections_opened_total', 'RTMP connections accepted.', 'connectionsOpened'],
  ['airlock_tls_handshake_failures_total', 'TLS handshakes that failed.', 'handshakeFailures'],
  ['airlock_connections_refused_total', 'Connections refused before RTMP.', 'connectionsRefused'],
  ['airlock_received_bytes_total', 'Bytes of RTMP received.', 'bytesReceived'],
  ['airlock_received_packets_total', 'Audio, video and data messages received.', 'packetsReceived'],
  ['airlock_journal_dropped_total', 'Changes of error records that were lost.', 'journalDropped'],
  ['airlock_log_lines_dropped_total', 'Lines of the log that could not be written.', 'logLinesDropped'],
  ['airlock_recordings_stopped_total', 'Recordings that the disk ended or did not let begin.', 'recordingsStopped'],
  [
    'airlock_recordings_removed_bytes_total',
    'Bytes of recordings and their pictures removed because their retention is over.',
    'retentionBytes',
  ],
  [
    'airlock_playback_server_ends_total',
    'Playback servers that exited unexpectedly; each is replaced.',
    'playbackServerEnds',
  ],
  [
    'airlock_ingest_process_ends_total',
    'Ingest processes that exited unexpectedly; each is replaced.',
    'ingestProcessEnds',
  ],
  [
    'airlock_http_sockets_refused_total',
    'Sockets of the HTTP port that were refused, or closed to make room.',
    'httpSocketsRefused',
  ],
  ['airlock_probe_samples_total', 'Samples that ffprobe was asked about.', 'probeSamples'],
  [
    'airlock_probe_skipped_total',
    'Samples that were not checked: too many at a time, or no media process.',
    'probeSkipped',
  ],
  ['airlock_copyright_samples_total', 'Samples of sound compared with references.', 'copyrightSamples'],
  ['airlock_copyright_skipped_total', 'Samples of sound that were not compared.', 'copyrightSkipped'],
  ['airlock_copyright_matches_total', 'Matches of running broadcasts with references.', 'copyrightMatches'],
  ['airlock_probe_disagreements_total', 'Samples on which ffprobe saw something else.', 'probeDisagreements'],
];

/** Returns the function that sets them. Counters are set to the totals of the snapshot. */
export function registerSnapshot(registry: Registry): (snapshot: MetricsSnapshot, shared: SharedSnapshot) => void {
  const registers = [registry];
  const gauges = GAUGES.map(([name, help, from]) => ({ gauge: new Gauge({ name, help, registers }), from }));
  const counters = COUNTERS.map(([name, help, from]) => ({ counter: new Counter({ name, help, registers }), from }));
  const setMachine = machineGauges(registers);
  const jobs = new Gauge({
    name: 'airlock_jobs',
    help: 'Media jobs that wait or run, of the whole store: servers that share one tell the same.',
    labelNames: ['kind'],
    registers,
  });
  const refused = new Counter({
    name: 'airlock_publishes_refused_total',
    help: 'Publishes refused.',
    labelNames: ['reason'],
    registers,
  });
  const violation = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['error_code', 'error_type', 'severity'], registers });
  const raised = violation('airlock_violations_total', 'Violations raised, by code of the error catalogue.');
  const cleared = violation('airlock_violations_cleared_total', 'Violations that were over.');
  const setCauses = causeCounter(registers);
  const setCompared = comparedGauge(registers);

  return (snapshot, shared) => {
    const { jobs: depths = {} } = shared;
    setMachine(shared);
    for (const { gauge, from } of gauges) gauge.set(snapshot[from]);
    for (const { counter, from } of counters) {
      counter.reset();
      counter.inc(snapshot[from]);
    }
    jobs.reset();
    for (const [kind, count] of Object.entries(depths).slice(0, REASONS_MAX)) jobs.set({ kind }, count);
    setCompared(snapshot.copyrightStreams);
    refused.reset();
    for (const [index, [reason, count]] of Object.entries(snapshot.publishesRefused).entries()) {
      refused.inc({ reason: index < REASONS_MAX ? reason : 'other' }, count);
    }
    setCauses(snapshot.violationsRaised);
    for (const [counter, counts] of [
      [raised, snapshot.violationsRaised],
      [cleared, snapshot.violationsCleared],
    ] as const) {
      counter.reset();
      // Codes that were never raised are 0, so that the first record is an increase.
      for (const { code, type, severity } of CATALOGUE) {
        counter.inc({ error_code: code, error_type: type, severity }, counts[code] ?? 0);
      }
    }
  };
}

/** The disk of the data folder and the certificate. */
function machineGauges(registers: Registry[]): (shared: SharedSnapshot) => void {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const spool = gauge('airlock_spool_bytes', 'Recordings on this disk that are not yet a finished video.');
  const diskFree = gauge('airlock_disk_free_bytes', 'Free bytes of the disk of the data folder.');
  const diskReserve = gauge(
    'airlock_disk_reserve_bytes',
    'Free bytes of that disk below which recordings stop and uploads are refused.',
  );
  const certificate = gauge(
    'airlock_certificate_expires_timestamp_seconds',
    'Unix time at which the first certificate of the chain of the listeners expires.',
  );
  return ({ spoolBytes = Number.NaN, disk, certificateExpiresMs = Number.NaN }) => {
    spool.set(spoolBytes);
    diskFree.set(disk?.freeBytes ?? Number.NaN);
    diskReserve.set(disk?.reserveBytes ?? Number.NaN);
    certificate.set(certificateExpiresMs / 1000);
  };
}

function comparedGauge(registers: Registry[]): (streams: Counts) => void {
  const gauge = new Gauge({
    name: 'airlock_copyright_streams',
    help: 'Broadcasts whose sound is compared with references: all of it, or by turns.',
    labelNames: ['state'],
    registers,
  });
  return (streams) => {
    for (const state of ['continuous', 'turns']) gauge.set({ state }, streams[state] ?? 0);
  };
}

/** Causes by type, from the counts of their records. */
function causeCounter(registers: Registry[]): (raised: Counts) => void {
  const causes = new Counter({
    name: 'airlock_cause_total',
    help: 'Causes of disturbed streams that were named, by type.',
    labelNames: ['cause'],
    registers,
  });
  return (raised) => {
    causes.reset();
    for (const code of CAUSE_CODES) causes.inc({ cause: catalogueEntry(code).type }, raised[code] ?? 0);
  };
}
