/** The text of a record: the newest value while it is open, the worst one once it is cleared. */
import { judgeStream, LiveRun, only } from './harness.js';

test('an open record says the newest value, a cleared one the worst', () => {
  const run = judgeStream({
    durationMs: 60_000,
    keyFrameIntervalMs: 9_000,
    changes: [{ atMs: 20_000, keyFrameIntervalMs: 5_000 }],
  });
  const written = run.changes.filter(({ body }) => body.error_code === 6208);
  expect(written[0]?.body.description).toContain('No key frame for 4.07 s');
  const open = written.filter(({ body }) => body.cleared_time_ms === null).at(-1);
  expect(open?.body.description).toContain('No key frame for 5 s');
  expect(open?.body.worst).toBe(9_000);
  expect(only(run, 6208).description).toContain('No key frame for 9 s');
});

test('the text is made anew after a restart', () => {
  const first = new LiveRun()
    .connect()
    .goLive()
    .send({ durationMs: 13_000, keyFrameIntervalMs: 6_000 })
    .disconnect(false);
  const second = new LiveRun({ resume: JSON.parse(JSON.stringify(first.judge.resume())), fence: 2 });
  second.atMs = first.atMs;
  second.connect().send({ startMs: 20_000, durationMs: 10_000, keyFrameIntervalMs: 8_000 });
  expect(second.judge.lastRecord(6208)?.description).toMatch(/No key frame for 8 s/);
  second.end();
  expect(second.records.find(({ error_code: code }) => code === 6208)?.description).toMatch(/No key frame for 8 s/);
});

test('6202 names the bound that was used', () => {
  const run = judgeStream({ durationMs: 10_000, levelIdc: 51 });
  const [raised, ...later] = run.changes.filter(({ body }) => body.error_code === 6202);
  expect(raised?.body.description).toContain('the maximum at any frame rate is 4.2');
  expect(later.at(-1)?.body.description).toContain('the maximum at 30 fps is 4.1');
  expect(later.at(-1)?.body.limit).toBe('4.1');
  expect(only(judgeStream({ durationMs: 10_000, levelIdc: 42 }), 6202).description).toContain('at 30 fps is 4.1');
});
