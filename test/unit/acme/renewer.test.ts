/** When a certificate is ordered, and by which server. */
import { ACME_LIMITS } from '../../../src/acme/limits.js';
import type { Issued, OrderOptions } from '../../../src/acme/order.js';
import { AcmeError, problemIn } from '../../../src/acme/order.js';
import { AcmeRenewer, type AcmeStatus, type RenewerOptions } from '../../../src/acme/renewer.js';
import { seal, unseal } from '../../../src/lib/vault.js';
import { DERIVED_ID, type Store } from '../../../src/ports/index.js';
import { openStore } from '../../../src/store/open.js';
import { handClock, memoryLog, temporaryFolder } from '../../support/store-harness.js';

const DAY_MS = 86_400_000;
const LIFE_MS = 90 * DAY_MS;
const KEY = Buffer.alloc(32, 1);

let folder: ReturnType<typeof temporaryFolder>;
let clock: ReturnType<typeof handClock>;
let store: Store;
let orders: OrderOptions[];
let fault: AcmeError | undefined;
let log: ReturnType<typeof memoryLog>;

beforeEach(async () => {
  folder = temporaryFolder();
  clock = handClock();
  log = memoryLog();
  store = await openStore({ dataDir: folder.path, log, clock });
  orders = [];
  fault = undefined;
});
afterEach(async () => {
  await store.close();
  folder.remove();
});

const inUse: string[] = [];
let status: AcmeStatus | undefined;

function renewer(over: Partial<RenewerOptions> = {}): AcmeRenewer {
  return new AcmeRenewer({
    store,
    clock,
    log,
    serverKeys: [KEY],
    holder: 'one',
    directory: 'https://authority.example/dir',
    domains: ['live.example.org'],
    validity: (certificate) => ({ fromMs: Number(certificate), untilMs: Number(certificate) + LIFE_MS }),
    takeOver: (next, pair) => {
      status = next;
      if (pair !== undefined) inUse.push(pair.certificate);
    },
    order: async (options): Promise<Issued> => {
      orders.push(options);
      if (fault !== undefined) throw fault;
      return { certificate: String(clock.wallMs()), key: 'PRIVATE', accountUrl: 'https://authority.example/1' };
    },
    ...over,
  });
}

test('orders once, and again when a third of the life is left, with the same account', async () => {
  const each = renewer();
  await each.check();
  await each.check();
  expect(orders).toHaveLength(1);
  clock.advance((LIFE_MS * 2) / 3 - 1);
  await each.check();
  expect(orders).toHaveLength(1);
  clock.advance(1);
  await each.check();
  expect(orders.map(({ accountUrl }) => accountUrl)).toEqual([undefined, 'https://authority.example/1']);
  expect(orders[1]?.accountKey).toBe(orders[0]?.accountKey);
});

test('servers that share a store order once, and use the same certificate', async () => {
  inUse.length = 0;
  await Promise.all([renewer().check(), renewer({ holder: 'two' }).check()]);
  await renewer({ holder: 'three' }).check();
  expect(orders).toHaveLength(1);
  expect(new Set(inUse).size).toBe(1);
});

test('a failure is followed by a pause that doubles, over restarts, and the certificate in use stays', async () => {
  await renewer().check();
  const issuedMs = clock.wallMs();
  clock.advance(LIFE_MS);
  fault = new AcmeError('connection', 'no answer');
  await renewer().check();
  expect(status).toMatchObject({ failures: 1, problem: 'connection', expiresMs: issuedMs + LIFE_MS });
  await renewer().check();
  expect(orders).toHaveLength(2);
  clock.advance(ACME_LIMITS.firstRetryMs);
  await renewer().check();
  expect(status).toMatchObject({ failures: 2, nextAttemptMs: clock.wallMs() + 2 * ACME_LIMITS.firstRetryMs });
  expect(inUse.at(-1)).toBe(String(issuedMs));
  fault = undefined;
  clock.advance(2 * ACME_LIMITS.firstRetryMs);
  await renewer().check();
  expect(status).toMatchObject({ failures: 0, expiresMs: clock.wallMs() + LIFE_MS });
  expect(status?.problem).toBeUndefined();
});

test('waits as long as the authority asks, and never longer than a day by itself', async () => {
  fault = new AcmeError('rateLimited', 'too many', 7 * DAY_MS);
  await renewer().check();
  expect(status?.nextAttemptMs).toBe(clock.wallMs() + 7 * DAY_MS);
  fault = new AcmeError('connection', 'no answer');
  for (let times = 0; times < 10; times += 1) {
    clock.advance(7 * DAY_MS);
    await renewer().check();
  }
  expect(status?.nextAttemptMs).toBe(clock.wallMs() + ACME_LIMITS.longestRetryMs);
});

test('orders at once for other names, and makes another account at another authority', async () => {
  await renewer().check();
  await renewer({ domains: ['other.example.org'] }).check();
  await renewer({ domains: ['other.example.org'], directory: 'https://second.example/dir' }).check();
  expect(orders.map(({ domains: [name], accountUrl }) => [name, accountUrl])).toEqual([
    ['live.example.org', undefined],
    ['other.example.org', 'https://authority.example/1'],
    ['other.example.org', undefined],
  ]);
});

test('tries again for other names after a failure, while the certificate of the former ones is valid', async () => {
  await renewer().check();
  const other = () => renewer({ domains: ['other.example.org'] }).check();
  fault = new AcmeError('dns', 'no such name');
  await other();
  fault = undefined;
  await other();
  expect(orders).toHaveLength(2);
  clock.advance(ACME_LIMITS.firstRetryMs);
  await other();
  expect(orders.map(({ domains: [name] }) => name)).toEqual([
    'live.example.org',
    'other.example.org',
    'other.example.org',
  ]);
  expect(status).toMatchObject({ failures: 0, domains: ['other.example.org'] });
});

test('an order that was cut off counts as a failure', async () => {
  const order = async (options: OrderOptions): Promise<Issued> => {
    orders.push(options);
    throw new Error('the store is full');
  };
  for (let minutes = 0; minutes < 45; minutes += 1) {
    await renewer({ order }).check();
    clock.advance(60_000);
  }
  // At once and after 15 minutes; the next one is due after 30 more.
  expect(orders).toHaveLength(2);
});

test('a certificate that is due when it comes is not ordered again for two days', async () => {
  const validity = () => ({ fromMs: clock.wallMs() - LIFE_MS, untilMs: clock.wallMs() - 1 });
  for (let hours = 0; hours < 48; hours += 1) {
    await renewer({ validity }).check();
    clock.advance(3_600_000);
  }
  expect(orders).toHaveLength(1);
  await renewer({ validity }).check();
  expect(orders).toHaveLength(2);
});

test('a certificate of a day is renewed after two thirds of it', async () => {
  const validity = (certificate: string) => ({ fromMs: Number(certificate), untilMs: Number(certificate) + DAY_MS });
  await renewer({ validity }).check();
  clock.advance((DAY_MS * 2) / 3);
  await renewer({ validity }).check();
  expect(orders).toHaveLength(2);
});

test('servers that disagree on the names do not order in turns', async () => {
  const both = [renewer(), renewer({ holder: 'two', domains: ['other.example.org'] })];
  for (let minutes = 0; minutes < 60; minutes += 1) {
    for (const each of both) await each.check();
    clock.advance(60_000);
  }
  expect(orders).toHaveLength(2);
});

test('keys are stored sealed, and neither logged nor in the status', async () => {
  await renewer().check();
  const stored = JSON.stringify(await store.objects.get(DERIVED_ID.acme));
  expect([stored, JSON.stringify(log.lines), JSON.stringify(status)].join()).not.toMatch(/PRIVATE/);
  expect(JSON.stringify(status)).not.toMatch(/sealed/);
});

test('a sealed text opens with its key only', () => {
  const sealed = seal(KEY, 'acme', { a: 1 });
  expect(unseal([Buffer.alloc(32, 2), KEY], 'acme', sealed)).toEqual({ a: 1 });
  expect(unseal([Buffer.alloc(32, 2)], 'acme', sealed)).toBeUndefined();
  expect(unseal([KEY], 'acme', 'AAAA')).toBeUndefined();
});

test.each([
  [
    { type: 'urn:ietf:params:acme:error:rateLimited', detail: 'x' },
    { problem: 'rateLimited', detail: 'x' },
  ],
  [
    { status: 'invalid', challenges: [{}, { error: { type: 'urn:ietf:params:acme:error:dns', detail: 'y' } }] },
    { problem: 'dns', detail: 'y' },
  ],
  [{ error: { type: 'urn:ietf:params:acme:error:caa' } }, { problem: 'caa', detail: '' }],
  [{ type: 'http-01', status: 'pending' }, undefined],
  ['<html>', undefined],
])('finds the problem in %j', (answer, found) => {
  expect(problemIn(answer)).toEqual(found);
});
