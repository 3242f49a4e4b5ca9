import { CpuShare } from '../../src/probe/cpu-share.js';
import { PoolFullError } from '../../src/probe/pool.js';

test('pauses after each piece of work in proportion to its duration', async () => {
  let nowMs = 0;
  const starts: number[] = [];
  const pause = async (ms: number) => {
    nowMs += ms;
  };
  const share = new CpuShare({ share: 0.25, waiting: 2, nowMs: () => nowMs, pause });
  const work = (ms: number) => async () => {
    starts.push(nowMs);
    nowMs += ms;
  };
  await Promise.all([share.run(work(100)), share.run(work(40)), share.run(work(10))]);
  expect(starts).toEqual([0, 400, 560]);
  nowMs = 10_000;
  await share.run(work(1));
  expect(starts.at(-1)).toBe(10_000);
});

test('pauses after a failure too, and refuses work beyond its queue', async () => {
  let nowMs = 0;
  const share = new CpuShare({
    share: 0.5,
    waiting: 1,
    nowMs: () => nowMs,
    pause: async (ms) => {
      nowMs += ms;
    },
  });
  const failed = share.run(async () => {
    nowMs += 50;
    throw new Error('damaged');
  });
  const next = share.run(async () => nowMs);
  expect(share.hasRoom).toBe(false);
  await expect(share.run(async () => 0)).rejects.toThrow(PoolFullError);
  await expect(failed).rejects.toThrow('damaged');
  expect(await next).toBe(100);
});
