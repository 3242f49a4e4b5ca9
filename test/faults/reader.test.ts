/** Clients that stop reading. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { Airlock } from '../support/airlock.js';
import { Bystander, expectUntouched } from '../support/bystander.js';
import { FeedClient } from '../support/feed-client.js';
import { watchMemory } from '../support/process-memory.js';
import { closeOf } from '../support/sockets.js';

/** A token may have 32 feed sockets: these and the one that reads. */
const READERS = 31;
let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_LOG_LEVEL: 'warn' });
});
afterAll(() => airlock.stop());

test('feed and HTTP clients that stop reading use little memory and do not delay others', async () => {
  const bystander = await Bystander.start(airlock);
  const { http_url: url, http_port: port, access_token: token } = airlock.quickstart;
  const memory = watchMemory(airlock.pid);
  const feed = `${url.replace('http', 'ws')}/live`;
  const deaf = await Promise.all(
    Array.from({ length: READERS }, async () => {
      const client = await FeedClient.open(feed, { type: 'subscribe', token, recent: 100 });
      client.socket.pause();
      return client;
    }),
  );
  // Many pipelined requests whose responses are not read.
  const request = `GET /${bystander.liveVideoId}?fields=errors,ingest_streams,video&access_token=${token} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const pipelined = Array.from({ length: READERS }, () => {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    socket.write(request.repeat(200));
    return socket;
  });
  const reading = await FeedClient.open(feed, { type: 'subscribe', token, broadcasts: [bystander.liveVideoId] });
  await reading.next('synced');
  const values = await reading.next('health');
  expect(values.broadcast_id).toBe(bystander.liveVideoId);
  await expectUntouched(bystander);
  const gone = await reading.next('health', (message) => message.health === null || message !== values);
  expect(gone.broadcast_id).toBe(bystander.liveVideoId);
  expect(memory.peakMb() - memory.beforeMb).toBeLessThan(150);
  for (const socket of pipelined) socket.destroy();
  for (const client of deaf) client.socket.terminate();
  await Promise.all(deaf.map((client) => client.closed));
  await reading.close();
});

test('closes a half-open connection after its timeout', async () => {
  const bystander = await Bystander.start(airlock);
  const socket = connect({ port: airlock.quickstart.rtmps_port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.resume();
  await once(socket, 'connect');
  socket.end();
  await closeOf(socket);
  await expectUntouched(bystander);
});
