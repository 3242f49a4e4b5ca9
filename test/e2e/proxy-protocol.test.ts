/** A terminator or balancer in front: its PROXY header is required and believed, and TLS in front counts as RTMPS. */
import { connect } from 'node:net';
import { Airlock } from '../support/airlock.js';
import { Publisher } from '../support/publisher.js';
import { closeOf } from '../support/sockets.js';
import { synthStream } from '../support/synth-stream.js';

const HEADER = Buffer.from('PROXY TCP4 198.51.100.7 203.0.113.1 51234 1936\r\n');
const openedFrom = (airlock: Airlock) =>
  airlock.log
    .split('\n')
    .filter((line) => line.includes('"connection opened"'))
    .map((line) => JSON.parse(line).address);

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({
    AIRLOCK_RECORD: 'off',
    AIRLOCK_RTMP_PORT: '0',
    AIRLOCK_PROXY_PROTOCOL: 'on',
    AIRLOCK_TLS_IN_FRONT: 'on',
    AIRLOCK_TRUSTED_PROXIES: '127.0.0.0/8',
  });
});
afterAll(() => airlock.stop());

test('logs the client behind the proxy, also over TLS', async () => {
  const live = await airlock.createLive();
  const publisher = await Publisher.open(airlock, live.key, 'live', { preface: HEADER });
  expect(publisher.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
  expect(openedFrom(airlock)).toContain('198.51.100.7');
  await publisher.send(synthStream({ durationMs: 3000 }));
  await publisher.stop();
  expect((await airlock.errors(live.id)).map((row) => row.error_code)).not.toContain(6101);
});

test('joins the lines of strangers, and tells the reason of the first of a kind', async () => {
  const live = await airlock.createLive();
  const wrong = `${live.key.slice(0, -32)}${'a'.repeat(32)}`;
  const before = airlock.log.length;
  const garbage = Buffer.concat([
    Buffer.from('PROXY TCP4 203.0.113.7 203.0.113.1 51234 1936\r\n'),
    Buffer.alloc(99, 0xff),
  ]);
  const preface = Buffer.from('PROXY TCP4 203.0.113.9 203.0.113.1 51234 1936\r\n');
  for (let round = 0; round < 10; round++) {
    const closed = Array.from({ length: 10 }, async () => {
      const socket = connect(airlock.quickstart.rtmps_port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.end(garbage);
      await closeOf(socket.resume());
    });
    const publisher = await Publisher.open(airlock, wrong, 'live', { preface });
    publisher.cut();
    await Promise.all(closed);
  }
  const lines = await airlock.until(
    async () =>
      airlock.log
        .slice(before)
        .split('\n')
        .filter((line) => line.includes('203.0.113.')),
    (found) => found.filter((line) => line.includes('"connection closed"')).length >= 1,
  );
  expect(lines.filter((line) => line.includes('203.0.113.7')).map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      reason: 'tls-handshake',
      code: 'ERR_SSL_WRONG_VERSION_NUMBER',
      msg: 'connection refused',
    }),
  ]);
  const told = lines.filter((line) => line.includes('203.0.113.9')).map((line) => JSON.parse(line).msg.split(':')[0]);
  expect(told).toEqual(['connection opened', 'publish refused', 'connection closed']);
});

test('refuses a trusted proxy without a header', async () => {
  const live = await airlock.createLive();
  await expect(Publisher.open(airlock, live.key)).rejects.toThrow();
});
