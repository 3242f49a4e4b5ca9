/** Every start ends as it should: the server runs, or one line says what is in its way and the process is gone. */
import { expectEnd, LONGEST_MS, STATES, StartStopHarness, startAndEnd } from '../support/start-stop.js';

let harness: StartStopHarness;
beforeAll(async () => {
  harness = await StartStopHarness.open();
}, LONGEST_MS);
afterAll(() => harness.close(), LONGEST_MS);

test.each(STATES)('%s: the process ends with its exit code', async (name) => {
  const state = harness.state(name);
  expectEnd(await startAndEnd(harness.folder, state.start), state);
});
