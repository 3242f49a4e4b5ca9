/** Traces of a running server: what a collector receives of publishes, requests, jobs and the store. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Airlock } from '../support/airlock.js';
import { ffmpeg, source } from '../support/ffmpeg.js';

interface SpanRow {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly role: unknown;
  readonly service: unknown;
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

const spans: SpanRow[] = [];
let received = '';
const collector = createServer(async (request, response) => {
  let body = '';
  for await (const bytes of request.setEncoding('utf8')) body += bytes;
  received += body;
  for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
    const named = new Map<string, Record<string, unknown>>();
    for (const { key, value } of resource.attributes) named.set(key, value);
    const from = {
      role: named.get('airlock.role')?.stringValue,
      service: named.get('service.name')?.stringValue,
    };
    for (const scope of scopeSpans) for (const span of scope.spans) spans.push({ ...span, ...from });
  }
  response.setHeader('Content-Type', 'application/json').end('{}');
});

let airlock: Airlock;
beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  airlock = await Airlock.start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '200',
  });
});
afterAll(async () => {
  await airlock.stop();
  collector.closeAllConnections();
  collector.close();
});

const attribute = (span: SpanRow, name: string): unknown =>
  Object.values(span.attributes.find(({ key }) => key === name)?.value ?? {})[0];
const named = (name: string) => spans.filter((span) => span.name === name);
const arrived = (isThere: () => boolean) => airlock.until(async () => isThere(), Boolean);
/** Log lines of a trace. */
const linesOf = (traceId: string) => airlock.log.split('\n').filter((line) => line.includes(`"trace_id":"${traceId}"`));

test('a publish by ffmpeg, a request with a traceparent and a job arrive as spans, without secrets', async () => {
  const live = await airlock.createLive();
  const { code, stderr } = await ffmpeg([
    ...source({ seconds: 2, realTime: false }),
    ...['-f', 'flv', '-ca_file', airlock.authorityFile, '-tls_verify', '1', live.url],
  ]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  await arrived(() => named('publish').length === 1);
  const [publish] = named('publish') as [SpanRow];
  expect(publish).toMatchObject({ role: 'ingest', service: 'airlock' });
  expect(publish.parentSpanId ?? '').toBe('');
  expect(attribute(publish, 'airlock.live_video.id')).toBe(live.id);
  expect(attribute(publish, 'airlock.publish.accepted')).toBe(true);
  const calls = spans.filter(({ parentSpanId }) => parentSpanId === publish.spanId);
  expect(calls.map(({ name }) => name)).toEqual(expect.arrayContaining(['objects.get', 'leases.acquire']));
  expect(linesOf(publish.traceId).join()).toContain('publish accepted');

  const answer = await fetch(new URL(`/${live.id}/errors`, airlock.quickstart.http_url), {
    headers: {
      authorization: `Bearer ${airlock.quickstart.access_token}`,
      traceparent: `00-${TRACE}-${CALLER}-01`,
    },
  });
  expect(answer.status).toBe(200);
  await arrived(() => spans.some(({ traceId, name }) => traceId === TRACE && name.startsWith('GET ')));
  const request = spans.find(({ parentSpanId }) => parentSpanId === CALLER);
  expect(request).toMatchObject({ role: 'web', traceId: TRACE, name: 'GET /{live-video-id}/errors' });
  expect(spans.filter(({ traceId }) => traceId === TRACE).map(({ parentSpanId }) => parentSpanId)).toContain(
    request?.spanId,
  );

  const ended = await airlock.post(`/${live.id}`, { end_live_video: 'true' });
  expect(ended.error).toBeUndefined();
  await arrived(() => named('job recording').length > 0);
  expect(named('job recording')[0]).toMatchObject({ role: 'media' });

  const refused = await ffmpeg([
    ...source({ seconds: 1, realTime: false }),
    ...['-f', 'flv', '-ca_file', airlock.authorityFile, '-tls_verify', '1', live.url],
  ]);
  expect(refused.code).not.toBe(0);
  await arrived(() => named('publish').length === 2);
  expect(attribute(named('publish')[1] as SpanRow, 'airlock.publish.refusal')).toBe('ended');
  // What is left is sent at the end.
  await airlock.get('/me', { fields: 'id' });
  await airlock.kill('SIGTERM');
  expect(named('GET /{user-id}').length + named('GET /{page-id}').length).toBeGreaterThan(0);
  const secret = live.key.slice(live.key.indexOf('-') + 1, live.key.indexOf('-') + 33);
  expect(received).not.toContain(secret);
  expect(received).not.toContain(airlock.quickstart.access_token);
}, 60_000);
