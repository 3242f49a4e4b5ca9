/** Every start ends as it should: the server runs, or one line says what is in its way and the process is gone. */
import { expectEnd, LONGEST_MS, STATES, StartStopWorld, startAndEnd } from '../support/start-stop.js';

let world: StartStopWorld;
beforeAll(async () => {
  world = await StartStopWorld.open();
}, LONGEST_MS);
afterAll(() => world.close(), LONGEST_MS);

test.each(STATES)(
  '%s: the process ends with its exit code',
  async (name) => {
    const state = world.state(name);
    expectEnd(await startAndEnd(world.folder, state.start), state);
  },
  60_000,
);
