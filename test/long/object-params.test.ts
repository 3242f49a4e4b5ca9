/** All values of the sweep of `test/api/object-params.test.ts`: 23,000 requests. */
import { ApiHarness } from '../support/api-harness.js';
import { faultsIn, ParamSweep } from '../support/param-sweep.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open({ appId: '77', appSecret: 'hush' });
});
afterAll(() => harness.close());

test('no parameter of a route takes an object for a text or fails on one', async () => {
  const found = await new ParamSweep(harness).run(false);
  expect(found.length).toBeGreaterThan(20_000);
  expect(faultsIn(found)).toEqual([]);
});
