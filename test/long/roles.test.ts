/** Faults of a role that take a processor for a while, or that `test/faults/roles` has another like. */
import { Airlock } from '../support/airlock.js';
import { INSPECTABLE } from '../support/inspected.js';
import { BUSY_FAULTS, expectStoreReplaced, expectWebAndMediaReplaced } from '../support/role-faults.js';

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({ ...INSPECTABLE, AIRLOCK_LOG_LEVEL: 'info', AIRLOCK_MEDIA_IDLE_S: '0' });
});
afterAll(() => airlock.stop());

test.each(BUSY_FAULTS)('web and media each replaced when one %s: no packet, push or record is lost', (_name, fail) =>
  expectWebAndMediaReplaced(airlock, fail),
);

test('the store process is replaced when it is stopped: pushes go on and their records are there afterwards', () =>
  expectStoreReplaced(airlock, 'SIGSTOP'));
