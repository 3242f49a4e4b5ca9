/** The recipes that `test/recipes/changed-tree` carries out, with the types of the changed sources checked. */
import { join } from 'node:path';
import { DETECTOR } from '../recipes/detector/changes.js';
import { PROTOCOL } from '../recipes/protocol/changes.js';
import { buildChangedTree } from '../support/changed-tree.js';
import { temporaryFolderOfFile } from '../support/store-harness.js';

const folder = temporaryFolderOfFile();
afterAll(() => folder.remove());

test.each([
  ['detector', [DETECTOR]],
  ['protocol', [PROTOCOL]],
  ['both', [DETECTOR, PROTOCOL]],
])('the compiler accepts the changes of the recipe: %s', (name, recipes) => {
  expect(buildChangedTree(join(folder.path, name), recipes, 'checked')).toMatch(/main\.js$/);
});
