/** A process that stood still: its delay is known to the judge although the first tick after it is skipped. */
import { StoreUnavailableError } from '../../../src/ports/index.js';
import { IngestHarness } from '../../support/ingest-harness.js';
import { until } from '../../support/store-harness.js';

let harness: IngestHarness;
beforeEach(async () => {
  harness = await IngestHarness.open();
});
afterEach(() => harness.close());

test('names the server as the cause when the tick after a stall waits for the lease to be verified', async () => {
  const { send, publication } = await harness.publish();
  send({ durationMs: 2000 });
  harness.tick();
  harness.clock.advance(3000);
  publication.verifyLease();
  const tick = (lateMs: number) =>
    harness.publications.tick(harness.clock.wallMs(), harness.clock.monotonicMs(), lateMs);
  tick(3000);
  expect(harness.changes()).not.toContain('raised 6908');
  await until(() => {
    tick(0);
    return harness.changes().includes('raised 6908');
  });
});

test('asks for lost segments while a stream stands still, but not after the server itself was late', async () => {
  const { send, publication } = await harness.publish();
  send({ durationMs: 2000 });
  const isAsked = () => publication.takeInterruptions();
  expect(isAsked()).toBe(false);
  harness.clock.advance(300);
  expect([isAsked(), isAsked()]).toEqual([true, true]);
  harness.publications.tick(harness.clock.wallMs(), harness.clock.monotonicMs(), 250);
  expect(isAsked()).toBe(false);
  harness.clock.advance(9000);
  expect(isAsked()).toBe(false);
  harness.clock.advance(1001);
  expect(isAsked()).toBe(true);
});

describe('a process that stood still while the store is away', () => {
  const ONE_CHANNEL = { channels: 1, durationMs: 1000 };

  /** Its encoder breaks a rule while the lease is being verified. */
  async function stalled() {
    const stay = await harness.publish();
    const { leases } = harness.store;
    const away = async () => {
      throw new StoreUnavailableError('the store is away');
    };
    Object.assign(leases, { renew: away, reclaim: away });
    harness.pause = () => new Promise((resolve) => setImmediate(() => resolve(true)));
    harness.clock.advance(1000);
    stay.publication.verifyLease();
    stay.send(ONE_CHANNEL);
    harness.tick();
    expect(harness.changes()).toEqual([]);
    return { stay, answer: (isOurs: boolean) => Object.assign(leases, { reclaim: async () => isOurs }) };
  }

  test('writes its records after a while, as any other during an outage, and goes on when the lease is still its own', async () => {
    const { stay, answer } = await stalled();
    harness.clock.advance(4500);
    harness.tick();
    expect(harness.changes()).toContain('raised 6304');
    Object.assign(harness.store.leases, { renew: async () => true });
    answer(true);
    await stay.publication.renewLease();
    expect(stay.closings).toEqual([]);
  });

  test('lets its encoder go without the answer after a while, and keeps the records', async () => {
    const { stay } = await stalled();
    const left = harness.publications.leave(stay.publication, 'lost');
    harness.clock.advance(4500);
    await until(() => harness.changes().includes('raised 6304'));
    harness.pause = async () => false;
    await left;
  });

  test('disconnects its encoder with the reason when the store answers that another has the lease', async () => {
    const { stay, answer } = await stalled();
    harness.clock.advance(4500);
    Object.assign(harness.store.leases, { renew: async () => false });
    answer(false);
    await until(() => stay.closings.length > 0);
    expect(stay.closings).toMatchObject([{ kind: 'lease-lost' }]);
  });
});
