/** Long work of the detector, in the process that also answers samples of running broadcasts. */
import { setTimeout } from 'node:timers/promises';
import { PACE } from './limits.js';

/** Runs all steps, pausing after some milliseconds for as long as they took: half a processor. @throws if aborted */
export async function paced<Result>(steps: Generator<void, Result>, signal?: AbortSignal): Promise<Result> {
  let startMs = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const tookMs = performance.now() - startMs;
    if (tookMs < PACE.workMs) continue;
    signal?.throwIfAborted();
    await setTimeout(tookMs);
    startMs = performance.now();
  }
}
