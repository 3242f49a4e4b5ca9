/** Hostile connections to the RTMPS port: their resources are bounded and freed, and other publishers are not affected. */

import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { Airlock } from '../support/airlock.js';
import { Bystander, expectStillUntouched, expectUntouched } from '../support/bystander.js';
import { runCli } from '../support/cli.js';
import { watchMemory } from '../support/process-memory.js';
import { Publisher } from '../support/publisher.js';
import { RawClient } from '../support/raw-client.js';
import { closeOf } from '../support/sockets.js';

const CONNECTIONS = 150;
const HANDSHAKES = 600;
const PER_ADDRESS = 64;
/** A TLS record header that announces a ClientHello of 512 bytes, and its first three bytes. */
const HALF_HELLO = Buffer.of(0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01);

let airlock: Airlock;
/** Publishes beside all tests. */
let bystander: Bystander;
beforeAll(async () => {
  airlock = await Airlock.start({
    AIRLOCK_MAX_CONNECTIONS: String(CONNECTIONS),
    AIRLOCK_PROXY_PROTOCOL: 'on',
    AIRLOCK_TRUSTED_PROXIES: '127.0.0.9',
    AIRLOCK_LOG_LEVEL: 'warn',
  });
  bystander = await Bystander.start(airlock);
});
afterEach(() => expectStillUntouched(bystander));
afterAll(async () => {
  await expectUntouched(bystander).finally(() => airlock.stop());
});

class Stranger {
  readonly socket: Socket;
  readonly gone: Promise<unknown>;
  isGone = false;

  constructor(bytes: Uint8Array, from: string, onConnected: () => void = () => undefined) {
    this.socket = connectTcp({ port: airlock.quickstart.rtmps_port, host: '127.0.0.1', localAddress: from });
    this.socket.on('error', () => undefined);
    this.socket.on('connect', onConnected);
    this.socket.resume();
    this.socket.write(bytes);
    this.gone = closeOf(this.socket).then(() => {
      this.isGone = true;
    });
  }
}

const strangers = (count: number, bytes: Uint8Array, from: (n: number) => string): Stranger[] =>
  Array.from({ length: count }, (_, n) => new Stranger(bytes, from(n)));

test('limits unfinished TLS handshakes to the connection limit and closes them at their deadline', async () => {
  const memory = watchMemory(airlock.pid);
  const slow = strangers(HANDSHAKES, HALF_HELLO, (n) => `127.0.0.${20 + (n % 200)}`);
  const refused = await airlock.until(
    async () => slow.filter((stranger) => stranger.isGone).length,
    // One connection of the limit is the bystander's.
    (count) => count > HANDSHAKES - CONNECTIONS,
  );
  expect(refused).toBe(HANDSHAKES - CONNECTIONS + 1);
  await Promise.all(slow.map((stranger) => stranger.gone));
  expect(memory.peakMb() - memory.beforeMb).toBeLessThan(60);
  const publisher = await Publisher.open(airlock, (await airlock.createLive()).key);
  expect(publisher.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
  await publisher.stop();
});

/** As a trusted proxy writes it. */
const headerOf = (address: string) => Buffer.from(`PROXY TCP4 ${address} 203.0.113.1 51234 1936\r\n`);
const startOf = (key: string, address: string) =>
  Publisher.open(airlock, key, 'live', { preface: headerOf(address), from: '127.0.0.9' });
const STARTED = { code: 'NetStream.Publish.Start' };

test('limits the connections of one address, handshakes included, without locking out an encoder behind it', async () => {
  const header = headerOf('198.51.100.7');
  const tooMany = strangers(PER_ADDRESS + 20, Buffer.concat([header, HALF_HELLO]), () => '127.0.0.9');
  const gone = () => tooMany.filter((stranger) => stranger.isGone).length;
  const goneBeyond = (count: number) =>
    airlock.until(
      async () => gone(),
      (now) => now >= count,
    );
  expect(await goneBeyond(20)).toBe(20);
  const [mine, others] = [await airlock.createLive(), await airlock.createLive()];
  const behind = await startOf(mine.key, '198.51.100.7');
  expect([behind.statuses[0], gone()]).toMatchObject([STARTED, 21]);
  const neighbor = await startOf(others.key, '198.51.100.8');
  expect([neighbor.statuses[0], gone()]).toMatchObject([STARTED, 21]);
  await Promise.all([behind.stop(), neighbor.stop()]);
  for (const stranger of tooMany) stranger.socket.destroy();
});

test('receives publishers while silent connections of 34 networks hold every place', async () => {
  const silent: Stranger[] = [];
  const arrive = (count: number) => {
    for (let n = 0; n < count; n++) {
      const header = headerOf(`198.18.${n % 34}.${1 + (n % 3)}`);
      silent.push(new Stranger(Buffer.concat([header, HALF_HELLO]), '127.0.0.9'));
    }
  };
  const full = (beyond: number) =>
    airlock.until(
      async () => silent.filter((stranger) => stranger.isGone).length,
      (count) => count >= beyond,
    );
  arrive(2 * CONNECTIONS);
  // One place is the bystander's.
  await full(CONNECTIONS + 1);
  const keys = await Promise.all(Array.from({ length: 6 }, async () => (await airlock.createLive()).key));
  const publishers = await Promise.all(keys.map((key, n) => startOf(key, `192.0.2.${n + 1}`)));
  expect(publishers.map(({ statuses }) => statuses[0])).toMatchObject(new Array(6).fill(STARTED));
  arrive(2 * CONNECTIONS);
  await full(3 * CONNECTIONS);
  expect(publishers.map(({ closed }) => closed)).toEqual(new Array(6).fill(false));
  await Promise.all(publishers.map((publisher) => publisher.stop()));
  for (const { socket } of silent) socket.destroy();
});

test('closes only the connection that sends garbage, before or within TLS', async () => {
  const garbage = [
    Buffer.alloc(20_000, 0xff),
    Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    Buffer.concat([HALF_HELLO, Buffer.alloc(2_000, 0x41)]),
    Buffer.concat([Buffer.of(0x16, 0x03, 0x03, 0xff, 0xff), Buffer.alloc(70_000, 1)]),
    Buffer.of(0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28),
    Buffer.from([0x80, 0x2e, 0x01, 0x00, 0x02, ...new Array(60).fill(7)]),
  ];
  await Promise.all(garbage.map((bytes) => new Stranger(bytes, '127.0.0.1').gone));

  const { rtmps_port: port } = airlock.quickstart;
  const broken = connectTcp(port, '127.0.0.1');
  broken.on('error', () => undefined);
  const tls = connect({ socket: broken, rejectUnauthorized: false });
  await once(tls, 'secureConnect');
  tls.on('error', () => undefined);
  const closed = closeOf(tls);
  broken.write(Buffer.from([0x17, 0x03, 0x03, 0x00, 0x20, ...new Array(32).fill(9)]));
  await closed;
});

test('refuses TLS renegotiation', async () => {
  const { rtmps_port: port } = airlock.quickstart;
  const tls = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(tls, 'secureConnect');
  const refused = once(tls, 'error');
  let rounds = 0;
  const again = (): void => {
    tls.renegotiate({ rejectUnauthorized: false }, () => {
      rounds += 1;
      if (rounds < 100) again();
      else tls.destroy(new Error('renegotiation was accepted'));
    });
  };
  again();
  expect((await refused)[0]).toMatchObject({ code: 'ERR_SSL_NO_RENEGOTIATION' });
  expect(rounds).toBe(0);
});

test('closes a peer that pings without reading the responses before they fill memory', async () => {
  const memory = watchMemory(airlock.pid);
  const live = await airlock.createLive();
  const deaf = await RawClient.open(airlock);
  deaf.publish(live.key);
  await deaf.hears('Publish.Start');
  deaf.socket.pause();
  // The server answers each ping request with a ping response.
  const ping = deaf.encoder.encode(2, 4, 0, 0, Uint8Array.of(0, 6, 0, 0, 0, 1));
  const many = Buffer.concat(new Array(4_000).fill(ping));
  for (let sent = 0; sent < 1_000 && !deaf.isClosed; sent++) {
    if (!deaf.socket.write(many)) await deaf.drained();
  }
  await deaf.closed;
  expect(memory.peakMb() - memory.beforeMb).toBeLessThan(60);
});

test('rate-limits wrong stream keys without locking out a correct one', async () => {
  const live = await airlock.createLive();
  const wrong = `${live.key.slice(0, -32)}${'a'.repeat(32)}`;
  const codes: (string | undefined)[] = [];
  for (let round = 0; round < 3; round++) {
    const opened = await Promise.all(Array.from({ length: 25 }, () => Publisher.open(airlock, wrong)));
    codes.push(...opened.map((publisher) => publisher.statuses[0]?.code));
    for (const publisher of opened) publisher.cut();
  }
  const count = (code: string) => codes.filter((each) => each === code).length;
  expect([count('NetStream.Publish.BadName'), count('NetStream.Publish.Denied')]).toEqual([20, 55]);
  const right = await Publisher.open(airlock, live.key);
  expect(right.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
  await right.stop();
});

test('leaves one line for each limit, address and minute in the audit log', async () => {
  const { stdout } = await runCli(['audit', '--format', 'json'], {
    env: { AIRLOCK_DATA_DIR: join(airlock.folder, 'data') },
  });
  const { lines }: { lines: readonly { at_ms: number; action: string; who: string; from?: string }[] } =
    JSON.parse(stdout);
  const refusals = lines.filter(({ action }) => /^(limit|sign-in)/.test(action));
  expect(refusals.map(({ action, from }) => ({ action, from }))).toEqual(
    expect.arrayContaining([
      { action: 'limit reached: RTMP connections of this server', from: expect.stringMatching(/^127\.0\.0\./) },
      { action: 'limit reached: RTMP connections of an address', from: '198.51.100.7' },
      { action: 'limit reached: RTMP, unread answers', from: '127.0.0.1' },
      { action: 'sign-in refused: stream key unknown', from: '127.0.0.1' },
      { action: 'limit reached: wrong stream keys of an address', from: '127.0.0.1' },
    ]),
  );
  const keys = refusals.map(({ action, from, at_ms: at }) => `${action} ${from} ${Math.floor(at / 60_000)}`);
  expect(new Set(keys).size).toBe(keys.length);
});
