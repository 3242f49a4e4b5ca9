/** What a server costs that has nothing to do: memory and wake-ups of all its processes, on the embedded store. */
import { Airlock } from '../support/airlock.js';
import { NEWER_NODE_MB, residentMb } from '../support/process-memory.js';
import { serverProcesses } from '../support/process-tree.js';
import { wakeUpsASecond } from '../support/wake-ups.js';

/** 246 MB were measured once the media process has ended, which has nothing to do; a collection more or less moves it by some. */
const MEMORY_MB = 260 + NEWER_NODE_MB;
/** On Node 22 and 24 23 were measured beside other work. */
const WAKE_UPS_A_SECOND = Number(process.versions.node.split('.')[0]) > 20 ? 25 : 20;
/** Code that runs the first time, and timers of a start, wake a process for some seconds. */
const RESTS_WITHIN_MS = 120_000;

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start();
}, 60_000);
afterAll(() => airlock.stop(), 60_000);

test(
  'all processes together hardly wake up, and take little memory',
  async () => {
    const pids = await airlock.until(
      async () => serverProcesses(airlock.pid),
      (running) => running.length === 4,
    );
    const rate = await airlock.until(
      () => wakeUpsASecond(pids),
      (found) => found <= WAKE_UPS_A_SECOND,
    );
    expect(rate).toBeGreaterThan(0);
    expect(residentMb(airlock.pid)).toBeLessThanOrEqual(MEMORY_MB);
  },
  RESTS_WITHIN_MS,
);
