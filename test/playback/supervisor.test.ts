/** Restart backoff of the playback server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Supervisor } from '../../src/playback/child/supervisor.js';
import { CHILD_LIMITS } from '../../src/playback/context/limits.js';
import { memoryLog, realClock, temporaryFolder, until } from '../support/store-harness.js';

test('the pause before each restart doubles up to a bound, and resets after a stable run', async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, 'child.mjs');
  writeFileSync(path, 'process.exit(1);\n');
  const pausesMs: number[] = [];
  const { setTimeout: realTimeout } = globalThis;
  const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms = 0) => {
    if (ms === CHILD_LIMITS.startMs) return realTimeout(run, ms);
    pausesMs.push(ms);
    return realTimeout(run, 0);
  }) as typeof setTimeout);
  let aheadMs = 0;
  const clock = { ...realClock, monotonicMs: () => performance.now() + aheadMs };
  const supervisor = new Supervisor({ clock, log: memoryLog(), child: { path, execArgv: [] } });
  try {
    const ready = supervisor.ready();
    await until(() => pausesMs.length >= 11);
    expect(pausesMs.slice(0, 11)).toEqual([0, 50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
    // The next one has run long enough by the clock.
    const before = supervisor.starts;
    await until(() => supervisor.starts > before);
    aheadMs = CHILD_LIMITS.soundMs;
    const seen = pausesMs.length;
    await until(() => pausesMs.length > seen);
    expect(pausesMs[seen]).toBe(CHILD_LIMITS.firstPauseMs);
    await supervisor.close();
    expect(await ready).toBeUndefined();
  } finally {
    timers.mockRestore();
    folder.remove();
  }
});
