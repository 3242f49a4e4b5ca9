/** `/metrics` for Prometheus, from the rows of `rows.ts`. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { FORWARDING_HEADERS } from '../../lib/client-address.js';
import { SAFE_HEADERS } from '../../lib/http-refusals.js';
import { withTimeout } from '../../lib/timeout.js';
import type { Clock, Log, Store } from '../../ports/index.js';
import { type Counts, read, type Values } from './process-metrics.js';
import { METRICS, SHARED_METRICS, type SharedParts } from './rows.js';

/** Values that are read of the disk and the store. */
type Read = Omit<SharedParts, 'storeName' | 'pingMs'>;

export interface MetricsDeps {
  /** The sum over all processes of the server. */
  readonly values: () => Values | Promise<Values>;
  /** Values read from the disk and the store. */
  readonly shared: {
    readonly [Name in keyof Read]-?: () => Promise<NonNullable<Read[Name]>>;
  };
  readonly store: Pick<Store, 'ping' | 'name'>;
  /** Requests from this machine need no token, unless a header says that they were forwarded. */
  readonly isOpenToLoopback: boolean;
  /** Whether a token may read metrics. */
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
/** Delay of prom-client's own measurement, which would wake an idle process 100 times a second; ours is in the snapshot. */
const DEFAULT_DELAY_MS = 10_000;
/** For every response: browsers must neither cache nor render it. */
const SAFE = {
  'Cache-Control': 'no-store',
  ...SAFE_HEADERS,
};
const METHODS = new Set(['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS']);

export function createMetrics(deps: MetricsDeps): Metrics {
  const { log } = deps;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: DEFAULT_DELAY_MS });
  const metrics = METRICS.map((row) => ({ row, metric: register(registry, row) }));
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
    const [values, spoolBytes, disk, jobs, certificateExpiresMs, pingMs] = await Promise.all([
      deps.values(),
      known(deps.shared.spoolBytes(), log, 'the recordings could not be measured'),
      known(deps.shared.disk(), log, 'the free space of the disk could not be read'),
      known(deps.shared.jobs(), log, 'the media jobs could not be counted'),
      known(deps.shared.certificateExpiresMs(), log, 'the certificate could not be read'),
      ping(deps),
    ]);
    const storeName = deps.store.name;
    const shared = read(SHARED_METRICS, { spoolBytes, disk, jobs, certificateExpiresMs, storeName, pingMs });
    const all: Values = { ...values, ...shared };
    for (const { row, metric } of metrics) show(metric, row, all[row.name] ?? (isLabelled(row) ? {} : 0));
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

type Row = (typeof METRICS)[number];
type Labels = Readonly<Record<string, string>>;

const isLabelled = ({ label, labels }: Row): boolean => label !== undefined || labels !== undefined;

function labelsOf({ label = '', labels }: Row, series: string): Labels {
  return labels === undefined ? { [label]: series } : labels(series);
}

function register(registry: Registry, row: Row): Gauge | Counter {
  const { name, help, kind } = row;
  const labelNames = isLabelled(row) ? Object.keys(labelsOf(row, row.series?.[0] ?? '')) : [];
  const options = { name, help, labelNames, registers: [registry] };
  return kind === 'gauge' ? new Gauge(options) : new Counter(options);
}

/** A bound on label values; they come from the code, so it is never reached. */
const SERIES_MAX = 40;

/** Counters are set to their totals. */
function show(metric: Gauge | Counter, row: Row, value: number | Counts): void {
  metric.reset();
  const put = (labels: Labels, amount: number) =>
    metric instanceof Gauge && Number.isNaN(amount) ? metric.set(labels, amount) : metric.inc(labels, amount);
  if (typeof value === 'number') put({}, value);
  else if (row.series !== undefined) for (const key of row.series) put(labelsOf(row, key), value[key] ?? 0);
  else
    for (const [index, [key, amount]] of Object.entries(value).entries())
      put(labelsOf(row, index < SERIES_MAX ? key : 'other'), amount);
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

async function isAllowed(deps: MetricsDeps, request: IncomingMessage): Promise<boolean> {
  const { headers, socket } = request;
  const isForwarded = FORWARDING_HEADERS.some((name) => headers[name] !== undefined);
  if (deps.isOpenToLoopback && !isForwarded && LOOPBACK.test(socket.remoteAddress ?? '')) return true;
  const token = /^Bearer (\S{1,4096})$/.exec(headers.authorization ?? '')?.[1];
  return token !== undefined && deps.authorize(token, request);
}

/** Milliseconds, or `undefined` when the store does not respond in time. */
async function ping({ store, clock }: MetricsDeps): Promise<number | undefined> {
  const startMs = clock.monotonicMs();
  const asked = store.ping().then(() => true);
  // `airlock_store_up` reports the failure.
  const up = await known(asked);
  return up === undefined ? undefined : clock.monotonicMs() - startMs;
}

/** `undefined`: it failed, which is logged, or timed out. */
async function known<Value>(asked: Promise<Value>, log?: Log, failure = ''): Promise<Value | undefined> {
  const answer = asked.catch((error: unknown) => {
    log?.warn({ error }, failure);
    return undefined;
  });
  return withTimeout(answer, ANSWER_MS, () => undefined);
}
