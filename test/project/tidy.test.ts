/** Habits that no other tool holds: what may stand in sources, tests and tracked files. */
import { basename } from 'node:path';
import { read, sourceFiles, trackedFiles, trackedTextFiles } from './source-files.js';

/** A thing is whole up to this length: one class in one file, its state in one place. */
const MAX_LINES = 600;

/** What happened comes back as a value: callbacks are for sockets, timers, other processes and the store. */
const MAX_HOOKS = 120;
/** A file shorter than this belongs into its only importer, unless files of its room are entries of a list. */
const SMALL_LINES = 45;
const MAX_SMALL_FILES = 140;

const sources = sourceFiles();
const tracked = trackedTextFiles();
const tests = tracked.filter((path) => path.startsWith('test/') && path.endsWith('.ts'));
const here = 'test/project/tidy.test.ts';

function matches(paths: readonly string[], pattern: RegExp): string[] {
  return paths
    .filter((path) => path !== here)
    .flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}: ${line.trim().slice(0, 100)}`] : [])),
    );
}

test.each([
  ['source', sources],
  ['test', tests],
] as const)('no %s is longer than 600 lines', (_kind, paths) => {
  expect(paths.filter((path) => read(path).split('\n').length > MAX_LINES + 1)).toEqual([]);
});

test(`at most ${MAX_HOOKS} lines name a callback on…`, () => {
  const hooks = matches(sources, /\bon[A-Z][A-Za-z]*\??[:(]/);
  expect(hooks.slice(MAX_HOOKS)).toEqual([]);
});

test(`at most ${MAX_SMALL_FILES} files outside rules, cases and commands have fewer than ${SMALL_LINES} lines`, () => {
  const commands = new Set(read('src/cli/program.ts').match(/(?<=import\('\.\/)[^']+(?=\.js')/g));
  const isEntry = (path: string) =>
    /^src\/(rules|conform\/cases)\//.test(path) || commands.has(path.slice('src/cli/'.length, -'.ts'.length));
  const small = sources.filter((path) => !isEntry(path) && read(path).split('\n').length - 1 < SMALL_LINES);
  expect(small.slice(MAX_SMALL_FILES)).toEqual([]);
});

test('the page of the architecture stays readable: at most 150 lines', () => {
  expect(read('docs/ARCHITECTURE.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test('file names are kebab-case', () => {
  const odd = [...sources, ...tests].filter(
    (path) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.(test|contract))?\.ts$/.test(basename(path)),
  );
  expect(odd).toEqual([]);
});

test('the compiler and the linter are not silenced', () => {
  expect(matches(sources, /@ts-(ignore|expect-error|nocheck)|biome-ignore|eslint-disable/)).toEqual([]);
});

test('no test is skipped but for `test:long`, focused or left for later, and none sleeps', () => {
  const others = tests.filter((path) => path !== 'test/support/in-full.ts');
  expect(matches(others, /\b(it|test|describe)\.(skip|only|todo)\b|\bx(it|test|describe)\(|\bfdescribe\(/)).toEqual([]);
  // Helpers may pace a stream or ask again; a test waits for what happens.
  const own = tests.filter((path) => !path.startsWith('test/support/'));
  expect(matches(own, /setTimeout\((r|res|resolve|done)\s*,|timers\/promises/)).toEqual([]);
});

test('no data folder of a server is kept: it holds its secret and a token', () => {
  expect(trackedFiles().filter((path) => /(^|\/)(key-secret|quickstart\.json|lock\.mdb)$/.test(path))).toEqual([]);
});

test('no path is taken from a URL without decoding it: folders may have spaces and umlauts', () => {
  expect(matches(tracked, /import\.meta\.url\)\.(pathname|href\.(slice|replace))|file\.pathname/)).toEqual([]);
});

test('no leftover markers', () => {
  expect(matches(tracked, /\b(TODO|FIXME|XXX|HACK)\b/)).toEqual([]);
});

test('no paths of one machine and no addresses of package registries', () => {
  const paths = tracked.filter((path) => path !== 'package-lock.json');
  expect(matches(paths, /(^|[\s"'`(=])\/(work|root|home\/[a-z]+|Users\/[A-Za-z]+)\//)).toEqual([]);
  expect(
    matches(tracked, /https?:\/\/[\w.-]*(registry|artifactory|nexus|verdaccio|jfrog)[\w.-]*|"resolved":/i),
  ).toEqual([]);
});
