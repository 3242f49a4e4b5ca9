/** A terminator or balancer in front: its PROXY header is required and believed, and TLS in front counts as RTMPS. */
import { Airlock } from '../support/airlock.js';
import { Publisher } from '../support/publisher.js';
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

test('refuses a trusted proxy without a header', async () => {
  const live = await airlock.createLive();
  await expect(Publisher.open(airlock, live.key)).rejects.toThrow();
});
