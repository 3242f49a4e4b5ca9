/** Interoperability of TLS, with a listening server. */
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
