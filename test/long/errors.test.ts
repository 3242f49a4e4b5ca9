/** What `test/abuse/chunks` expects of a hundred thousand errors, for a million. */
import { Airlock } from '../support/airlock.js';
import { expectAggregated } from '../support/many-errors.js';

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_LOG_LEVEL: 'warn', AIRLOCK_RECORD: 'on' });
});
afterAll(() => airlock.stop());

test('aggregates a million errors of one broadcast into few records and few pushes', () =>
  expectAggregated(airlock, 1_000_000));
