/**
 * The metrics, one row each: name, help, kind, and how a process reads its value. What a process sends, the sum over processes, and
 * `/metrics` follow from the rows. A process reads the tables of what it has; those that each process has are in
 * `process-metrics.ts`.
 *
 * All label values come from fixed sets (catalogue codes, refusal reasons, roles), so that no stream, owner or address can add a series.
 */
import type { BroadcastEngine } from '../../broadcasts/broadcast-engine.js';
import type { CopyrightDetector } from '../../detection/detector.js';
import type { SoundTaps } from '../../detection/sound-taps.js';
import type { Playback } from '../../playback/playback.js';
import type { DeepProbe } from '../../probe/deep-probe.js';
import type { Recorder } from '../../recording/recorder.js';
import { CATALOGUE, CAUSE_CODES, catalogueEntry } from '../../rules/registry/catalogue.js';
import type { ErrorJournal } from '../../store/journal/error-journal.js';
import type { Retention } from '../../vod/cleanup/retention.js';
import type { HttpListener } from '../http/listener.js';
import { FORWARD_METRICS } from './forward-rows.js';
import { type Counts, type Metric, PROCESS_METRICS, rows } from './process-metrics.js';

interface JournalParts {
  readonly journal: Pick<ErrorJournal, 'pending' | 'dropped' | 'violations'>;
}

const CODES = CATALOGUE.map(({ code }) => String(code));

function ofCode(code: string): Readonly<Record<string, string>> {
  const { type, severity } = catalogueEntry(Number(code));
  return { error_code: code, error_type: type, severity };
}

/** In each process that has a journal. */
export const JOURNAL_METRICS = rows<JournalParts>()([
  {
    name: 'airlock_journal_pending',
    help: 'Changes of error records that the store does not have yet.',
    kind: 'gauge',
    read: ({ journal }) => journal.pending,
  },
  {
    name: 'airlock_journal_dropped_total',
    help: 'Changes of error records that were lost.',
    kind: 'counter',
    read: ({ journal }) => journal.dropped,
  },
  {
    // Codes that were never raised are 0, so that the first record is an increase.
    name: 'airlock_violations_total',
    help: 'Violations raised, by code of the error catalogue.',
    kind: 'counter',
    series: CODES,
    labels: ofCode,
    read: ({ journal }) => journal.violations.raised,
  },
  {
    name: 'airlock_violations_cleared_total',
    help: 'Violations that were over.',
    kind: 'counter',
    series: CODES,
    labels: ofCode,
    read: ({ journal }) => journal.violations.cleared,
  },
  {
    name: 'airlock_cause_total',
    help: 'Causes of disturbed streams that were named, by type.',
    kind: 'counter',
    series: CAUSE_CODES.map(String),
    labels: (code) => ({ cause: catalogueEntry(Number(code)).type }),
    read: ({ journal }) => journal.violations.raised,
  },
]);

interface IngestParts {
  readonly rtmp: {
    readonly connections: number;
    readonly counters: {
      readonly connectionsOpened: number;
      readonly handshakeFailures: number;
      readonly connectionsRefused: number;
      readonly publishesRefused: ReadonlyMap<string, number>;
    };
    totals(): { readonly bytesReceived: number; readonly messagesReceived: number };
  };
  readonly engine: { readonly publications: Pick<BroadcastEngine['publications'], 'size'> };
  readonly recorder: Pick<Recorder, 'counts'>;
  readonly probe: Pick<DeepProbe, 'counts'>;
  readonly sounds: Pick<SoundTaps, 'counts'>;
}

export const INGEST_METRICS = rows<IngestParts>()([
  {
    name: 'airlock_connections',
    help: 'RTMP connections now.',
    kind: 'gauge',
    read: ({ rtmp }) => rtmp.connections,
  },
  {
    name: 'airlock_publishers',
    help: 'Streams that are received now.',
    kind: 'gauge',
    read: ({ engine }) => engine.publications.size,
  },
  {
    name: 'airlock_connections_opened_total',
    help: 'RTMP connections accepted.',
    kind: 'counter',
    read: ({ rtmp }) => rtmp.counters.connectionsOpened,
  },
  {
    name: 'airlock_tls_handshake_failures_total',
    help: 'TLS handshakes that failed.',
    kind: 'counter',
    read: ({ rtmp }) => rtmp.counters.handshakeFailures,
  },
  {
    name: 'airlock_connections_refused_total',
    help: 'Connections refused before RTMP.',
    kind: 'counter',
    read: ({ rtmp }) => rtmp.counters.connectionsRefused,
  },
  {
    name: 'airlock_publishes_refused_total',
    help: 'Publishes refused.',
    kind: 'counter',
    label: 'reason',
    read: ({ rtmp }) => Object.fromEntries(rtmp.counters.publishesRefused),
  },
  {
    name: 'airlock_received_bytes_total',
    help: 'Bytes of RTMP received.',
    kind: 'counter',
    read: ({ rtmp }) => rtmp.totals().bytesReceived,
  },
  {
    name: 'airlock_received_packets_total',
    help: 'Audio, video and data messages received.',
    kind: 'counter',
    read: ({ rtmp }) => rtmp.totals().messagesReceived,
  },
  {
    name: 'airlock_recordings_paused',
    help: 'Broadcasts that are received and not recorded now, because the disk has no room or refused the recording.',
    kind: 'gauge',
    read: ({ recorder }) => recorder.counts.paused,
  },
  {
    name: 'airlock_recordings_stopped_total',
    help: 'Recordings that the disk ended or did not let begin.',
    kind: 'counter',
    read: ({ recorder }) => recorder.counts.stops,
  },
  {
    name: 'airlock_probe_samples_total',
    help: 'Samples that ffprobe was asked about.',
    kind: 'counter',
    read: ({ probe }) => probe.counts.samples,
  },
  {
    name: 'airlock_probe_skipped_total',
    help: 'Samples that were not checked: too many at a time, or the media process did not start or ended twice.',
    kind: 'counter',
    read: ({ probe }) => probe.counts.skipped,
  },
  {
    name: 'airlock_probe_disagreements_total',
    help: 'Samples on which ffprobe saw something else.',
    kind: 'counter',
    read: ({ probe }) => probe.counts.disagreements,
  },
  {
    // Counted where it is collected; a sample that is compared is counted where it is decoded.
    name: 'airlock_copyright_skipped_total',
    help: 'Samples of sound that were not compared.',
    kind: 'counter',
    read: ({ sounds }) => sounds.counts.skipped,
  },
]);

interface MediaParts {
  readonly detector: Pick<CopyrightDetector, 'state' | 'counts' | 'indexBytes' | 'decoders' | 'turns'>;
}

export const MEDIA_METRICS = rows<MediaParts>()([
  {
    name: 'airlock_copyright_on',
    help: '1 while sound is compared with copyright references.',
    kind: 'gauge',
    read: ({ detector }) => (detector.state.state === 'on' ? 1 : 0),
  },
  {
    name: 'airlock_copyright_unavailable',
    help: '1 if ffmpeg lacks the chromaprint muxer: no sound is compared with copyright references.',
    kind: 'gauge',
    read: ({ detector }) => (detector.state.state === 'unavailable' ? 1 : 0),
  },
  {
    name: 'airlock_copyright_references',
    help: 'Copyright references in the index.',
    kind: 'gauge',
    read: ({ detector }) => detector.state.references ?? 0,
  },
  {
    name: 'airlock_copyright_index_bytes',
    help: 'Memory of the index.',
    kind: 'gauge',
    read: ({ detector }) => detector.indexBytes,
  },
  {
    name: 'airlock_copyright_decoders',
    help: 'Decoders of sound that are kept, one for an owner.',
    kind: 'gauge',
    read: ({ detector }) => detector.decoders,
  },
  {
    name: 'airlock_copyright_streams',
    help: 'Broadcasts whose sound is compared with references: all of it, or by turns.',
    kind: 'gauge',
    label: 'state',
    series: ['continuous', 'turns'],
    read: ({ detector }) => ({ ...detector.turns }),
  },
  {
    name: 'airlock_copyright_samples_total',
    help: 'Samples of sound compared with references.',
    kind: 'counter',
    read: ({ detector }) => detector.counts.samples - detector.counts.failed,
  },
  {
    name: 'airlock_copyright_matches_total',
    help: 'Matches of running broadcasts with references.',
    kind: 'counter',
    read: ({ detector }) => detector.counts.matches,
  },
]);

interface WebParts {
  readonly playback: Pick<Playback, 'watching' | 'forwarded' | 'relayed' | 'childEnds'>;
  readonly feed: { readonly sockets: number };
  readonly bodies: { readonly held: number; readonly limit: number };
  readonly http: Pick<HttpListener, 'refusedSockets'>;
  readonly retention: Pick<Retention, 'removedBytes'>;
  readonly link: { readonly isDraining: boolean; restarts(role: (typeof ROLES)[number]): number };
}

const ROLES = ['store', 'ingest', 'media', 'web', 'forward'] as const;

export const WEB_METRICS = rows<WebParts>()([
  {
    name: 'airlock_recordings_removed_bytes_total',
    help: 'Bytes of recordings and their pictures removed because their retention is over.',
    kind: 'counter',
    read: ({ retention }) => retention.removedBytes,
  },
  {
    name: 'airlock_feed_readers',
    help: 'Readers of the live feed now.',
    kind: 'gauge',
    read: ({ feed }) => feed.sockets,
  },
  {
    name: 'airlock_playback_viewers',
    help: 'Who watches running broadcasts now, as FLV and as HLS.',
    kind: 'gauge',
    read: ({ playback }) => playback.watching,
  },
  {
    name: 'airlock_playback_forwarded',
    help: 'Viewers that are passed on to the server that receives the broadcast, which counts them too.',
    kind: 'gauge',
    read: ({ playback }) => playback.forwarded,
  },
  {
    name: 'airlock_playback_relays',
    help: 'Broadcasts that are relayed for viewers now.',
    kind: 'gauge',
    read: ({ playback }) => playback.relayed.length,
  },
  {
    name: 'airlock_playback_server_ends_total',
    help: 'Playback servers that exited unexpectedly; each is replaced.',
    kind: 'counter',
    read: ({ playback }) => playback.childEnds,
  },
  {
    name: 'airlock_http_body_bytes',
    help: 'Bytes of request bodies held in memory now.',
    kind: 'gauge',
    read: ({ bodies }) => bodies.held,
  },
  {
    name: 'airlock_http_body_limit_bytes',
    help: 'Bound of that memory; beyond it requests are refused.',
    kind: 'gauge',
    read: ({ bodies }) => bodies.limit,
  },
  {
    name: 'airlock_http_sockets_refused_total',
    help: 'Sockets of the HTTP port that were refused, or closed to make room.',
    kind: 'counter',
    read: ({ http }) => http.refusedSockets,
  },
  {
    name: 'airlock_draining',
    help: '1 while the server takes no new publisher: it was asked to drain.',
    kind: 'gauge',
    read: ({ link }) => (link.isDraining ? 1 : 0),
  },
  {
    name: 'airlock_role_restarts_total',
    help: 'Processes of a role that were replaced.',
    kind: 'counter',
    label: 'role',
    read: ({ link }) => Object.fromEntries(ROLES.map((role) => [role, link.restarts(role)])),
  },
  {
    name: 'airlock_ingest_process_ends_total',
    help: 'Ingest processes that exited unexpectedly; each is replaced.',
    kind: 'counter',
    read: ({ link }) => link.restarts('ingest'),
  },
]);

/** Read from the disk and the store; undefined: not known in time. */
export interface SharedParts {
  readonly spoolBytes: number | undefined;
  readonly disk: { readonly freeBytes: number; readonly reserveBytes: number } | undefined;
  readonly jobs: Counts | undefined;
  /** Wall-clock time. */
  readonly certificateExpiresMs: number | undefined;
  readonly storeName: string;
  readonly pingMs: number | undefined;
}

/** Metrics that all processes of a machine, or all machines of a store, share; never added up. */
export const SHARED_METRICS = rows<SharedParts>()([
  {
    name: 'airlock_spool_bytes',
    help: 'Recordings on this disk that are not yet a finished video.',
    kind: 'gauge',
    read: ({ spoolBytes = Number.NaN }) => spoolBytes,
  },
  {
    name: 'airlock_disk_free_bytes',
    help: 'Free bytes of the disk of the data folder.',
    kind: 'gauge',
    read: ({ disk }) => disk?.freeBytes ?? Number.NaN,
  },
  {
    name: 'airlock_disk_reserve_bytes',
    help: 'Free bytes of that disk below which recordings stop and uploads are refused.',
    kind: 'gauge',
    read: ({ disk }) => disk?.reserveBytes ?? Number.NaN,
  },
  {
    name: 'airlock_jobs',
    help: 'Media jobs that wait or run, of the whole store: servers that share one tell the same.',
    kind: 'gauge',
    label: 'kind',
    read: ({ jobs = {} }) => jobs,
  },
  {
    name: 'airlock_certificate_expires_timestamp_seconds',
    help: 'Unix time at which the first certificate of the chain of the listeners expires.',
    kind: 'gauge',
    read: ({ certificateExpiresMs = Number.NaN }) => certificateExpiresMs / 1000,
  },
  {
    name: 'airlock_store_up',
    help: '1 when the store answered a read and a write.',
    kind: 'gauge',
    label: 'kind',
    read: ({ storeName, pingMs }) => ({ [storeName]: pingMs === undefined ? 0 : 1 }),
  },
  {
    name: 'airlock_store_ping_seconds',
    help: 'How long the store took for one read and one write, measured now.',
    kind: 'gauge',
    read: ({ pingMs = Number.NaN }) => pingMs / 1000,
  },
]);

const TABLES = [
  ...PROCESS_METRICS,
  ...JOURNAL_METRICS,
  ...INGEST_METRICS,
  ...MEDIA_METRICS,
  ...FORWARD_METRICS,
  ...WEB_METRICS,
  ...SHARED_METRICS,
] as const;

export type MetricName = (typeof TABLES)[number]['name'];

/** All rows, without how they are read. */
export const METRICS: readonly (Omit<Metric<never>, 'read'> & { readonly name: MetricName })[] = TABLES;
