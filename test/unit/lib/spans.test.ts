/** Spans as they are recorded: of requests, jobs and the calls of the store, and what must not be in them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { diag } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import {
  addToSpan,
  failSpan,
  inSpan,
  nameRoute,
  reportTracingProblems,
  traceFields,
  traceparent,
} from '../../../src/lib/spans.js';
import { traceRequests } from '../../../src/server/http/traced-requests.js';
import { tracedStore } from '../../../src/server/services/traced-store.js';
import { LmdbStore } from '../../../src/store/lmdb/lmdb-store.js';
import { JobQueue } from '../../../src/vod/jobs/job-queue.js';
import { memoryLog, realClock, temporaryFolderOfFile } from '../../support/store-harness.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const folder = temporaryFolderOfFile();
const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const log = memoryLog();
let opened: LmdbStore;
beforeAll(async () => {
  provider.register();
  opened = await LmdbStore.open({ dataDir: folder.path, log, clock: realClock });
});
beforeEach(() => exporter.reset());
afterAll(async () => {
  await opened.close();
  await provider.shutdown();
  folder.remove();
});

const spans = () => exporter.getFinishedSpans();
function spanOf(name: string): ReadableSpan {
  const found = spans().filter((span) => span.name === name);
  if (found[0] === undefined || found.length > 1) throw new Error(`${found.length} spans are named ${name}`);
  return found[0];
}

test('calls of the store are spans of the work that makes them, and without work none', async () => {
  const store = tracedStore(opened);
  await store.objects.get('1');
  expect(spans()).toEqual([]);
  let after: Promise<unknown> = Promise.resolve();
  await inSpan('publish', {}, async () => {
    await store.objects.get('1');
    await expect(
      store.objects.commit([
        { op: 'put', object: { id: '1', kind: 'page', createdMs: 1, updatedMs: 1, data: {} }, expect: 7 },
      ]),
    ).rejects.toThrow();
    // Work that goes on when the span is over is no part of it.
    after = new Promise((resolve) => setImmediate(resolve)).then(() => store.leases.holder('a'));
  });
  await after;
  const { spanId } = spanOf('publish').spanContext();
  expect(spanOf('objects.get')).toMatchObject({
    parentSpanContext: { spanId },
    attributes: { 'db.system.name': 'lmdb', 'db.operation.name': 'objects.get' },
  });
  expect(spanOf('objects.commit').attributes).toMatchObject({ 'error.type': 'STORE_CONFLICT' });
  expect(spans()).toHaveLength(3);
  expect(store.name).toBe('lmdb');
  await store.ping();
});

test('a job is linked to the request that added it', async () => {
  const store = tracedStore(opened);
  const jobs = new JobQueue({ store, clock: realClock, log, holder: 'here' });
  await inSpan('POST /{page-id}/videos', {}, () => jobs.add('upload', '12', { file: 'x' }));
  const traces: unknown[] = [];
  const done = new Promise<void>((resolve) => {
    const run = async () => {
      traces.push(traceFields());
      resolve();
    };
    const worker = { run, giveUp: async () => undefined };
    jobs.start({ upload: worker, recording: worker, publish: worker, fingerprint: worker });
  });
  await done;
  await jobs.close();
  const request = spanOf('POST /{page-id}/videos').spanContext();
  const job = spanOf('job upload');
  expect(job.parentSpanContext).toBeUndefined();
  expect(job.links).toMatchObject([{ context: { traceId: request.traceId, spanId: request.spanId } }]);
  expect(job.attributes).toMatchObject({ 'airlock.job.type': 'upload', 'airlock.subject.id': '12' });
  expect(traces).toEqual([{ trace_id: job.spanContext().traceId, span_id: job.spanContext().spanId }]);
});

test('an error is told by its code, never by its message', async () => {
  const broken = Object.assign(new Error('no page for access_token=secret'), { code: 'NO_PAGE' });
  await expect(inSpan('a', {}, () => Promise.reject(broken))).rejects.toBe(broken);
  await inSpan('b', {}, async () => failSpan(new TypeError('secret')));
  expect(spanOf('a').attributes).toEqual({ 'error.type': 'NO_PAGE' });
  expect(spanOf('b').attributes).toEqual({ 'error.type': 'TypeError' });
  expect(spans().flatMap(({ events }) => events)).toEqual([]);
  expect(spans().map(({ status }) => status)).toEqual([{ code: 2 }, { code: 2 }]);
});

test('a request is a part of its caller’s trace, named by its route, without its path and query', async () => {
  const server = createServer(
    traceRequests((request, response) => {
      nameRoute('GET /{video-id}');
      nameRoute('GET /{page-id}');
      if (request.url?.startsWith('/cut')) request.socket.destroy();
      else response.writeHead(request.url?.startsWith('/broken') ? 503 : 200).end(JSON.stringify(traceFields()));
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01`, connection: 'close' };
  const answer = await (await fetch(`${url}/17?access_token=secret`, { headers })).json();
  await (await fetch(`${url}/broken`, { headers: { traceparent: 'nonsense', connection: 'close' } })).text();
  await expect(fetch(`${url}/cut`)).rejects.toThrow();
  await (await fetch(`${url}/healthz`, { headers })).text();
  await new Promise((resolve) => server.close(resolve));
  const [good, broken, cut] = spans();
  expect(good).toMatchObject({
    name: 'GET /{video-id}',
    kind: 1,
    parentSpanContext: { traceId: TRACE, spanId: CALLER },
    attributes: { 'http.request.method': 'GET', 'http.route': '/{video-id}', 'http.response.status_code': 200 },
  });
  expect(answer).toEqual({ trace_id: TRACE, span_id: good?.spanContext().spanId });
  expect(broken?.parentSpanContext).toBeUndefined();
  expect(broken).toMatchObject({ attributes: { 'error.type': '503' }, status: { code: 2 } });
  expect(cut?.attributes['error.type']).toBe('aborted');
  expect(spans()).toHaveLength(3);
  expect(JSON.stringify(spans().map(({ name, attributes }) => ({ name, attributes })))).not.toMatch(/secret|17/);
});

test('outside of a span nothing is added', () => {
  expect(traceFields()).toEqual({});
  expect(traceparent()).toBeUndefined();
  addToSpan({ a: 1 });
  failSpan(new Error());
  nameRoute('GET /');
  expect(spans()).toEqual([]);
});

test('reports problems of the SDK', () => {
  const problems: string[] = [];
  reportTracingProblems((message) => problems.push(message));
  diag.error('exporter', new Error('refused'));
  diag.info('sent');
  expect(problems).toEqual(['exporter: refused']);
});
