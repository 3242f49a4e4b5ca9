/**
 * The recipes of CONTRIBUTING.md: each lists exactly the files that mention its example in the tree, or that its example changes in a
 * copy.
 */
import { DETECTOR } from '../recipes/detector/changes.js';
import { PROTOCOL } from '../recipes/protocol/changes.js';
import type { Changes } from '../support/changed-tree.js';
import { allSourceFiles, read } from './source-files.js';

/** How many files a recipe may touch beside its folder. */
const MOST_FILES: Readonly<Record<string, number>> = {
  'A rule on existing facts': 2,
  'An edge of the HTTP interface': 3,
  // Recognition is apart: browsers have it, and no file of a disk.
  'A container for `validate`': 3,
  'A store': 4,
  'A detector': 6,
  'An ingest protocol': 4,
};

/** Recipes that a test carries out in a copy of the tree. */
const CARRIED_OUT: Readonly<Record<string, Changes>> = { 'A detector': DETECTOR, 'An ingest protocol': PROTOCOL };

interface Recipe {
  readonly title: string;
  /** Identifiers and paths of the example. */
  readonly names: readonly string[];
  /** Rows of its tables; a folder ends with a slash. The first table is what every such change touches. */
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

function recipes(): Recipe[] {
  return read('CONTRIBUTING.md')
    .split('\n### ')
    .slice(1)
    .map((section) => {
      const [title = ''] = section.split('\n');
      const example = /^Example: (.*)$/m.exec(section)?.[1] ?? '';
      const tables = section.split('| File | Change |').slice(1);
      const rows = (table = '') => [...table.matchAll(/^\| `(src\/[^`]+)` \|/gm)].map(([, path = '']) => path);
      return {
        title,
        names: [...example.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
        required: rows(tables[0]),
        optional: rows(tables[1]),
      };
    });
}

const mentions = (names: readonly string[]) => (path: string) =>
  names.some((name) => path.includes(`/${name}/`) || read(path).includes(name));

test('there is a recipe for each kind of change', () => {
  expect(recipes().map(({ title }) => title)).toEqual(Object.keys(MOST_FILES));
});

test.each(recipes())('$title: the files listed are those of the example', ({ title, names, required, optional }) => {
  const listed = [...required, ...optional];
  const folders = listed.filter((path) => path.endsWith('/'));
  const changed = CARRIED_OUT[title];
  const files = changed === undefined ? allSourceFiles().filter(mentions(names)) : Object.keys(changed);
  const found = files.map((path) => folders.find((folder) => path.startsWith(folder)) ?? path);
  expect([...new Set(found)].sort()).toEqual([...listed].sort());
});

test.each(recipes())('$title: touches few files beside its folder', ({ title, required }) => {
  expect(required.filter((path) => !path.endsWith('/')).length).toBeLessThanOrEqual(MOST_FILES[title] ?? 0);
});

test('every example that runs exists', () => {
  const named = [...read('CONTRIBUTING.md').matchAll(/`(test\/recipes\/[a-z-]+\.test\.ts)`/g)].map(
    ([, path = '']) => path,
  );
  expect(new Set(named).size).toBe(Object.keys(MOST_FILES).length);
  for (const path of named) expect(read(path)).toContain('CONTRIBUTING.md');
});
