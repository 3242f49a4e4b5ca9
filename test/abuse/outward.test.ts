/**
 * Downloads and webhooks, against servers that keep or break HTTP: a fault ends that call alone, with its typed error. What
 * the call does not catch ends this process, and the test with it.
 */
import { callHttp, HttpCallError } from '../../src/lib/http-call.js';
import { postEvent } from '../../src/webhook/webhook.js';
import { type HostileServer, MANNERS, startHostileServer } from '../support/hostile-server.js';

/** More than a stream buffers, so that it is still unread when the server closes the connection. */
const BODY = Buffer.alloc(300_000, 'a');
/** Where the reader of a body without end stops. */
const BYTES_MAX = 2 * BODY.length;
/** In place of tens of seconds. A server that answers needs milliseconds. */
const TIMES = { headersMs: 1_000, stallMs: 1_000 };
const CALL_MS = 2_000;
const TRIALS = 8;

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer(BODY);
});
afterAll(() => server.close());

async function download(manner: string, read: 'at once' | 'late'): Promise<string> {
  try {
    const call = { ...TIMES, signal: AbortSignal.timeout(CALL_MS) };
    const answer = await callHttp(new URL(server.url(manner)), call);
    if (read === 'late') await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of answer.body) {
      parts.push(part);
      bytes += part.length;
      if (bytes > BYTES_MAX) return 'fault';
    }
    return Buffer.concat(parts).equals(BODY) ? 'body' : `${bytes} bytes`;
  } catch (error) {
    return error instanceof HttpCallError ? 'fault' : String(error);
  }
}

async function deliver(manner: string): Promise<string> {
  const target = { url: server.url(manner), secret: 'key', answerWithinMs: CALL_MS, sentMs: 0 };
  const event = { deliveryId: '1' } as Parameters<typeof postEvent>[1];
  return (await postEvent(target, event, '{}', new AbortController().signal)) ?? 'delivered';
}

const manners = Object.entries(MANNERS);

test.each(manners)('a download from %s', async (manner, { gives }) => {
  const trials = Array.from({ length: TRIALS }, (_, index) => download(manner, index % 2 === 0 ? 'at once' : 'late'));
  const found = new Set(await Promise.all(trials));
  if (gives === 'either') expect(['body', 'fault']).toEqual(expect.arrayContaining([...found]));
  else expect([...found]).toEqual([gives]);
});

/** All manners at a time: most of what these calls take is waiting. */
const outcomes = async <Outcome>(names: readonly string[], call: (manner: string) => Promise<Outcome>) =>
  Object.fromEntries(await Promise.all(names.map(async (name) => [name, await call(name)] as const)));

test('a receiver of webhooks', async () => {
  const found = await outcomes(
    manners.map(([name]) => name),
    deliver,
  );
  for (const [name, { gives }] of manners) {
    if (gives === 'body') expect([name, found[name]]).toEqual([name, 'delivered']);
    else expect([name, found[name]]).toEqual([name, expect.stringMatching(/./)]);
  }
});
