/** docs/operations/faults.md and docs/security-tests.md speak of tests that exist, and of all that were made for them. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, read } from './source-files.js';

interface Row {
  readonly file: string;
  readonly name: string;
}

/** What the last cell of a row names: "`file`: name". */
function rowsOf(document: string): Row[] {
  return [...read(document).matchAll(/\| `(test\/[\w/.-]+\.ts)`: (.+) \|$/gm)].map(([, file = '', name = '']) => ({
    file,
    name,
  }));
}

/** Names as they stand in the source: behind `test(`, or of a table of cases behind `])(`. */
function namesIn(file: string): string[] {
  return [
    ...read(file).matchAll(
      /(?:\b(?:test|inFull)\(|\b(?:test|inFull)\.each.*\)\(|^\](?: as const)?\)\()\s*'((?:[^'\\]|\\.)*)'/gm,
    ),
  ].map(([, name = '']) => name);
}

const testsIn = (folder: string): Row[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.test.ts'))
    .flatMap((name) => namesIn(join(folder, name)).map((test) => ({ file: join(folder, name), name: test })));

const text = ({ file, name }: Row): string => `${file}: ${name}`;

test('docs/supply-chain.md lists the licenses of package-lock.json', () => {
  const run = spawnSync(process.execPath, ['scripts/licenses.mjs', '--check'], { cwd: ROOT, encoding: 'utf8' });
  expect(run.stderr).toBe('');
});

test.each([
  ['docs/operations/faults.md', 'test/faults'],
  ['docs/security-tests.md', 'test/abuse'],
])('%s: each row has its test, and each test of %s its row', (document, folder) => {
  const rows = rowsOf(document);
  expect(rows.filter(({ file, name }) => !namesIn(file).includes(name)).map(text)).toEqual([]);
  const named = new Set(rows.map(text));
  expect(
    testsIn(folder)
      .map(text)
      .filter((test) => !named.has(test)),
  ).toEqual([]);
  expect(testsIn(folder).length).toBeGreaterThan(5);
});
