/**
 * Clients of libraries that call servers of others, against servers that keep or break HTTP: a fault ends that call alone. What
 * none of them catches ends this process, and the test with it.
 */

import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { AcmeError } from '../../src/acme/order.js';
import { createAccountKey, orderCertificate } from '../../src/acme/order.js';
import { isCode } from '../../src/lib/errors.js';
import { S3Blobs } from '../../src/store/blobs/s3-blobs.js';
import { type HostileServer, MANNERS, pathOf, startHostileServer } from '../support/hostile-server.js';
import { inFull } from '../support/in-full.js';

const BODY = Buffer.alloc(300_000, 'a');
/** Where the reader of a body without end stops. */
const BYTES_MAX = 2 * BODY.length;
/** In place of tens of seconds. A server that answers needs milliseconds. */
const CALL_MS = 2_000;
/** Where a hundred calls share the processor; the storage's client tries three times. */
const LONG_MS = 2_500;

const manners = Object.entries(MANNERS);

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer(BODY);
});
afterAll(() => server.close());

/** All manners at a time: most of what these calls take is waiting. */
const outcomes = async <Outcome>(names: readonly string[], call: (manner: string) => Promise<Outcome>) =>
  Object.fromEntries(await Promise.all(names.map(async (name) => [name, await call(name)] as const)));

/** An authority whose directory, or whose nonces, come from the server. */
async function order(directory: string): Promise<string> {
  const limits = { answerMs: CALL_MS, answerBytes: BYTES_MAX, orderMs: 2 * CALL_MS };
  const accountKey = await createAccountKey();
  const options = { directory, domains: ['live.example.org'], accountKey, publish: async () => undefined };
  return orderCertificate(options, limits).then(
    () => 'issued',
    (error: AcmeError) => (isCode(error, 'ACME') && error.message !== '' ? 'refused' : String(error)),
  );
}

async function nonceFrom(manner: string): Promise<string> {
  const url = server.url(manner);
  const directory = Buffer.from(JSON.stringify({ newNonce: url, newAccount: url, newOrder: url }));
  const authority = await startHostileServer(directory);
  return order(authority.url('a connection that stays open')).finally(() => authority.close());
}

/** Each kind of call: without an answer's body, with a list, and an object that is read to its end. */
async function storage(manner: string): Promise<string[]> {
  const times = { connectMs: LONG_MS, headersMs: LONG_MS, stallMs: LONG_MS, answerMs: LONG_MS };
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const blobs = new S3Blobs({ bucket: 'media', prefix: pathOf(manner), endpoint: server.url(''), credentials }, times);
  const keys: string[] = [];
  const read = async (): Promise<string> => {
    let bytes = 0;
    for await (const part of await blobs.read('videos/1/source')) {
      bytes += (part as Buffer).length;
      if (bytes > BYTES_MAX) return 'fault';
    }
    return bytes === BODY.length ? 'body' : `${bytes} bytes`;
  };
  const list = async (): Promise<string> => {
    for await (const { key } of blobs.list(manner)) keys.push(key);
    return 'listed';
  };
  const calls = [read(), list(), blobs.put('videos/1/source', BODY).then(() => 'stored')];
  const outcomes = await Promise.all(
    calls.map((call) => call.catch((error: unknown) => (error instanceof Error ? 'fault' : 'no error'))),
  );
  blobs.close();
  return [...outcomes, ...keys];
}

/** A batch of spans, sent as the server sends it. */
async function trace(manner: string): Promise<string> {
  const exporter = new OTLPTraceExporter({ url: server.url(manner), timeoutMillis: CALL_MS });
  const processor = new BatchSpanProcessor(exporter, { exportTimeoutMillis: 2 * CALL_MS });
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  provider.getTracer('test').startSpan('span').end();
  return provider.forceFlush().then(
    () => 'sent',
    (error: unknown) => `lost: ${String(error)}`,
  );
}

test('an authority of certificates', async () => {
  const names = manners.map(([name]) => name);
  const directories = await outcomes(names, (name) => order(server.url(name)));
  expect(directories).toEqual(Object.fromEntries(names.map((name) => [name, 'refused'])));
  // Each makes an RSA key.
  const few = [
    'HTTP/1.0 with Connection: close',
    'garbage for a status line',
    'a body without end',
    'a body that trickles',
  ];
  expect(await outcomes(few, nonceFrom)).toEqual(Object.fromEntries(few.map((name) => [name, 'refused'])));
});

inFull('object storage', async () => {
  const found = await outcomes(
    manners.map(([name]) => name),
    storage,
  );
  for (const [name, { gives }] of manners) {
    const [object, ...others] = found[name] ?? [];
    if (gives !== 'either') expect([name, object]).toEqual([name, gives]);
    for (const other of others) expect([name, ['fault', 'stored']]).toEqual([name, expect.arrayContaining([other])]);
  }
});

test('a collector of traces', async () => {
  const names = manners.filter(([, { gives }]) => gives === 'fault').map(([name]) => name);
  const found = await outcomes(names, trace);
  for (const [name, outcome] of Object.entries(found))
    expect([name, outcome]).toEqual([name, expect.stringMatching(/^(sent|lost)/)]);
});
