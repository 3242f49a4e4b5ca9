import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { name } from '../../../src/store/lmdb/keys.js';
import { openTables } from '../../../src/store/lmdb/tables.js';
import { temporaryFolderOfFile } from '../../support/store-harness.js';

const folder = temporaryFolderOfFile();
afterAll(() => folder.remove());

test('a file that grows is mapped once: maps of its earlier sizes would stay resident', async () => {
  const path = join(folder.path, 'store');
  const tables = openTables(path);
  const values = tables.table<string>('values');
  for (let row = 0; row < 40; row++) await tables.write(() => values.put(name(`row-${row}`), 'x'.repeat(100_000)));
  const file = join(path, 'data.mdb');
  expect(statSync(file).size).toBeGreaterThan(4_000_000);
  const maps = readFileSync('/proc/self/maps', 'utf8').split('\n');
  expect(maps.filter((line) => line.endsWith(file))).toHaveLength(1);
  await tables.close();
});
