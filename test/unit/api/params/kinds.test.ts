import fc from 'fast-check';
import { z } from 'zod';
import { bool, id, int, list, object, oneOf, resolveTimeWord, text, time } from '../../../../src/api/params/kinds.js';
import { parseLooseJson } from '../../../../src/api/params/loose-json.js';
import { parseParams } from '../../../../src/api/params/parse.js';
import { noParams, readQuery } from '../../../../src/api/params/raw.js';
import { endsSoon } from '../../../support/ends-soon.js';

describe('loose JSON', () => {
  test.each([
    ['[{page_id:123,allow:true}]', [{ page_id: 123, allow: true }]],
    ["['a','b']", ['a', 'b']],
    ['{\'a\': "b", c: [1, 2.5, null,],}', { a: 'b', c: [1, 2.5, null] }],
    ['{"a\\u0041\\n":"\\"x\\""}', { 'aA\n': '"x"' }],
    ['12345678901234567890', '12345678901234567890'],
  ])('%s', (source, value) => {
    expect(JSON.parse(JSON.stringify(parseLooseJson(source)))).toEqual(value);
  });

  test.each(['{a:1', '[1 2]', '{a}', "'a", '', '{"a":}', '['.repeat(40)])('%s is invalid', (source) => {
    expect(parseLooseJson(source)).toBeUndefined();
  });

  test('parses strict JSON like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4, noUnicodeString: false }), (source) => {
        const strict = JSON.parse(source) as unknown;
        fc.pre(!/[eE]\d|\d{16}|__proto__/.test(source));
        expect(JSON.stringify(parseLooseJson(source))).toBe(JSON.stringify(strict));
      }),
    );
  });

  test('parses a million digits and a letter as a word in linear time', () => {
    const word = `${'1'.repeat(1_000_000)}x`;
    expect(endsSoon(() => parseLooseJson(word)) === word).toBe(true);
  });

  test.each([
    ['1.', 1],
    ['.5', 0.5],
    ['+1.5e3', 1500],
    ['-1.e2', -100],
    ['.', '.'],
    ['1.2.3', '1.2.3'],
  ])('%s', (source, value) => {
    expect(parseLooseJson(source)).toBe(value);
  });

  test('cannot reach a prototype', () => {
    const value = parseLooseJson('{__proto__:{polluted:1},constructor:2}') as Record<string, unknown>;
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('bracket keys', () => {
  test('create objects and lists', () => {
    const raw = readQuery(
      'options[0]=a&options[1]=b&targeting[geo_locations][countries][]=US&x[__proto__][y]=1',
      noParams(),
    );
    expect(JSON.parse(JSON.stringify(raw))).toMatchObject({
      options: { 0: 'a', 1: 'b' },
      targeting: { geo_locations: { countries: { 0: 'US' } } },
    });
    expect(({} as Record<string, unknown>).y).toBeUndefined();
  });

  test('are bounded', () => {
    expect(() => readQuery(`a${'[b]'.repeat(9)}=1`, noParams())).toThrow('nested');
    expect(() => readQuery(Array.from({ length: 1001 }, (_, n) => `k${n}=1`).join('&'), noParams())).toThrow('1000');
  });
});

describe('parameter types', () => {
  const ok = (schema: z.ZodType, value: unknown) => parseParams(z.object({ p: schema }), { p: value }).p;
  const fault = (schema: z.ZodType, value: unknown) => {
    try {
      parseParams(z.object({ p: schema }), value === undefined ? {} : { p: value });
    } catch (error) {
      return (error as Error).message;
    }
    return 'passed';
  };

  test.each([
    [bool(), 'TRUE', true],
    [bool(), 0, false],
    [bool(), '1', true],
    [int(), '12', 12],
    [int(), 12, 12],
    [text(), 7, '7'],
    [id(), 12, '12'],
    [id(), '12_34', '12_34'],
    [oneOf(['EVERYONE', 'SELF']), 'self', 'SELF'],
    [list(text()), 'a, b', ['a', 'b']],
    [list(text()), '["a","b"]', ['a', 'b']],
    [list(text()), { 1: 'b', 0: 'a' }, ['a', 'b']],
    [list(int()), '[1,2]', [1, 2]],
    [list(object({ a: int() })), '[{a:1}]', [{ a: 1 }]],
    [time(), '1700000000', 1_700_000_000_000],
    [time(), '2023-11-14', Date.UTC(2023, 10, 14)],
    [time(), '2023-11-14T22:13:20+0100', 1_700_000_000_000 - 3_600_000],
    [time(), '2023-11-14 22:13:20', 1_700_000_000_000],
  ] as const)('accepts value %#', (schema, value, expected) => {
    expect(ok(schema as z.ZodType, value)).toEqual(expected);
  });

  test.each([
    [bool(), 'maybe', '(#100) Param p must be a boolean (true, false, 1 or 0)'],
    [int({ min: 0 }), '-1', '(#100) Param p must be an integer greater than or equal to 0'],
    [int(), '1.5', '(#100) Param p must be an integer'],
    [id(), 'abc', '(#100) Param p must be an id'],
    [id(), 2 ** 60, '(#100) Param p must be an id'],
    [time(), 'whenever', '(#100) Param p must be a time (unix seconds or ISO 8601)'],
    [time(), '2026-02-30', '(#100) Param p must be a time (unix seconds or ISO 8601)'],
    [time(), '2026-11-31T10:00:00+05:30', '(#100) Param p must be a time (unix seconds or ISO 8601)'],
    [list(int()), 'a', '(#100) Param p[0] must be an integer'],
    [text(), undefined, '(#100) The parameter p is required'],
  ] as const)('refuses value %#', (schema, value, message) => {
    expect(fault(schema as z.ZodType, value)).toBe(message);
  });

  test('resolve time words', () => {
    const now = Date.UTC(2023, 10, 14, 22, 13, 20);
    expect(resolveTimeWord('yesterday', now)).toBe('2023-11-13T00:00:00.000Z');
    expect(resolveTimeWord('-2 hours', now)).toBe('2023-11-14T20:13:20.000Z');
    expect(resolveTimeWord('1700000000', now)).toBe('1700000000');
  });
});
