/** RTMP that announces more than it sends, or cuts what it sends into dust: memory and time go to what arrived. */
import { randomBytes } from 'node:crypto';
import { Airlock } from '../support/airlock.js';
import { Bystander, expectUntouched } from '../support/bystander.js';
import { watchMemory } from '../support/process-memory.js';
import { RawClient } from '../support/raw-client.js';

const MESSAGE_BYTES = 8 * 1024 * 1024;
const CHUNK = Buffer.alloc(128, 0x17);
const VIDEO = 9;

let airlock: Airlock;
let bystander: Bystander;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_LOG_LEVEL: 'warn' });
}, 60_000);
afterAll(() => airlock.stop(), 30_000);
beforeEach(async () => {
  bystander = await Bystander.start(airlock);
});
afterEach(() => expectUntouched(bystander), 20_000);

async function publishing(): Promise<RawClient> {
  const live = await airlock.createLive();
  const client = await RawClient.open(airlock);
  client.publish(live.key);
  await client.hears('Publish.Start');
  return client;
}

/** What the log says of a connection that broke the rules. */
const fault = (code: string) =>
  airlock.until(
    async () => airlock.log.split('\n').filter((line) => line.includes(`"error_code":"${code}"`)).length,
    (count) => count > 0,
  );

test('messages of 8 MiB announced on 50 chunk streams of 12 connections cost what was sent of them', async () => {
  const clients = await Promise.all(Array.from({ length: 12 }, publishing));
  const memory = watchMemory(airlock.pid);
  for (const client of clients) {
    for (let stream = 10; stream < 60; stream++) client.begin(stream, VIDEO, MESSAGE_BYTES, CHUNK);
    // An answer to what comes after shows that all before was read.
    client.command(0, 'createStream', 99, null);
  }
  await Promise.all(clients.map((client) => client.hears('_result')));
  expect(memory.peakMb() - memory.beforeMb).toBeLessThan(40);
  expect(clients.filter((client) => client.isClosed)).toEqual([]);
  for (const client of clients) client.cut();
}, 30_000);

test('before its publish is accepted a connection holds 256 KiB of unfinished messages and no more', async () => {
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
}, 30_000);

test('a 65th chunk stream, and a message of more than 8 MiB, end the connection', async () => {
  const exhausting = await publishing();
  for (let stream = 10; stream < 90; stream++) exhausting.begin(stream, VIDEO, 1_000_000, CHUNK);
  await exhausting.closed;
  const announcing = await publishing();
  announcing.begin(10, VIDEO, MESSAGE_BYTES + 1, CHUNK);
  await announcing.closed;
  await fault('RTMP_TOO_MANY_CHUNK_STREAMS');
  await fault('RTMP_MESSAGE_TOO_LONG');
}, 30_000);

test('a chunk size of 1 is taken, and ends the connection once it has cost more than it brought', async () => {
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
}, 30_000);

test('AMF that nests, boasts and repeats itself is not taken in, and ends its connection when it does not stop', async () => {
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
}, 30_000);
