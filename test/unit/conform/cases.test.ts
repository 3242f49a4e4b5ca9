/** The conformance cases as a collection: one file each, of a size that is read at a glance. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GROUPS, LEVELS } from '../../../src/conform/case.js';
import { CASES } from '../../../src/conform/cases/index.js';

const FOLDER = join(import.meta.dirname, '../../../src/conform/cases');
const files = GROUPS.flatMap((group) =>
  readdirSync(join(FOLDER, group))
    .filter((file) => file !== 'index.ts')
    .map((file) => `${group}/${file.replace(/\.ts$/, '')}`),
);

test('each file is a case, and each case is listed', () => {
  expect(CASES.map(({ id }) => id).sort()).toEqual([...files].sort());
});

test.each(CASES.map((each) => [each.id, each]))(
  '%s has at most 60 lines, a clause, a level and a sentence',
  (id, each) => {
    expect(readFileSync(join(FOLDER, `${id}.ts`), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(60);
    expect(each.group).toBe(id.split('/')[0]);
    expect(LEVELS).toContain(each.level);
    expect(each.clause).not.toBe('');
    expect(each.title).toMatch(/^\S.*[^.]$/);
  },
);

test('there are 110 cases at least, in nine groups', () => {
  expect(CASES.length).toBeGreaterThanOrEqual(110);
  expect(new Set(CASES.map(({ group }) => group)).size).toBe(9);
});
