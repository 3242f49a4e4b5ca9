import { createHash } from 'node:crypto';
import { jsonChunks, jsonOf } from '../../../../src/api/http/json-chunks.js';

const slices = () => {
  let turns = 0;
  return {
    isOver: () => true,
    next: async () => {
      turns += 1;
    },
    taken: () => turns,
  };
};

const rows = Array.from({ length: 5_000 }, (_each, n) => ({ id: `${n}`, n, half: n / 2, is: n % 2 === 0, none: null }));

test.each([
  ['rows', { data: rows, paging: { next: 'x' } }],
  ['values that JSON omits', { a: undefined, b: [undefined, 1], c: { d: undefined } }],
  ['strings with escapes', { 'a"b': 'é"\\\n\u0001😀', e: '' }],
  ['nothing', {}],
  ['a scalar', 'x'],
])('%s: same text as JSON.stringify, with its hash', async (_what, value) => {
  const json = await jsonChunks(value, slices());
  expect(json.toString()).toBe(JSON.stringify(value));
  expect(json.bytes).toBe(Buffer.byteLength(JSON.stringify(value)));
  expect(json.sha1).toBe(createHash('sha1').update(JSON.stringify(value)).digest('base64url'));
});

test('a long text split within a surrogate pair is parsed as the original', async () => {
  const value = { body: `x${'😀'.repeat(100_000)}` };
  expect(JSON.parse((await jsonChunks(value, slices())).toString())).toEqual(value);
});

test('large responses yield repeatedly, small ones are serialized at once', async () => {
  const turns = slices();
  await jsonOf({ rows }, 10_000_000, turns);
  expect(turns.taken()).toBeGreaterThan(100);
  const taken = turns.taken();
  expect(String(await jsonOf({ id: '1' }, 10, turns))).toBe('{"id":"1"}');
  expect(turns.taken()).toBe(taken);
});
