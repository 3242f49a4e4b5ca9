/** Refused sign-ins and limits that were reached are in the audit log, in a bounded number of lines. */
import { audit, auditLog } from '../../src/api/access/audit.js';
import { tokenInvalid } from '../../src/api/access/faults.js';
import { FeedAccess } from '../../src/api/access/feed-access.js';
import { REFUSAL_LIMITS, Refusals } from '../../src/api/access/refusals.js';
import type { Store } from '../../src/ports/index.js';
import { quotaError } from '../../src/spec/service-errors.js';
import { ApiHarness } from '../support/api-harness.js';
import { memoryLog, realClock } from '../support/store-harness.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open();
});
afterAll(() => harness.close());

/** Lines of refusals are not waited for; the store has them once it has a later write. */
async function linesOf(from: ApiHarness) {
  await audit(from, { action: 'marker', who: 'test' });
  return (await auditLog(from)).map(({ at_ms: _, ...line }) => line);
}

const lines = () => linesOf(harness);

test('has one line for the refused sign-ins of an address and minute, also in a batch', async () => {
  const bad = { token: 'ALno-such-token' };
  const ask = async () => [
    (await harness.get('/me', {}, bad)).status,
    (await harness.post('/', { batch: '[{"relative_url":"me","access_token":"ALneither"}]' })).body[0].code,
  ];
  const refusals = async () => (await lines()).filter(({ action }) => action.startsWith('sign-in refused'));
  for (let each = 0; each < 3; each += 1) expect(await ask()).toEqual([401, 401]);
  const first = await refusals();
  const line = { action: 'sign-in refused: token unknown or revoked', from: expect.stringContaining('127.0.0.1') };
  expect(first).toEqual(expect.arrayContaining([{ ...line, who: 'unknown' }, expect.objectContaining(line)]));
  // At most two minutes began meanwhile, each with a line of the address and one of the token of the batch.
  expect(first.length).toBeLessThanOrEqual(4);
  harness.clock.advance(60_000);
  await ask();
  expect((await refusals()).length).toBeGreaterThan(first.length);
  expect(JSON.stringify(await lines())).not.toContain('no-such-token');
});

test('has a line for a token that the live feed, metrics or playback refuse', async () => {
  const { log, store, clock, ids } = harness;
  const config = { publicHttpUrl: 'http://localhost' };
  const access = new FeedAccess({ store, clock, ids, config, refusals: new Refusals({ store, clock, ids, log }) });
  try {
    const token = await harness.tokenOf(harness.user, { expiresMs: clock.wallMs() - 1 });
    expect(await access.authenticate(token, '192.0.2.7')).toBeUndefined();
    expect(await access.mayReadMetrics(token, '192.0.2.7')).toBe(false);
    const line = { action: 'sign-in refused: token expired', who: 'unknown', from: '192.0.2.7' };
    const own = (await lines()).filter(({ action }) => action === line.action);
    expect(own[0]).toEqual(line);
    expect(own.length).toBeLessThanOrEqual(2);
  } finally {
    access.close();
  }
});

test('has a line for a wrong proof and for a wrong application secret', async () => {
  const app = await ApiHarness.open({ appId: '77', appSecret: 'hush' });
  try {
    expect((await app.get('/me', { appsecret_proof: 'f'.repeat(64) })).status).toBe(400);
    const exchange = { grant_type: 'fb_exchange_token', client_id: '77', client_secret: 'guess' };
    expect((await app.get('/oauth/access_token', exchange, { token: null })).status).toBe(400);
    const line = { who: 'unknown', from: expect.stringContaining('127.0.0.1') };
    expect(await linesOf(app)).toEqual(
      expect.arrayContaining([
        { ...line, action: 'sign-in refused: appsecret_proof' },
        { ...line, action: 'sign-in refused: application' },
      ]),
    );
    expect(JSON.stringify(await linesOf(app))).not.toMatch(/ffffffff|guess|hush/);
  } finally {
    await app.close();
  }
});

test('has a line for a stream key that is refused, and one once there are too many', async () => {
  const from = { address: '192.0.2.8', encoder: 'test' };
  const key = await harness.keyOf(await harness.live());
  for (let each = 0; each < 30; each += 1) {
    expect(await harness.engine.admit(`${key}x`, '', from)).toMatchObject({ accepted: false });
  }
  const own = (await lines()).filter((line) => line.from === from.address);
  // At most two minutes began meanwhile.
  expect(own.length).toBeLessThanOrEqual(4);
  expect([...new Set(own.map(({ action }) => action))].sort()).toEqual([
    'limit reached: wrong stream keys of an address',
    'sign-in refused: stream key unknown',
  ]);
  expect(JSON.stringify(own)).not.toContain(key.slice(0, 8));
});

test('has a line for a rate limit that was reached', async () => {
  const limited = await ApiHarness.open({
    rateLimits: { perTokenPerMinute: 2, perAddressPerMinute: 8, countLoopback: true },
  });
  try {
    for (let each = 0; each < 12; each += 1) await limited.get('/me');
    const actions = (await linesOf(limited)).map(({ action }) => action);
    expect(actions).toEqual(
      expect.arrayContaining(['limit reached: calls of a token', 'limit reached: calls of an address']),
    );
    expect(actions.filter((action) => action.startsWith('limit')).length).toBeLessThanOrEqual(4);
  } finally {
    await limited.close();
  }
});

test('bounds the lines per minute and day, and survives a store that is away', async () => {
  let nowMs = 0;
  let tried = 0;
  const objects = {
    commit: async () => {
      tried += 1;
      throw new Error('the store is away');
    },
  };
  const log = memoryLog();
  const store = { objects } as unknown as Store;
  const refusals = new Refusals({ store, log, ids: harness.ids, clock: { ...realClock, wallMs: () => nowMs } });
  const flood = () => {
    for (let each = 0; each < 300; each += 1) {
      const caller = { address: `10.0.${each % 100}.1`, viewer: undefined };
      for (const error of [tokenInvalid(463, 'expired'), quotaError('full'), new Error('x')]) {
        refusals.note(error, caller);
      }
    }
  };
  for (let minute = 0; minute < 200; minute += 1) {
    nowMs = minute * 60_000;
    flood();
    expect(tried).toBe(Math.min(REFUSAL_LIMITS.linesPerDay, (minute + 1) * REFUSAL_LIMITS.linesPerMinute));
  }
  nowMs = 86_400_000;
  flood();
  expect(tried).toBe(REFUSAL_LIMITS.linesPerDay + REFUSAL_LIMITS.linesPerMinute);
  await new Promise((resolve) => setImmediate(resolve));
  expect(log.lines).toHaveLength(tried);
});
