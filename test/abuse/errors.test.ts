/** An encoder that violates a rule with every other packet: records, pushes, journal and memory stay bounded. `test/long` sends a million errors. */
import { Airlock } from '../support/airlock.js';
import { expectAggregated } from '../support/many-errors.js';

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_LOG_LEVEL: 'warn', AIRLOCK_RECORD: 'on' });
});
afterAll(() => airlock.stop());

test('aggregates hundreds of thousands of errors of one broadcast into few records and few pushes', () =>
  expectAggregated(airlock, 300_000));
