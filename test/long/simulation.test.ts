/** The runs of 5,000 seeds. A failure names its seed: `npm run simulate -- --seed N --trace` shows it made small. */
import { PATCHES } from '../simulation/patches.js';
import { runChanged, runMain } from '../simulation/run-main.js';

const SEEDS = 5_000;
const AT_ONCE = 1_000;

test.each(Array.from({ length: SEEDS / AT_ONCE }, (_, part) => 1 + part * AT_ONCE))(
  `everything holds in ${AT_ONCE} runs from seed %d`,
  async (first) => {
    const { stdout } = await runMain('--seeds', String(AT_ONCE), '--from', String(first), '--jobs', '2');
    expect(stdout).toBe(`${AT_ONCE} seeds from ${first}: 0 failed\n`);
  },
  3_600_000,
);

test.each(PATCHES)('a fault that is put back is found: $fault', async ({ changes, seed, broken }) => {
  const { stdout, status } = await runChanged(changes, '--seed', String(seed));
  expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringMatching(broken) });
});
