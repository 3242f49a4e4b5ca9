/** A rule is one file: all that is said of it by its code stands in its entry. */
import { CATALOGUE } from '../../src/rules/registry/catalogue.js';
import { allSourceFiles, isBelow, read } from './source-files.js';

/** Where codes are at home: the specification, the rules, and the remedies in the words of each encoder. */
const HOMES = ['spec', 'rules/live', 'rules/service', 'rules/upload', 'rules/remedies'];

/** Other files that name a code, each with the reason. */
const NAMED: Readonly<Record<string, string>> = {
  'golive/last-broadcast.ts': 'ranges of codes that an answer to OBS repairs',
  'broadcasts/key-targets.ts': 'a broadcast that reached its limit is followed by a new one',
  'api/resources/errors.ts': 'descriptions of fields that single rules fill',
};
const MOST_NAMED = 6;

/** `#6704` is a discussion that a conformance case cites. */
const CODES = new RegExp(`(?<!#)\\b(${CATALOGUE.map(({ code }) => code).join('|')})\\b`);

function namesCode(text: string): boolean {
  return CODES.test(text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''));
}

test('no file beside the rules names a code of the catalogue', () => {
  const naming = allSourceFiles()
    .filter((path) => namesCode(read(path)))
    .map((path) => path.slice('src/'.length))
    .filter((file) => !HOMES.some((home) => isBelow(file, home)));
  expect(naming.sort()).toEqual(Object.keys(NAMED).sort());
  expect(naming.length).toBeLessThanOrEqual(MOST_NAMED);
});

test('the check notices a code in a table and in a text, and leaves comments and citations alone', () => {
  expect(namesCode('const NAMES = { 6208: "a" };')).toBe(true);
  expect(namesCode("const text = 'as 6208 says';")).toBe(true);
  expect(namesCode('// as 6208 says\n/** 6101 */')).toBe(false);
  expect(namesCode("clause: 'someone/server#6208'")).toBe(false);
});
