/** When the state of the judge is saved and health is shared: soon after the start, and then by intervals. */
import { expect, test } from '@jest/globals';
import { Checkpoints } from '../../../src/broadcasts/checkpoints.js';
import { BROADCAST_LIMITS } from '../../../src/broadcasts/limits.js';
import type { JudgeResume } from '../../../src/judge/judge.js';
import type { Store, StreamHealth } from '../../../src/ports/index.js';
import { memoryLog } from '../../support/store-harness.js';

const RESUME = {} as JudgeResume;
const HEALTH = {} as StreamHealth;

/** The times at which a key of each kind was written, over ten seconds of ticks. */
async function written(startMs: number, liveMs: number): Promise<{ judge: number[]; health: number[] }> {
  const times = { judge: [] as number[], health: [] as number[] };
  let nowMs = startMs;
  const set = (key: string): Promise<void> => {
    times[key.includes('judge') ? 'judge' : 'health'].push(nowMs);
    return Promise.resolve();
  };
  const store = { isShared: true, volatile: { set } } as unknown as Store;
  const checkpoints = new Checkpoints('7', store, memoryLog(), startMs);
  for (; nowMs <= startMs + 10_000; nowMs += 100) {
    if (nowMs === liveMs) checkpoints.goLive(nowMs);
    if (nowMs >= liveMs && checkpoints.isSaveDue(nowMs)) checkpoints.begin(nowMs, RESUME);
    if (checkpoints.isShareDue(nowMs)) checkpoints.share(nowMs, HEALTH);
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return times;
}

test('a second after the start, and then at each interval', async () => {
  const startMs = 50_000;
  const { judge, health } = await written(startMs, startMs + 500);
  expect(judge).toEqual([51_500, 51_500 + BROADCAST_LIMITS.checkpointMs]);
  expect(health.slice(0, 2)).toEqual([51_000, 51_000 + BROADCAST_LIMITS.healthMs]);
});
