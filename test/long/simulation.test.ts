/** The runs of 1,000 seeds. A failure names its seed: `npm run simulate -- --seed N --trace` shows it made small. */
import { simulate } from '../simulation/simulation.js';

const SEEDS = 1_000;
const AT_ONCE = 500;

test.each(Array.from({ length: SEEDS / AT_ONCE }, (_, part) => 1 + part * AT_ONCE))(
  'everything holds in 500 runs from seed %d',
  async (first) => {
    for (let seed = first; seed < first + AT_ONCE; seed += 1) {
      const { broken } = await simulate(seed);
      expect({ seed, broken }).toEqual({ seed, broken: [] });
    }
  },
  3_600_000,
);
