/** Starts end as they should, in one state of each kind (`test/long` has all): the server runs, or one line says what is in its way and the process is gone. */
import { expectEnd, LONGEST_MS, SAMPLE_OF_STATES, StartStopHarness, startAndEnd } from '../support/start-stop.js';

let harness: StartStopHarness;
beforeAll(async () => {
  harness = await StartStopHarness.open();
}, LONGEST_MS);
afterAll(() => harness.close(), LONGEST_MS);

test.each(SAMPLE_OF_STATES)('%s: the process ends with its exit code', async (name) => {
  const state = harness.state(name);
  expectEnd(await startAndEnd(harness.folder, state.start), state);
});
