import { codeOf, isCode } from '../../../src/lib/errors.js';
import { defined, isObject, isRecord } from '../../../src/lib/objects.js';

test.each([
  ['an object', {}, true, true],
  ['an array', [], true, false],
  ['null', null, false, false],
  ['a function', () => 1, false, false],
  ['text', 'text', false, false],
])('recognizes %s', (_what, value, object, record) => {
  expect([isObject(value), isRecord(value)]).toEqual([object, record]);
});

test('leaves out undefined properties and keeps null, zero and empty text', () => {
  const id: string | undefined = undefined;
  const fields = defined({ id, name: '', count: 0, parent: null });
  expect(Object.keys(fields)).toEqual(['name', 'count', 'parent']);
});

test('reads the code of an error only', () => {
  const error = Object.assign(new Error('no such file'), { code: 'ENOENT' });
  expect([codeOf(error), codeOf(new Error('no code')), codeOf(null), codeOf('ENOENT')]).toEqual(['ENOENT', '', '', '']);
  expect([isCode(error, 'ENOENT'), isCode(error, 'EEXIST'), isCode(undefined, '')]).toEqual([true, false, false]);
});
