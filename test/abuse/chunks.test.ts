/** RTMP with large announced lengths, tiny chunks or an error in every other packet: memory and time stay bounded. */

import { randomBytes } from 'node:crypto';
import { Airlock } from '../support/airlock.js';
import { Bystander, expectStillUntouched, expectUntouched } from '../support/bystander.js';
import { expectAggregated } from '../support/many-errors.js';
import { watchMemory } from '../support/process-memory.js';
import { RawClient } from '../support/raw-client.js';

const MESSAGE_BYTES = 8 * 1024 * 1024;
const CHUNK = Buffer.alloc(128, 0x17);
const VIDEO = 9;

let airlock: Airlock;
/** Publishes beside all tests. */
let bystander: Bystander;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_LOG_LEVEL: 'warn' });
  bystander = await Bystander.start(airlock);
});
afterAll(async () => {
  await expectUntouched(bystander).finally(() => airlock.stop());
});
afterEach(() => expectStillUntouched(bystander));

async function publishing(): Promise<RawClient> {
  const live = await airlock.createLive();
  const client = await RawClient.open(airlock);
  client.publish(live.key);
  await client.hears('Publish.Start');
  return client;
}

/** Waits for the log line of a protocol error. */
const fault = (code: string) =>
  airlock.until(
    async () => airlock.log.split('\n').filter((line) => line.includes(`"error_code":"${code}"`)).length,
    (count) => count > 0,
  );

test('allocates only for the received bytes of announced 8 MiB messages', async () => {
  const clients = await Promise.all(Array.from({ length: 12 }, publishing));
  const memory = watchMemory(airlock.pid);
  for (const client of clients) {
    for (let stream = 10; stream < 60; stream++) client.begin(stream, VIDEO, MESSAGE_BYTES, CHUNK);
    // The response to this command shows that everything before it was read.
    client.command(0, 'createStream', 99, null);
  }
  await Promise.all(clients.map((client) => client.hears('_result')));
  expect(memory.peakMb() - memory.beforeMb).toBeLessThan(40);
  expect(clients.filter((client) => client.isClosed)).toEqual([]);
  for (const client of clients) client.cut();
});

test('limits unfinished messages to 256 KiB per connection before its publish is accepted', async () => {
  const memory = watchMemory(airlock.pid);
  const clients = await Promise.all(Array.from({ length: 20 }, () => RawClient.open(airlock)));
  for (const client of clients) {
    client.connectApp();
    client.chunkSize(1024 * 1024);
    client.begin(10, VIDEO, MESSAGE_BYTES, randomBytes(600_000));
  }
  await Promise.all(clients.map((client) => client.closed));
  await fault('RTMP_UNFINISHED_TOO_LARGE');
  expect(memory.peakMb() - memory.beforeMb).toBeLessThan(60);
});

test('closes a connection with a 65th chunk stream or a message over 8 MiB', async () => {
  const exhausting = await publishing();
  for (let stream = 10; stream < 90; stream++) exhausting.begin(stream, VIDEO, 1_000_000, CHUNK);
  await exhausting.closed;
  const announcing = await publishing();
  announcing.begin(10, VIDEO, MESSAGE_BYTES + 1, CHUNK);
  await announcing.closed;
  await fault('RTMP_TOO_MANY_CHUNK_STREAMS');
  await fault('RTMP_MESSAGE_TOO_LONG');
});

test('accepts a chunk size of 1, but closes the connection once chunk overhead exceeds its budget', async () => {
  const dust = await publishing();
  dust.chunkSize(1);
  const frame = Uint8Array.from([0x27, 1, 0, 0, 0, ...new Uint8Array(995)]);
  for (let at = 0; at < 20; at++) dust.message(VIDEO, frame, 1, at * 33, 6);
  dust.command(0, 'createStream', 99, null);
  await dust.hears('_result');
  for (let at = 0; at < 400 && !dust.isClosed; at++) {
    dust.message(VIDEO, frame, 1, 660 + at * 33, 6);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await dust.closed;
  await fault('RTMP_CHUNKS_TOO_SMALL');
});

test('ignores AMF with excessive nesting, lengths or keys, and closes a connection that keeps sending it', async () => {
  const call = Buffer.from('0200046e616d65003ff0000000000000', 'hex');
  const nested = Buffer.concat([call, Buffer.alloc(60_000, 0x0a)]);
  const boasting = Buffer.concat([call, Buffer.from('0affffffff', 'hex')]);
  const key = (n: number) => Buffer.concat([Buffer.of(0, 4), Buffer.from(String(1000 + n)), Buffer.of(5)]);
  const manyKeys = Buffer.concat([call, Buffer.of(3), ...Array.from({ length: 5_000 }, (_, n) => key(n))]);
  const memory = watchMemory(airlock.pid);
  const client = await publishing();
  for (let round = 0; round < 2_000 && !client.isClosed; round++) {
    client.message(20, [boasting, nested, boasting, manyKeys][round % 4] ?? call, 0, 0, 3);
    if (client.socket.writableNeedDrain) await client.drained();
  }
  await client.closed;
  await fault('RTMP_TOO_MANY_IGNORED');
  expect(memory.peakMb() - memory.beforeMb).toBeLessThan(60);
});

// `test/long` sends a million errors.
test('aggregates a hundred thousand errors of one broadcast into few records and few pushes', () =>
  expectAggregated(airlock, 100_000));
