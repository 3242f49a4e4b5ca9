/** Runs the targets of text, files and the running API for a fixed number of executions. `npm run fuzz` runs longer. */
import { type FuzzTarget, fuzz } from '../support/fuzz.js';
import { FILE_TARGETS, mp4Target } from './targets/files.js';
import { answering, HTTP_TARGETS } from './targets/http.js';
import { batchTarget, graphTarget, uploadTarget, webhookTarget } from './targets/interface.js';
import { textOf, tokens } from './targets/texts.js';

test.each(Object.entries<FuzzTarget>({ ...HTTP_TARGETS, ...FILE_TARGETS }))('%s', async (_name, target) => {
  expect(await fuzz(target)).toBeUndefined();
});

test.each([
  ['mp4', mp4Target],
  ['batch', batchTarget],
  ['graph', graphTarget],
  ['upload', uploadTarget],
  ['webhook', webhookTarget],
])('%s', async (_name, make) => {
  const target = await make();
  expect(await fuzz(target)).toBeUndefined();
  await target.close?.();
});

test('canary: catches a reader that throws an unexpected error', async () => {
  const decode = (input: Uint8Array): void => answering(() => void JSON.parse(textOf(input)));
  expect((await fuzz({ seeds: tokens('{"a":1}'), decode }))?.error).toBeInstanceOf(SyntaxError);
});
