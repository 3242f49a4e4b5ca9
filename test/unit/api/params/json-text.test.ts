import { API_LIMITS } from '../../../../src/api/context/limits.js';
import { parseJson } from '../../../../src/api/params/raw.js';

const { jsonDepth, jsonValues } = API_LIMITS;
const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
const values = (count: number) => `[${Array.from({ length: count - 1 }, () => 1).join(',')},1]`;

test('JSON is parsed up to the limits of depth and values', () => {
  expect(parseJson(nested(jsonDepth))).toBeDefined();
  expect(() => parseJson(nested(jsonDepth + 1))).toThrow(/at most 32 deep/);
  expect(parseJson(values(jsonValues))).toHaveLength(jsonValues);
  expect(() => parseJson(values(jsonValues + 1))).toThrow(/at most 10000 values/);
});

test('counts neither depth nor values in strings, also with escapes', () => {
  const text = `${'[{,"'.repeat(jsonValues)}\\`;
  expect(parseJson(JSON.stringify({ [text]: text, b: [] }))).toEqual({ [text]: text, b: [] });
});

test.each(['{"a":1', '"', '{"a":"\\"}', ']', ''])('a text that is not JSON is a syntax error: %s', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
});
