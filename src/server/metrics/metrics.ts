/**
 * `/metrics` for Prometheus. All label values come from fixed sets (catalogue codes, refusal reasons, methods, status
 * classes), so that no stream, owner or address can add a series.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { withTimeout } from '../../lib/timeout.js';
import type { Clock, Log, Store } from '../../ports/index.js';
import { CAUSE_CODES } from '../../rules/explained.js';
import { CATALOGUE, catalogueEntry } from '../../rules/registry/catalogue.js';
import { registerRoles } from './role-metrics.js';
import type { Counts, MetricsSnapshot, SharedSnapshot } from './snapshot.js';

export interface MetricsDeps {
  /** The sum over all processes of the server. */
  readonly snapshot: () => MetricsSnapshot | Promise<MetricsSnapshot>;
  /** Values read from the disk and the store. */
  readonly shared: {
    readonly [Name in keyof SharedSnapshot]-?: () => Promise<NonNullable<SharedSnapshot[Name]>>;
  };
  readonly store: Pick<Store, 'ping' | 'name'>;
  /** Whether a token may read metrics. Requests from this machine need none. */
  readonly authorize: (token: string, request: IncomingMessage) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Metrics {
  /** Answers GET; requests from other machines need a token. */
  readonly handler: RequestListener;
  /** Counts and times the responses of a handler. */
  watch(handler: RequestListener): RequestListener;
}

/** Values of a slower disk or store are omitted from the response. */
const ANSWER_MS = 2_000;
/** Of prom-client's own measurement, which would wake an idle process 100 times a second; ours is in the snapshot. */
const DEFAULT_DELAY_MS = 10_000;
/** A bound on label values; refusal reasons come from the code, so it is never reached. */
const REASONS_MAX = 40;
/** For every response: browsers must neither cache nor render it. */
const SAFE = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};
const METHODS = new Set(['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS']);

export function createMetrics(deps: MetricsDeps): Metrics {
  const { log } = deps;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: DEFAULT_DELAY_MS });
  const show = registerSnapshot(registry);
  const showRoles = registerRoles(registry);
  const storeUp = new Gauge({
    name: 'airlock_store_up',
    help: '1 when the store answered a read and a write.',
    labelNames: ['kind'],
    registers: [registry],
  });
  const storePing = new Gauge({
    name: 'airlock_store_ping_seconds',
    help: 'How long the store took for one read and one write, measured now.',
    registers: [registry],
  });
  const requests = new Histogram({
    name: 'airlock_http_request_seconds',
    help: 'Time to the last byte of an answer of the HTTP interface.',
    labelNames: ['method', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  });

  let collecting: Promise<string> | undefined;
  /** Concurrent requests share one response. */
  function text(): Promise<string> {
    collecting ??= collect().finally(() => {
      collecting = undefined;
    });
    return collecting;
  }

  async function collect(): Promise<string> {
    const [snapshot, spoolBytes, disk, jobs, pingMs] = await Promise.all([
      deps.snapshot(),
      known(deps.shared.spoolBytes(), (error) => log.warn({ error }, 'the recordings could not be measured')),
      known(deps.shared.disk(), (error) => log.warn({ error }, 'the free space of the disk could not be read')),
      known(deps.shared.jobs(), (error) => log.warn({ error }, 'the media jobs could not be counted')),
      ping(deps),
    ]);
    show(snapshot, { spoolBytes, disk, jobs });
    showRoles(snapshot);
    storeUp.set({ kind: deps.store.name }, pingMs === undefined ? 0 : 1);
    storePing.set(pingMs === undefined ? Number.NaN : pingMs / 1000);
    return registry.metrics();
  }

  return {
    handler: (request, response) => {
      request.resume();
      answer(deps, request, response, text, registry.contentType).catch((error: unknown) => {
        log.error({ error }, 'the metrics could not be collected');
        if (!response.headersSent) response.writeHead(500, SAFE);
        response.end();
      });
    },
    watch: (handler) => (request, response) => {
      const startMs = deps.clock.monotonicMs();
      response.once('finish', () => {
        const method = METHODS.has(request.method ?? '') ? (request.method ?? '') : 'other';
        const status = `${Math.floor(response.statusCode / 100)}xx`;
        requests.observe({ method, status }, (deps.clock.monotonicMs() - startMs) / 1000);
      });
      handler(request, response);
    },
  };
}

async function answer(
  deps: MetricsDeps,
  request: IncomingMessage,
  response: ServerResponse,
  text: () => Promise<string>,
  contentType: string,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { ...SAFE, Allow: 'GET, HEAD' }).end();
    return;
  }
  if (!(await isAllowed(deps, request))) {
    response.writeHead(401, { ...SAFE, 'WWW-Authenticate': 'Bearer' }).end();
    return;
  }
  const body = await text();
  response.writeHead(200, { ...SAFE, 'Content-Type': contentType });
  response.end(request.method === 'HEAD' ? undefined : body);
}

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;

/** A forwarding header means that the client is behind a proxy on this machine. */
async function isAllowed(deps: MetricsDeps, request: IncomingMessage): Promise<boolean> {
  const { headers, socket } = request;
  const forwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  if (!forwarded && LOOPBACK.test(socket.remoteAddress ?? '')) return true;
  const token = /^Bearer (\S{1,4096})$/.exec(headers.authorization ?? '')?.[1];
  return token !== undefined && deps.authorize(token, request);
}

/** Milliseconds, or `undefined` when the store does not respond in time. */
async function ping({ store, clock }: MetricsDeps): Promise<number | undefined> {
  const startMs = clock.monotonicMs();
  const asked = store.ping().then(() => true);
  // `airlock_store_up` reports the failure.
  const up = await known(asked, () => undefined);
  return up === undefined ? undefined : clock.monotonicMs() - startMs;
}

/** `undefined`: it failed or timed out. */
async function known<Value>(asked: Promise<Value>, onError: (error: unknown) => void): Promise<Value | undefined> {
  const answer = asked.catch((error: unknown) => {
    onError(error);
    return undefined;
  });
  return withTimeout(answer, ANSWER_MS, () => undefined);
}

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
  ['airlock_copyright_references', 'Copyright references in the index.', 'copyrightReferences'],
  ['airlock_copyright_index_bytes', 'Memory of the index.', 'copyrightIndexBytes'],
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
function registerSnapshot(registry: Registry): (snapshot: MetricsSnapshot, shared: SharedSnapshot) => void {
  const registers = [registry];
  const gauges = GAUGES.map(([name, help, from]) => ({ gauge: new Gauge({ name, help, registers }), from }));
  const counters = COUNTERS.map(([name, help, from]) => ({ counter: new Counter({ name, help, registers }), from }));
  const spool = new Gauge({
    name: 'airlock_spool_bytes',
    help: 'Recordings on this disk that are not yet a finished video.',
    registers,
  });
  const diskFree = new Gauge({
    name: 'airlock_disk_free_bytes',
    help: 'Free bytes of the disk of the data folder.',
    registers,
  });
  const diskReserve = new Gauge({
    name: 'airlock_disk_reserve_bytes',
    help: 'Free bytes of that disk below which recordings stop and uploads are refused.',
    registers,
  });
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

  return (snapshot, { spoolBytes = Number.NaN, disk, jobs: depths = {} }) => {
    spool.set(spoolBytes);
    diskFree.set(disk?.freeBytes ?? Number.NaN);
    diskReserve.set(disk?.reserveBytes ?? Number.NaN);
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
