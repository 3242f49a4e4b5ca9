/** A process that stood still: its delay is known to the judge although the first tick after it is skipped. */
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
  const isAsked = () => publication.packets.takeInterruptions();
  expect(isAsked()).toBe(false);
  harness.clock.advance(300);
  expect([isAsked(), isAsked()]).toEqual([true, true]);
  publication.packets.noteDelay(250);
  expect(isAsked()).toBe(false);
  harness.clock.advance(9000);
  expect(isAsked()).toBe(false);
  harness.clock.advance(1001);
  expect(isAsked()).toBe(true);
});
