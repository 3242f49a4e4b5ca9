/** Encoders that lose their network: no FIN, no reset, no acknowledgment of sent data. */

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Airlock } from '../support/airlock.js';
import { Bystander, expectUntouched } from '../support/bystander.js';
import { FeedClient } from '../support/feed-client.js';
import { watchMemory } from '../support/process-memory.js';
import { Publisher, paced } from '../support/publisher.js';
import { closeOf } from '../support/sockets.js';
import { synthStream } from '../support/synth-stream.js';

/** A loopback address that nothing else uses, nor another run of this test on this machine at the same time. */
const ADDRESS = `127.${77 + (process.pid >> 16)}.${(process.pid >> 8) & 0xff}.${process.pid & 0xff}`;
const STREAM = { videoKbps: 600, width: 640, height: 360, levelIdc: 30 };

const route = (action: 'add' | 'del'): boolean =>
  spawnSync('ip', ['route', action, 'blackhole', `${ADDRESS}/32`, 'table', 'local'], { stdio: 'ignore' }).status === 0;

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_LOG_LEVEL: 'warn' });
});
afterAll(async () => {
  route('del');
  await airlock.stop();
});

const isLive = (id: string) =>
  airlock.until(
    () => airlock.get(`/${id}`, { fields: 'status' }),
    (body) => body.status === 'LIVE',
  );
const codesOf = async (id: string) => (await airlock.errors(id)).map((row) => row.error_code);

/** Publishes in real time until `hush`; then it sends nothing and keeps the connection open. */
async function encoder(key: string, from?: string) {
  const publisher = await Publisher.open(airlock, key, 'live', from === undefined ? {} : { from });
  let silent = false;
  async function* sent() {
    for await (const message of paced(synthStream({ durationMs: 600_000, ...STREAM }))) {
      if (silent) return;
      yield message;
    }
  }
  const sending = publisher.send(sent());
  const hush = () => {
    silent = true;
    return sending;
  };
  return { publisher, hush };
}

test('drops an encoder without network after 30 s of silence, or as soon as it reconnects over another path', async () => {
  const bystander = await Bystander.start(airlock);
  const [waits, returns] = [await airlock.createLive(), await airlock.createLive()];
  const gone = await Promise.all([waits, returns].map(({ key }) => encoder(key, ADDRESS)));
  await Promise.all([waits, returns].map(({ id }) => isLive(id)));
  // Without permission to change routes the peers are only silent, which the server must handle the same way.
  route('add');
  await Promise.all(gone.map(({ hush }) => hush()));

  const again = await airlock.until(
    () => Publisher.open(airlock, returns.key),
    ({ statuses }) => statuses[0]?.code === 'NetStream.Publish.Start',
  );
  await airlock.until(
    () => codesOf(returns.id),
    (codes) => codes.includes(6504),
  );
  expect(await codesOf(waits.id)).not.toContain(6503);
  await again.stop();

  await airlock.until(
    () => codesOf(waits.id),
    (codes) => codes.includes(6503),
  );
  route('del');
  for (const { publisher } of gone) publisher.cut();
  await expectUntouched(bystander);
});

/** Clients that stop reading. */
describe('clients that stop reading', () => {
  /** A token may have 32 feed sockets: these and the one that reads. */
  const READERS = 31;

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
});
