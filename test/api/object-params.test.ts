/** Objects, lists and null where a parameter, or a value of OBS's question, is a text or a number. `test/long/object-params.test.ts` sends all of them. */

import { ApiHarness } from '../support/api-harness.js';
import { obs32Request } from '../support/go-live-request.js';
import { inFull } from '../support/in-full.js';
import { faultsIn, ParamSweep } from '../support/param-sweep.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open({ appId: '77', appSecret: 'hush' });
});
afterAll(() => harness.close());

inFull('no parameter of a route takes an object for a text or fails on one', async () => {
  const found = await new ParamSweep(harness).run(true);
  expect(found.length).toBeGreaterThan(1_200);
  expect(faultsIn(found)).toEqual([]);
});

test.each(['{}', '[{}]', '{"a":1}', '{"__proto__":{"x":1}}'])('a summary of %s is error 100', async (summary) => {
  const { error } = (await harness.get(`/${harness.page}/live_videos`, { summary })).body;
  expect([error.code, error.is_transient, error.message]).toEqual([
    100,
    false,
    expect.stringMatching(/^\(#100\) Param summary/),
  ]);
});

test('no value of the question of OBS fails on an object, a list or null', async () => {
  const question = obs32Request({ key: await harness.keyOf(await harness.live()), channels: 2, sampleRateHz: 48_000 });
  const values: unknown[] = [{}, [], null, { a: { b: [] } }, [{}], { toString: 1 }];
  const answers = [...changed(question, values)].map(async (changedQuestion) => {
    const { status, body } = await harness.ask('POST', '/obs/go-live', { json: changedQuestion });
    return [status, body.meta?.service === undefined ? body : 'answered'];
  });
  expect(answers.length).toBeGreaterThan(200);
  expect(new Set((await Promise.all(answers)).map((answer) => JSON.stringify(answer)))).toEqual(
    new Set(['[200,"answered"]']),
  );
});

/** Copies of `value` with each of its values, at every depth, replaced by each of `others`. */
function* changed(value: unknown, others: readonly unknown[]): Generator<unknown> {
  yield* others;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const other of changed(inner, others)) {
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
    }
  }
}
