/** The benchmark measures what it says. `test/long` has it measure the other servers, too. */

import { expectMeasured, runBench } from '../support/bench-run.js';
import { inFull } from '../support/in-full.js';

inFull('measures Airlock and the floor in a small run', () => expectMeasured(['floor', 'airlock']));

test('refuses an unknown server by name', async () => {
  await expect(runBench('--only', 'floor,apache')).rejects.toThrow('no such server: apache');
});
