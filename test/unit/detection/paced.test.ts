/** Long work of the detector leaves room for other work, and ends when its job does. */
import { PACE } from '../../../src/detection/limits.js';
import { paced } from '../../../src/detection/paced.js';

/** Each step uses the processor for a little longer than may be used without a pause. */
function* work(steps: number): Generator<void, string> {
  for (let step = 0; step < steps; step++) {
    const endMs = performance.now() + PACE.workMs + 1;
    while (performance.now() < endMs);
    yield;
  }
  return 'done';
}

test('other work is done between the steps', async () => {
  let others = 0;
  const timer = setInterval(() => others++, 1);
  expect(await paced(work(3))).toBe('done');
  clearInterval(timer);
  expect(others).toBeGreaterThanOrEqual(3);
});

test('ends with its job', async () => {
  const job = new AbortController();
  job.abort(new Error('the job is over'));
  await expect(paced(work(1_000), job.signal)).rejects.toThrow('the job is over');
});
