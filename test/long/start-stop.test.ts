/** Fifty starts on one data folder, in all states in turn: none hangs, and none leaves anything that stops the next. */
import { expectEnd, LONGEST_MS, STATES, StartStopHarness, startAndEnd } from '../support/start-stop.js';

const STARTS = 50;

test(
  'fifty starts in states of all kinds end with their exit codes',
  async () => {
    const harness = await StartStopHarness.open();
    try {
      for (let i = 0; i < STARTS; i++) {
        const state = harness.state(STATES[i % STATES.length]!);
        expectEnd(await startAndEnd(harness.folder, state.start), state);
      }
    } finally {
      await harness.close();
    }
  },
  STARTS * LONGEST_MS,
);
