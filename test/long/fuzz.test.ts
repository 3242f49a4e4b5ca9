/** Every fuzz target with all its executions; `npm test` runs the first eighth of them, `npm run fuzz` runs longer. */
import { TARGETS } from '../fuzz/targets/index.js';
import { fuzzLong } from '../support/fuzz.js';

test.each([...TARGETS])('%s', async (_name, make) => {
  const target = await make();
  expect(await fuzzLong(target)).toBeUndefined();
  await target.close?.();
});
