import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StoreUnavailableError } from '../../../../src/ports/index.js';
import { CATALOGUE } from '../../../../src/rules/registry/catalogue.js';
import { createMetrics, type MetricsDeps } from '../../../../src/server/metrics/metrics.js';
import { PROCESS_METRICS, read, type Values } from '../../../../src/server/metrics/process-metrics.js';
import { sum } from '../../../../src/server/metrics/values.js';
import { ANALYSIS_ENTRIES } from '../../../support/analysis-codes.js';
import { memoryLog, realClock } from '../../../support/store-harness.js';

const VALUES: Values = {
  airlock_publishers: 3,
  airlock_received_bytes_total: 5_000,
  airlock_publishes_refused_total: { 'unknown-key': 2 },
  airlock_violations_total: { 6208: 4 },
};
const SHARED = {
  spoolBytes: async () => 7_000_000,
  disk: async () => ({ freeBytes: 40_000_000, reserveBytes: 10_000_000 }),
  jobs: async () => ({ recording: 2, upload: 0 }),
  certificateExpiresMs: async () => 1_800_000_000_000,
};

let values: Values = VALUES;
let shared: MetricsDeps['shared'] = SHARED;
let log = memoryLog();
let ping: () => Promise<void> = async () => undefined;
let isOpenToLoopback = true;
let server: Server;

beforeEach(async () => {
  isOpenToLoopback = true;
  values = VALUES;
  shared = SHARED;
  log = memoryLog();
  ping = async () => undefined;
  const metrics = createMetrics({
    values: () => values,
    shared: {
      spoolBytes: () => shared.spoolBytes(),
      disk: () => shared.disk(),
      jobs: () => shared.jobs(),
      certificateExpiresMs: () => shared.certificateExpiresMs(),
    },
    store: { name: 'lmdb', ping: () => ping() },
    get isOpenToLoopback() {
      return isOpenToLoopback;
    },
    authorize: async (token) => token === 'good',
    clock: realClock,
    log,
  });
  const site = metrics.watch((_request, response) => response.writeHead(404).end());
  server = createServer((request, response) =>
    (request.url === '/metrics' ? metrics.handler : site)(request, response),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => new Promise((resolve) => server.close(resolve)));

function ask(
  path = '/metrics',
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    const call = httpRequest({ port, host: '127.0.0.1', path, headers, method, agent: false }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, text });
    });
    call.once('error', reject).end();
  });
}

test('exports the current snapshot, with totals as counters', async () => {
  const { text } = await ask();
  expect(text).toContain('\nairlock_publishers 3\n');
  expect(text).toContain('\nairlock_received_bytes_total 5000\n');
  expect(text).toContain('airlock_publishes_refused_total{reason="unknown-key"} 2');
  expect(text).toContain(
    'airlock_violations_total{error_code="6208",error_type="KEY_FRAME_INTERVAL_TOO_LONG",severity="error"} 4',
  );
  expect(text).toContain('airlock_jobs{kind="recording"} 2');
  expect(text).toContain('airlock_jobs{kind="upload"} 0');
  expect(text).toContain('\nairlock_spool_bytes 7000000\n');
  expect(text).toContain('\nairlock_disk_free_bytes 40000000\n');
  expect(text).toContain('\nairlock_disk_reserve_bytes 10000000\n');
  expect(text).toContain('\nairlock_certificate_expires_timestamp_seconds 1800000000\n');
  expect(text).toContain('airlock_store_up{kind="lmdb"} 1');
  expect(text).toMatch(/nodejs_eventloop_lag_p99_seconds \d/);
  values = { ...VALUES, airlock_publishers: 1, airlock_received_bytes_total: 9_000 };
  shared = { ...SHARED, jobs: async () => ({ upload: 1 }) };
  const later = (await ask()).text;
  expect(later).toContain('\nairlock_publishers 1\n');
  expect(later).toContain('\nairlock_received_bytes_total 9000\n');
  expect(later.match(/^airlock_jobs\{.*/gm)).toEqual(['airlock_jobs{kind="upload"} 1']);
});

test('omits values that are unknown instead of exporting zero', async () => {
  const away = () => Promise.reject(new StoreUnavailableError('away'));
  shared = { spoolBytes: away, disk: away, jobs: away, certificateExpiresMs: away };
  const { status, text } = await ask();
  expect(status).toBe(200);
  expect(text).toContain('\nairlock_spool_bytes Nan\n');
  expect(text).toContain('\nairlock_disk_free_bytes Nan\n');
  expect(text).toContain('\nairlock_certificate_expires_timestamp_seconds Nan\n');
  expect(text).not.toContain('airlock_jobs{');
  expect(log.lines.map(({ message }) => message)).toEqual([
    'the recordings could not be measured',
    'the free space of the disk could not be read',
    'the media jobs could not be counted',
    'the certificate could not be read',
  ]);
});

test('concurrent requests share one snapshot', async () => {
  let looks = 0;
  let look = (_bytes: number): void => undefined;
  const looked = new Promise<number>((resolve) => {
    look = resolve;
  });
  shared = {
    ...SHARED,
    spoolBytes: () => {
      looks++;
      return looked;
    },
  };
  const asked = [ask(), ask()];
  while (looks === 0) await new Promise((resolve) => setImmediate(resolve));
  await ask('/other');
  look(1);
  for (const { text } of await Promise.all(asked)) expect(text).toContain('\nairlock_spool_bytes 1\n');
  expect(looks).toBe(1);
});

test('has one series for each code of the catalogue, and none for anything else', async () => {
  values = { ...VALUES, airlock_violations_total: { 6208: 1, 12345: 7 } };
  const { text } = await ask();
  expect(text.match(/^airlock_violations_total\{/gm)).toHaveLength(CATALOGUE.length);
  expect(text.match(/^airlock_cause_total\{cause="[A-Z_]+"\} 0$/gm)).toHaveLength(8);
  expect(text).not.toContain('12345');
});

test('counts the codes beyond the published document, and causes by their type', async () => {
  const raised = Object.fromEntries(ANALYSIS_ENTRIES.map(({ code }) => [code, code]));
  values = { ...VALUES, airlock_violations_total: raised, airlock_cause_total: raised };
  const { text } = await ask();
  for (const { code, type, severity } of ANALYSIS_ENTRIES) {
    const labels = `error_code="${code}",error_type="${type}",severity="${severity}"`;
    expect(text).toContain(`\nairlock_violations_total{${labels}} ${code}\n`);
    if (code > 6900) expect(text).toContain(`\nairlock_cause_total{cause="${type}"} ${code}\n`);
  }
});

test('folds reasons beyond a bound into one', async () => {
  const refused = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`reason-${index}`, 1]));
  values = { ...VALUES, airlock_publishes_refused_total: refused };
  const { text } = await ask();
  expect(text.match(/^airlock_publishes_refused_total\{/gm)).toHaveLength(41);
  expect(text).toContain('airlock_publishes_refused_total{reason="other"} 20');
});

test('reports an unavailable store instead of failing', async () => {
  ping = () => Promise.reject(new StoreUnavailableError('away'));
  const { status, text } = await ask();
  expect(status).toBe(200);
  expect(text).toContain('airlock_store_up{kind="lmdb"} 0');
  expect(text).toContain('airlock_store_ping_seconds Nan');
});

test.each([
  ['from this machine', {}, 200],
  ['through a proxy on it', { 'x-forwarded-for': '203.0.113.7' }, 401],
  ['through a proxy with a wrong token', { 'x-forwarded-for': '203.0.113.7', authorization: 'Bearer bad' }, 401],
  ['through a proxy that names itself', { via: '1.1 proxy' }, 401],
  ['through a proxy that names the client', { 'x-real-ip': '203.0.113.7' }, 401],
  ['through a proxy with a token', { forwarded: 'for=203.0.113.7', authorization: 'Bearer good' }, 200],
])('asked %s is answered as it should', async (_, headers, status) => {
  expect((await ask('/metrics', headers)).status).toBe(status);
});

test('needs a token of this machine too where a proxy that adds no header may be on it', async () => {
  isOpenToLoopback = false;
  expect((await ask('/metrics')).status).toBe(401);
  expect((await ask('/metrics', { authorization: 'Bearer good' })).status).toBe(200);
});

test('refuses methods other than GET', async () => {
  expect((await ask('/metrics', {}, 'POST')).status).toBe(405);
});

test('times the responses of other handlers, by method and class of status', async () => {
  await ask('/a/b', {}, 'PATCH');
  await ask('/c');
  const { text } = await ask();
  expect(text).toContain('airlock_http_request_seconds_count{method="other",status="4xx"} 1');
  expect(text).toContain('airlock_http_request_seconds_count{method="GET",status="4xx"} 1');
});

test('exports several processes as one', () => {
  const all = sum([
    { ...VALUES, airlock_event_loop_delay_p99_seconds: 0.02 },
    {
      airlock_publishers: 2,
      airlock_violations_total: { 6208: 1, 6301: 2 },
      airlock_event_loop_delay_p99_seconds: 0.5,
    },
  ]);
  expect(all).toEqual({
    ...VALUES,
    airlock_publishers: 5,
    airlock_violations_total: { 6208: 5, 6301: 2 },
    airlock_event_loop_delay_p99_seconds: 0.5,
  });
  expect(sum([])).toEqual({});
});

test('shows what each role uses, and the sums', async () => {
  const of = (role: string, cpuSeconds: number) =>
    read(PROCESS_METRICS, {
      role,
      usage: {
        residentBytes: 50_000_000,
        heapBytes: 8_000_000,
        cpuSeconds,
        loopDelaySeconds: 0.02,
        logLinesDropped: 3,
      },
    });
  values = sum([
    {
      ...of('ingest', 4),
      airlock_role_restarts_total: { media: 1 },
      airlock_draining: 1,
      airlock_http_sockets_refused_total: 3,
      airlock_http_body_bytes: 9,
    },
    of('supervisor', 1),
  ]);
  const { text } = await ask();
  for (const line of [
    'airlock_role_resident_bytes{role="ingest"} 50000000',
    'airlock_role_heap_bytes{role="supervisor"} 8000000',
    'airlock_role_cpu_seconds_total{role="ingest"} 4',
    'airlock_role_event_loop_delay_p99_seconds{role="ingest"} 0.02',
    'airlock_role_restarts_total{role="media"} 1',
    'airlock_draining 1',
    'airlock_resident_bytes 100000000',
    'airlock_cpu_seconds_total 5',
    'airlock_http_sockets_refused_total 3',
    'airlock_http_body_bytes 9',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});
