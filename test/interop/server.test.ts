/** Interoperability that needs a running server: sessions, stream keys, endings. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect as connectTcp, createServer } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { Airlock } from '../support/airlock.js';
import { Publisher } from '../support/publisher.js';
import { synthStream } from '../support/synth-stream.js';

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_RECORD: 'off' });
});
afterAll(() => airlock.stop());

const START = 'NetStream.Publish.Start';
const second = () => synthStream({ durationMs: 1000 });
const statusOf = async (id: string): Promise<string> => (await airlock.get(`/${id}`, { fields: 'status' })).status;

test('ends only the connection with a corrupt chunk stream, with a protocol error', async () => {
  const [good, bad] = [await airlock.createLive(), await airlock.createLive()];
  const bystander = await Publisher.open(airlock, good.key);
  const victim = await Publisher.open(airlock, bad.key);
  await victim.send(second());
  victim.writeRaw(Buffer.alloc(4096, 0xff));
  await victim.until(() => victim.closed);
  await bystander.send(second());
  expect(bystander.closed).toBe(false);
  const line = await airlock.until(
    async () => airlock.log.split('\n').find((text) => text.includes('"byteOffset"')),
    (found) => found !== undefined,
  );
  expect(JSON.parse(line!)).toMatchObject({
    level: 'warn',
    clause: expect.stringContaining('RTMP'),
    byteOffset: expect.any(Number),
  });
  await bystander.stop();
});

test('sends one onStatus with code and description on a refusal, then destroys the socket soon', async () => {
  const live = await airlock.createLive();
  const refused = await Publisher.open(airlock, `${live.key.slice(0, -3)}aaa`);
  const answeredMs = performance.now();
  await refused.until(() => refused.closed);
  // A second by the server's clock; without it, the limit on the time to publish ends the connection much later.
  expect(performance.now() - answeredMs).toBeLessThan(8_000);
  expect(refused.statuses.map((status) => status.code)).toEqual(['NetStream.Publish.BadName']);
  expect(refused.statuses[0]!.description).not.toBe('');
});

test('sends the reason of an ended broadcast to an encoder that reconnects automatically', async () => {
  const live = await airlock.createLive();
  const publisher = await Publisher.open(airlock, live.key);
  await publisher.send(second());
  await airlock.until(
    () => statusOf(live.id),
    (status) => status === 'LIVE',
  );
  await airlock.post(`/${live.id}`, { end_live_video: 'true' });
  await publisher.until(() => publisher.closed);
  expect(publisher.statuses.at(-1)).toMatchObject({ level: 'error', code: 'NetStream.Publish.Rejected' });
  for (let attempt = 0; attempt < 3; attempt++) {
    const again = await Publisher.open(airlock, live.key);
    expect(again.statuses[0]).toMatchObject({
      code: 'NetStream.Publish.Rejected',
      description: expect.stringContaining('ended'),
    });
    await again.until(() => again.closed);
  }
});

test('keeps no state of encoders that disconnect between connect and publish', async () => {
  const live = await airlock.createLive();
  for (let i = 0; i < 20; i++) (await Publisher.connectOnly(airlock, live.key)).cut();
  const publisher = await Publisher.open(airlock, live.key);
  expect(publisher.statuses[0]!.code).toBe(START);
  await publisher.stop();
});

test('hands the stream key of a silent connection to a newer one and continues the broadcast', async () => {
  const live = await airlock.createLive();
  const old = await Publisher.open(airlock, live.key);
  await old.send(synthStream({ durationMs: 1000, channels: 1 }));
  await airlock.until(
    () => statusOf(live.id),
    (status) => status === 'LIVE',
  );
  // Held until the old one has been silent for 3 s.
  const next = await Publisher.open(airlock, live.key);
  expect(next.statuses[0]!.code).toBe(START);
  await old.until(() => old.closed);
  await next.send(synthStream({ durationMs: 1000, channels: 1 }));
  const rows = await airlock.until(
    () => airlock.errors(live.id),
    (found) => found.some((row) => row.error_code === 6504),
  );
  expect(rows.map((row) => row.error_code).sort()).toEqual([6304, 6504]);
  expect(await statusOf(live.id)).toBe('LIVE');
  await next.stop();
});

test('releases the stream key when the socket closes', async () => {
  const live = await airlock.createLive();
  const first = await Publisher.open(airlock, live.key);
  await first.send(second());
  first.cut();
  await first.until(() => first.closed);
  await airlock.until(
    async () => (await airlock.get(`/${live.id}`, { fields: 'errors' })).errors?.data ?? [],
    (rows) => rows.some((row: { error_code: number }) => row.error_code === 6503),
  );
  const again = await Publisher.open(airlock, live.key);
  expect(again.statuses[0]!.code).toBe(START);
  await again.stop();
});

test('ends a broadcast through the API in every state of a connection', async () => {
  for (const state of ['before publish', 'just accepted', 'with data'] as const) {
    const live = await airlock.createLive();
    const publisher =
      state === 'before publish'
        ? await Publisher.connectOnly(airlock, live.key)
        : await Publisher.open(airlock, live.key);
    if (state === 'with data') await publisher.send(second());
    const { status } = await airlock.request('DELETE', `/${live.id}`);
    expect(status).toBe(200);
    publisher.cut();
  }
  expect((await airlock.request('GET', '/healthz')).status).toBe(200);
});

/** Interoperability of TLS, with a listening server. */
describe('TLS', () => {
  async function handshake(options: ConnectionOptions): Promise<TLSSocket> {
    const socket = connect({
      host: '127.0.0.1',
      port: airlock.quickstart.rtmps_port,
      ca: readFileSync(airlock.authorityFile),
      ...options,
    });
    await once(socket, 'secureConnect');
    return socket;
  }

  test('negotiates TLS 1.2 at most, so that no session ticket follows the handshake', async () => {
    const socket = await handshake({ servername: 'localhost', maxVersion: 'TLSv1.3' });
    expect(socket.getProtocol()).toBe('TLSv1.2');
    socket.write(Buffer.concat([Buffer.of(3), Buffer.alloc(1536)]));
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first[0]).toBe(3);
    socket.destroy();
  });

  /** The signature algorithm of the ServerKeyExchange, which TLS 1.2 sends in plain text (RFC 8446, 4.2.3; RFC 8422, 5.4). */
  async function signatureAlgorithm(options: ConnectionOptions): Promise<number> {
    const upstream = connectTcp(airlock.quickstart.rtmps_port, '127.0.0.1');
    const received: Buffer[] = [];
    const relay = createServer((client) => {
      upstream.on('data', (bytes: Buffer) => received.push(bytes));
      client.on('error', () => upstream.destroy());
      client.pipe(upstream).pipe(client);
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const { port } = relay.address() as AddressInfo;
    const socket = await handshake({ servername: 'localhost', port, ...options });
    socket.destroy();
    // Nothing reads its end any more.
    upstream.destroy();
    relay.close();
    const flight = Buffer.concat(received);
    for (let at = 0; at < flight.length; at += 5 + flight.readUInt16BE(at + 3)) {
      const message = at + 5;
      if (flight[at] !== 22 || flight[message] !== 12) continue;
      const pointLength = flight.readUInt8(message + 7);
      return flight.readUInt16BE(message + 8 + pointLength);
    }
    throw new Error('the server sent no ServerKeyExchange');
  }

  test('signs a TLS 1.2 handshake by PKCS#1 for clients that prefer RSA-PSS, which Mbed TLS 3.6 offers and refuses', async () => {
    const sigalgs = 'rsa_pss_rsae_sha256:rsa_pkcs1_sha256';
    expect(await signatureAlgorithm({ sigalgs })).toBe(0x0401);
    expect(await signatureAlgorithm({ sigalgs: 'rsa_pss_rsae_sha256' })).toBe(0x0804);
  });

  test('sends the complete certificate chain', async () => {
    const socket = await handshake({ servername: 'localhost' });
    const leaf = socket.getPeerCertificate(true);
    expect(leaf.issuerCertificate.fingerprint256).not.toBe(leaf.fingerprint256);
    expect(leaf.subjectaltname).toContain('DNS:localhost');
    socket.destroy();
  });

  test.each([
    ['without SNI', {}],
    ['with a wrong SNI', { servername: 'camera.invalid' }],
    ['with ECDHE-RSA and AES-128 only', { servername: 'localhost', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }],
  ])('accepts a camera %s without requesting a client certificate', async (_name, options) => {
    const socket = await handshake({ checkServerIdentity: () => undefined, ...options });
    expect(socket.authorized).toBe(true);
    socket.destroy();
  });

  test('closes plain RTMP on the TLS port and an endless handshake, but not another publisher', async () => {
    const live = await airlock.createLive();
    const good = await Publisher.open(airlock, live.key);
    const port = airlock.quickstart.rtmps_port;
    const plain = connectTcp(port, '127.0.0.1');
    plain.on('error', () => undefined);
    plain.write(Buffer.concat([Buffer.of(3), Buffer.alloc(1536, 7)]));
    await once(plain, 'close');
    const slow = connectTcp(port, '127.0.0.1');
    slow.on('error', () => undefined);
    slow.write(Buffer.of(0x16, 0x03, 0x01));
    await once(slow, 'close');
    await good.send(synthStream({ durationMs: 1000 }));
    expect(good.closed).toBe(false);
    await good.stop();
  });
});
