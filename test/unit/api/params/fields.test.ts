import fc from 'fast-check';
import { parseFields, type Selection } from '../../../../src/api/params/fields.js';
import { ServiceError } from '../../../../src/spec/service-errors.js';

const names = (selections: readonly Selection[] | undefined) => selections?.map((each) => each.name);

test('parses a flat list with white space and trailing commas', () => {
  expect(names(parseFields(' id, title ,,description, '))).toEqual(['id', 'title', 'description']);
});

test.each([[''], ['  '], [undefined], [[]]])('%j is the default set', (fields) => {
  expect(parseFields(fields)).toBeUndefined();
});

test('accepts a JSON array, as text or as a value', () => {
  expect(names(parseFields('["id","title"]'))).toEqual(['id', 'title']);
  expect(names(parseFields(['id', 'from{name}']))).toEqual(['id', 'from']);
});

test('parses nesting, modifiers in any order, and aliases', () => {
  const [comments] = parseFields('comments.order(chronological).limit(2).as(latest){from{name},message}') ?? [];
  expect(comments).toMatchObject({
    name: 'comments',
    alias: 'latest',
    modifiers: { order: 'chronological', limit: '2' },
    childText: 'from{name},message',
  });
  expect(names(comments?.children)).toEqual(['from', 'message']);
  expect(names(comments?.children?.[0]?.children)).toEqual(['name']);
});

test('parses the older form of braces', () => {
  const [likes, from] = parseFields('likes.limit(1).fields(id,name),from.fields()') ?? [];
  expect(likes).toMatchObject({ modifiers: { limit: '1' }, childText: 'id,name' });
  expect(names(likes?.children)).toEqual(['id', 'name']);
  expect(from).toMatchObject({ modifiers: {}, children: undefined });
  expect(() => parseFields(Array.from({ length: 30 }, () => `a.fields(${'b,'.repeat(40)})`).join(','))).toThrow(
    ServiceError,
  );
});

test('allows the same edge several times', () => {
  const both = parseFields('reactions.type(LIKE).limit(0).summary(total_count).as(like),reactions.type(LOVE).as(love)');
  expect(both?.map((each) => each.alias)).toEqual(['like', 'love']);
});

test.each([
  ['a{b', 3],
  ['a.limit', 7],
  ['a.limit(2', 9],
  ['a}', 1],
  ['a b', 2],
  ['{a}', 0],
  ['a.(2)', 2],
])('%s is a syntax error at character %i', (text, at) => {
  expect(() => parseFields(text)).toThrow(`at character ${at}`);
});

test('bounds length, depth and number of fields', () => {
  for (const text of ['x'.repeat(20_000), `${'a{'.repeat(12)}b${'}'.repeat(12)}`, 'a,'.repeat(600)]) {
    expect(() => parseFields(text)).toThrow(ServiceError);
  }
});

test('parses any text to selections or a ServiceError', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab{}().,[]"\' 1_') }), (text) => {
      try {
        parseFields(text);
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
      }
    }),
  );
});
