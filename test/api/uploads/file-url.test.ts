import type { LookupAddress } from 'node:dns';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { auditLog } from '../../../src/api/access/audit.js';
import { targetNetworks } from '../../../src/config/settings/networks.js';
import { isOwnAddress, isPublicAddress } from '../../../src/lib/public-addresses.js';
import { UPLOADS } from '../../../src/vod/uploads/limits.js';
import { makeMedia } from '../../support/media-files.js';
import { until } from '../../support/store-harness.js';
import { UploadHarness } from '../../support/upload-harness.js';

/** Host names of this test; 127.0.0.2 is the only address beside public ones that is allowed here. */
const NAMES: Record<string, string[]> = {
  'media.test': ['127.0.0.2'],
  'inside.test': ['127.0.0.1'],
  'both.test': ['127.0.0.2', '10.0.0.1'],
};
const resolved: string[] = [];

async function resolve(name: string): Promise<LookupAddress[]> {
  resolved.push(name);
  const addresses = NAMES[name];
  if (addresses === undefined) throw Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' });
  return addresses.map((address) => ({ address, family: 4 }));
}

let harness: UploadHarness;
let server: Server;
let port = 0;
let bytes: Buffer;
let answer: RequestListener;
const hosts: (string | undefined)[] = [];

beforeAll(async () => {
  const limits = { parallel: 4, parallelPerKey: 2, waiting: 8, waitingPerKey: 1, waitMs: 60_000 };
  harness = await UploadHarness.open({
    fetch: { resolve, networks: targetNetworks(['127.0.0.2:1024-65535']), limits },
  });
  bytes = readFileSync(makeMedia(join(harness.folder.path, 'source.mp4')));
  server = createServer((request, response) => {
    hosts.push(request.headers.host);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  hosts.length = 0;
  resolved.length = 0;
  answer = (_request, response) => response.end(bytes);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await harness.close();
});

const fetchUrl = (url: string) => harness.post(`/${harness.page}/videos`, { file_url: url, title: 'From afar' });

test('a file from a public address becomes a video, and its host name is resolved once', async () => {
  const { body } = await fetchUrl(`http://media.test:${port}/a%20b.mp4?x=1`);
  expect((await harness.processed(body.id)).data).toMatchObject({ videoStatus: 'ready', title: 'From afar' });
  expect(resolved).toEqual(['media.test']);
  expect(hosts).toEqual([`media.test:${port}`]);
});

test('an address that is refused has its reason in the audit log and the log, once a minute, and not in the answer', async () => {
  const answers = await Promise.all(
    [`http://inside.test:${port}/x`, `http://inside.test:${port}/x`, 'http://8.8.8.8:25/x', 'http://[::1]:80/x'].map(
      fetchUrl,
    ),
  );
  expect(new Set(answers.map(({ body }) => body.error.message))).toEqual(
    new Set(['(#389) The video could not be fetched: the server cannot be reached.']),
  );
  const reasons = [
    `file_url refused: 127.0.0.1:${port} is no public address, and not in AIRLOCK_FETCH_NETWORKS`,
    'file_url refused: 8.8.8.8:25 is no usual port, and not in AIRLOCK_FETCH_NETWORKS',
    'file_url refused: [::1]:80 is no public address, and not in AIRLOCK_FETCH_NETWORKS',
  ];
  const audited = async () => (await auditLog(harness)).map(({ action }) => action);
  await until(async () => reasons.every((reason) => harness.log.lines.some(({ message }) => message === reason)));
  await until(async () => (await audited()).filter((action) => action.startsWith('file_url')).length >= reasons.length);
  expect((await audited()).filter((action) => action.startsWith('file_url')).sort()).toEqual([...reasons].sort());
  const [line] = await auditLog(harness);
  expect(line).toMatchObject({ from: expect.stringContaining('127.0.0.1'), owner: harness.user });
});

test('redirects are followed, each checked again', async () => {
  answer = (request, response) => {
    if (request.url === '/file') response.end(bytes);
    else response.writeHead(302, { location: '/file' }).end();
  };
  const { body } = await fetchUrl(`http://media.test:${port}/start`);
  expect((await harness.processed(body.id)).data.videoStatus).toBe('ready');
});

test.each([
  ['a loopback address', 'http://127.0.0.1:1/x', /cannot be reached/],
  ['a loopback address in short form', 'http://127.1:1/x', /cannot be reached/],
  ['a loopback address as a number', 'http://2130706433:1/x', /cannot be reached/],
  ['an IPv6 loopback address', 'http://[::1]:1/x', /cannot be reached/],
  ['an IPv4-mapped loopback address', 'http://[::ffff:127.0.0.1]:1/x', /cannot be reached/],
  ['the cloud metadata address', 'http://169.254.169.254/latest/meta-data', /cannot be reached/],
  ['a name that resolves to a private address', 'http://inside.test:PORT/x', /cannot be reached/],
  ['a name that also resolves to a private address', 'http://both.test:PORT/x', /cannot be reached/],
  ['an odd port of a public address', 'http://8.8.8.8:25/x', /cannot be reached/],
  ['a port that is not listed, of a listed address', 'http://media.test:25/x', /cannot be reached/],
  ['a name that does not resolve', 'http://nowhere.test/x', /cannot be reached/],
  ['another protocol', 'file:///etc/passwd', /http or https/],
  ['ftp', 'ftp://media.test/x', /http or https/],
  ['credentials', 'http://me:secret@media.test/x', /credentials/],
  ['a malformed URL', 'not an address', /not a valid URL/],
])('%s is refused', async (_name, url, reason) => {
  const { status, body } = await fetchUrl(url.replace('PORT', String(port)));
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ code: 389, error_subcode: 'VIDEO__CREATE_FAILED' });
  expect(body.error.message).toMatch(reason);
  expect(hosts).toEqual([]);
  await until(() => harness.rubbish().length === 0);
});

test.each([
  ['inside', (): string => `http://127.0.0.1:${port}/x`, /cannot be reached/],
  ['to another protocol', (): string => 'file:///etc/passwd', /http or https/],
  ['loop', (): string => `http://media.test:${port}/again`, /too many redirects/],
])('a redirect %s is refused', async (_name, location, reason) => {
  answer = (_request, response) => response.writeHead(301, { location: location() }).end();
  const { body } = await fetchUrl(`http://media.test:${port}/x`);
  expect(body.error.message).toMatch(reason);
  expect(hosts.length).toBeLessThanOrEqual(UPLOADS.redirects + 1);
});

test('faults of the remote server are reported', async () => {
  answer = (_request, response) => response.writeHead(404).end('no');
  expect((await fetchUrl(`http://media.test:${port}/x`)).body.error.message).toMatch(/answered with status 404/);
  answer = (_request, response) =>
    response.writeHead(200, { 'content-length': String(UPLOADS.fileBytesMax + 1) }).write('x');
  expect((await fetchUrl(`http://media.test:${port}/x`)).body.error.error_subcode).toBe(1363023);
  answer = (_request, response) => {
    response.writeHead(200, { 'content-length': '100000' });
    response.write(bytes.subarray(0, 50_000));
    setImmediate(() => response.destroy());
  };
  expect((await fetchUrl(`http://media.test:${port}/x`)).body.error.message).toMatch(/closed the connection/);
  await until(() => harness.rubbish().length === 0);
});

test('one client may have two fetches running and one waiting; more are refused', async () => {
  const held: (() => void)[] = [];
  let arrived: () => void = () => undefined;
  const two = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  answer = (_request, response) => {
    held.push(() => response.end(bytes));
    if (held.length === 2) arrived();
  };
  const answers = Array.from({ length: 4 }, (_, n) => fetchUrl(`http://media.test:${port}/${n}.mp4`));
  const refused = await Promise.race(answers);
  expect(refused.status).toBe(503);
  expect(refused.body.error).toMatchObject({
    code: 389,
    error_subcode: 'VIDEO__CREATE_FAILED',
    is_transient: true,
    message: expect.stringMatching(/Try again/),
  });
  await two;
  expect(held).toHaveLength(2);
  answer = (_request, response) => response.end(bytes);
  for (const go of held) go();
  expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([200, 200, 200, 503]);
  expect(hosts).toHaveLength(3);
  expect((await fetchUrl(`http://media.test:${port}/after.mp4`)).status).toBe(200);
});

test('recognizes public addresses', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1']) {
    expect([address, isPublicAddress(address)]).toEqual([address, true]);
  }
  const inside =
    '0.0.0.0 10.1.2.3 100.64.0.1 127.9.9.9 169.254.0.1 168.63.129.16 172.16.0.1 172.31.255.255 192.168.1.1 192.0.2.1 198.18.0.1 224.0.0.1 255.255.255.255';
  const insideV6 =
    ':: ::1 ::ffff:8.8.8.8 64:ff9b::808:808 fc00::1 fd12::1 fe80::1 ff02::1 2001:db8::1 2002:808:808::1 2001::1 fe80::1%lo';
  for (const address of `${inside} ${insideV6} 8.8.8.8.8 example.com`.split(' ')) {
    expect([address, isPublicAddress(address)]).toEqual([address, false]);
  }
});

test('an address of this machine is not fetched from, in any notation', () => {
  const own = [{ address: '8.8.4.4' }, { address: '2600::1' }, undefined];
  for (const address of ['8.8.4.4', '2600::1', '2600:0:0:0:0:0:0:1']) expect(isOwnAddress(address, own)).toBe(true);
  for (const address of ['8.8.8.8', '2600::2']) expect(isOwnAddress(address, own)).toBe(false);
});
