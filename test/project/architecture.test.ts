/** What the syntax tree of each file of `src` tells: imports by their table, pure modules, what a process loads, loose types, lengths. */
import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { circlesOf, fileGraph, folderGraph, roomGraph, stepsOf } from './circles.js';
import { IMPORTS, type ModuleRule, PACKAGE_HOMES, PURE, ROOMED } from './import-table.js';
import { type ParsedSource, parseSource } from './parsed-source.js';
import { allSourceFiles, isBelow, read } from './source-files.js';

const parsed = new Map(
  allSourceFiles().map((path) => [path.slice('src/'.length), parseSource(read(path), path.endsWith('.tsx'))]),
);
const files = fileGraph(parsed);
const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json'));
/** Packages that the dashboard is bundled from are not installed with the server. */
const bundled = Object.keys(devDependencies).filter((name) =>
  [...parsed.values()].some(({ imports }) =>
    imports.some(({ specifier }) => specifier === name || specifier.startsWith(`${name}/`)),
  ),
);

const MAX_FUNCTION_LINES = 70;
/** Rows that may import from everywhere. */
const MAX_ALL_ROWS = 3;

/** Pure modules may hash; nothing else of Node is a function of its input alone. */
const PURE_BUILTINS: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': ['createHash', 'createHmac', 'timingSafeEqual'],
};

function importBreaches(file: string, source: ParsedSource): string[] {
  const rule = ruleFor(file);
  if (rule === undefined) return [`src/${file} has no row in test/project/import-table.ts: give it one.`];
  return source.imports.flatMap((site) => {
    const where = `src/${file}:${site.line}`;
    if (site.specifier === '<computed>') {
      return [`${where} imports a computed name, which cannot be checked: use a literal.`];
    }
    if (!site.specifier.startsWith('.')) return foreignBreach(file, where, site);
    const target = posix.join(posix.dirname(file), site.specifier).replace(/\.js$/, '.ts');
    if (file.endsWith('/vite.config.ts') && isBelow(target, '../scripts')) return [];
    const allowed = site.typeOnly ? [...rule.values, ...rule.types] : rule.values;
    const isOwn = isOwnRoom(file, target);
    if (isOwn || allowed.includes('all') || allowed.some((name) => isBelow(target, name))) return [];
    const may = [...rule.values, ...rule.types.map((name) => `${name} (types)`)];
    return [
      `${where} imports src/${target}${site.typeOnly ? ' (types)' : ''}. ${rule.path} may import ${may.join(', ') || 'nothing'}: ${rule.because}.`,
    ];
  });
}

/** The rule of the most specific path. `file` is below `src/`. */
function ruleFor(file: string): ModuleRule | undefined {
  return IMPORTS.filter((rule) => isBelow(file, rule.path))
    .sort((a, b) => b.path.length - a.path.length)
    .at(0);
}

/** The module of a file below `src/`: its top folder, or its own name at the top. */
function moduleOf(file: string): string {
  return file.split('/')[0] ?? file;
}

/** In a module of rooms, a file's own room is its folder; elsewhere it is the whole module. */
function isOwnRoom(file: string, target: string): boolean {
  const module = moduleOf(file);
  if (moduleOf(target) !== module) return false;
  if (!ROOMED.includes(module)) return true;
  return posix.dirname(target) === posix.dirname(file);
}

function foreignBreach(file: string, where: string, site: ParsedSource['imports'][number]): string[] {
  const name = site.specifier;
  const builtin = name.replace(/^node:/, '');
  if (builtinModules.includes(builtin) || builtinModules.includes(builtin.split('/')[0] ?? '')) {
    if (!name.startsWith('node:'))
      return [`${where} imports ${name}: write node:${name}, so that no package can take its place.`];
    const isPure = PURE.some((module) => isBelow(file, module));
    const bad = site.names.filter((used) => !(PURE_BUILTINS[name] ?? []).includes(used));
    if (!isPure || site.typeOnly || (PURE_BUILTINS[name] !== undefined && bad.length === 0)) return [];
    return [
      `${where} imports ${bad.join(', ') || 'nothing'} from ${name}. A pure module gets outside input as data: pass it in from the shell.`,
    ];
  }
  const packageName = name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
  const places = PACKAGE_HOMES.get(packageName);
  if (places === undefined)
    return [
      `${where} imports the package ${packageName}, which has no home in test/project/import-table.ts: give it one, or do without it.`,
    ];
  if (places.some((place) => isBelow(file, place))) return [];
  return [
    `${where} imports ${packageName}, whose home is ${places.join(', ')}: ask for what is needed through a port.`,
  ];
}

function purityBreaches(file: string, source: ParsedSource): string[] {
  if (!PURE.some((module) => isBelow(file, module))) return [];
  return source.globals.map(
    ({ what, line }) =>
      `src/${file}:${line} uses ${what}. Time, randomness and I/O come into a pure module as data: take them as an argument.`,
  );
}

test('allows every import by a row of the table', () => {
  expect([...parsed].flatMap(([file, source]) => importBreaches(file, source))).toEqual([]);
});

test('pure modules use no clock, no randomness and no I/O', () => {
  expect([...parsed].flatMap(([file, source]) => purityBreaches(file, source))).toEqual([]);
});

test('every dependency has a home, and every home is for a dependency', () => {
  expect([...PACKAGE_HOMES.keys()].sort()).toEqual(
    [...Object.keys({ ...dependencies, ...optionalDependencies }), ...bundled].sort(),
  );
});

test('every path of the table exists', () => {
  const paths = IMPORTS.flatMap(({ path, values, types }) => [path, ...values, ...types]).filter(
    (path) => path !== 'all',
  );
  expect(paths.filter((path) => ![...parsed.keys()].some((file) => isBelow(file, path)))).toEqual([]);
});

test('every pure module has a row', () => {
  const modules = new Set(IMPORTS.map((rule) => rule.path));
  expect(PURE.filter((module) => !modules.has(module))).toEqual([]);
});

test(`at most ${MAX_ALL_ROWS} rows import from everywhere`, () => {
  expect(
    IMPORTS.filter((rule) => [...rule.values, ...rule.types].includes('all'))
      .map((rule) => rule.path)
      .slice(MAX_ALL_ROWS),
  ).toEqual([]);
});

test('every room has a row, or a parent with one', () => {
  const rooms = new Set([...parsed.keys()].map((file) => posix.dirname(file)));
  const bare = [...rooms].filter(
    (room) => room.includes('/') && ROOMED.includes(moduleOf(room)) && !ruleFor(room)?.path.includes('/'),
  );
  expect(bare).toEqual([]);
});

test('no files and no folders import each other in a circle, types included, at any depth', () => {
  const circles = [files, roomGraph(files), folderGraph(files, 1), folderGraph(files, 2)].flatMap(circlesOf);
  expect(circles.map((circle) => [circle.join(', '), ...stepsOf(circle, files)])).toEqual([]);
});

test(`no function has more than ${MAX_FUNCTION_LINES} lines`, () => {
  const long = [...parsed].flatMap(([file, { functions }]) =>
    functions
      .filter(({ lines }) => lines > MAX_FUNCTION_LINES)
      .map(({ name, line, lines }) => `src/${file}:${line} ${name}: ${lines} lines`),
  );
  expect(long).toEqual([]);
});

/** All files that are loaded with this one: type imports vanish. */
function loadedWith(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const { specifier, typeOnly } of parsed.get(entry)?.imports ?? []) {
    const target = posix.join(posix.dirname(entry), specifier).replace(/\.js$/, '.ts');
    if (!typeOnly && specifier.startsWith('.') && parsed.has(target)) loadedWith(target, seen);
  }
  return seen;
}

/** What parses requests, streams and files of others. */
const STRANGERS = ['api', 'ingest', 'rtmp', 'media', 'broadcasts', 'dashboard', 'playback', 'probe', 'vod', 'webhook'];

// docs/ARCHITECTURE.md, The processes.
test.each([
  ['the supervisor', ['server/serve.ts', 'server/supervisor/supervisor.ts']],
  ['the store process', ['server/roles/store.ts', 'store/lmdb/lmdb-store.ts', 'store/remote/server.ts']],
])('%s, which no stranger may slow, loads no code that handles input of strangers', (_process, entries) => {
  const loaded = entries.flatMap((entry) => [...loadedWith(entry)]);
  expect(loaded.length).toBeGreaterThan(entries.length);
  expect(loaded.filter((file) => STRANGERS.some((module) => isBelow(file, module)))).toEqual([]);
});

test('sources have no loose types, no console, no empty catch, no default export, no enum', () => {
  const own = [...parsed].filter(([file]) => !isBelow(file, 'dashboard/web'));
  expect(own.flatMap(([file, { loose }]) => loose.map(({ line, what }) => `src/${file}:${line} ${what}`))).toEqual([]);
});

describe('the checks notice', () => {
  const breaches = (file: string, text: string) => {
    const source = parseSource(text);
    return [...importBreaches(file, source), ...purityBreaches(file, source)];
  };

  test.each([
    ['a rule that reads media', 'rules/live/x.ts', "import { parse } from '../../media/flv/tag-parser.js';"],
    ['a value where types alone are allowed', 'facts/x.ts', "import { parse } from '../media/flv/tag-parser.js';"],
    ['one shell module in another', 'api/x.ts', "import type { Listener } from '../ingest/listener.js';"],
    ['a re-export', 'spec/x.ts', "export * from '../media/packet.js';"],
    ['an import at run time', 'store/x.ts', "const x = await import('../api/services.js');"],
    ['a type import in an expression', 'facts/x.ts', "let a: import('../rules/rule.js').Rule;"],
    ['a socket in the core', 'rtmp/x.ts', "import { connect } from 'node:net';"],
    ['randomness in the core', 'rtmp/x.ts', "import { createHmac, randomBytes } from 'node:crypto';"],
    ['a builtin without its scheme', 'ingest/x.ts', "import { connect } from 'net';"],
    ['a package away from home', 'ingest/x.ts', "import { z } from 'zod';"],
    ['an unknown package', 'api/x.ts', "import _ from 'lodash';"],
    ['the clock', 'facts/x.ts', 'export const t = () => Date.now();'],
    ['the clock as an object', 'facts/x.ts', 'export const t = () => new Date();'],
    ['chance', 'media/x.ts', 'export const r = () => Math.random();'],
    ['a timer', 'lifecycle/x.ts', 'setTimeout(() => undefined, 1);'],
    ['a file outside every module', 'x.ts', 'export {};'],
    ['the judge in a rule', 'rules/live/x.ts', "import { Records } from '../judging/records.js';"],
    ['another room of the server', 'server/system/x.ts', "import { HttpListener } from '../http/listener.js';"],
  ])('%s', (_what, file, text) => {
    expect(breaches(file, text)).toHaveLength(1);
  });

  test.each([
    ['types of facts in a rule', 'rules/x.ts', "import type { Facts } from '../facts/facts.js';"],
    ['inline types', 'rules/x.ts', "import { type Facts } from '../facts/facts.js';"],
    ['a date made of data', 'lifecycle/x.ts', 'export const d = (ms: number) => new Date(ms);'],
    ['hashing in the handshake', 'rtmp/x.ts', "import { createHmac } from 'node:crypto';"],
    ['an own file', 'spec/x.ts', "import { LIVE } from './live.js';"],
  ])('and leave alone %s', (_what, file, text) => {
    expect(breaches(file, text)).toEqual([]);
  });

  test('and a circle of files, of which one only imports types, and the circle of their rooms', () => {
    const source = (text: string) => parseSource(text);
    const graph = fileGraph(
      new Map([
        ['a/one.ts', source("import { two } from './b/two.js';")],
        ['a/b/two.ts', source("import type { Three } from '../three.js';")],
        ['a/three.ts', source("import { one } from './one.js';")],
        ['a/b/four.ts', source("import { two } from './two.js';")],
      ]),
    );
    expect(circlesOf(graph)).toEqual([['a/b/two.ts', 'a/one.ts', 'a/three.ts']]);
    expect(circlesOf(roomGraph(graph))).toEqual([['a', 'a/b']]);
    expect(stepsOf(['a', 'a/b'], graph)).toEqual([
      'a -> a/b: src/a/one.ts imports src/a/b/two.ts',
      'a/b -> a: src/a/b/two.ts imports src/a/three.ts',
    ]);
  });

  test('and the length of a method, of an arrow function and of a component', () => {
    const text =
      '/** A class. */\nclass A {\n  run() {\n    return 1;\n  }\n}\nexport const b = () => {\n  return <p>{1}</p>;\n};';
    expect(parseSource(text, true).functions).toEqual([
      { name: 'run', line: 3, lines: 3 },
      { name: 'b', line: 7, lines: 3 },
    ]);
  });

  test('and a breach says where it is, what it means and what to do', () => {
    expect(breaches('rules/live/x.ts', "\n\nimport { parse } from '../../media/flv/tag-parser.js';")).toEqual([
      'src/rules/live/x.ts:3 imports src/media/flv/tag-parser.ts. rules/live may import spec, facts, rules/catalogue-entry.ts, rules/rule.ts, rules/profile.ts, rules/bounds.ts, rules/codec-claims.ts, rules/track-presence.ts, rules/flaw-check.ts, rules/cause.ts: a rule sees facts, never bytes; a missing fact belongs in facts.',
    ]);
  });

  test.each([
    ['any', 'let a: any;'],
    ['!', 'const b = a!;'],
    ['as unknown as', 'const c = a as unknown as string;'],
    ['enum', 'enum E { A }'],
    ['namespace', 'namespace N { export const a = 1; }'],
    ['export default', 'export default 1;'],
    ['console', 'console.log(1);'],
    ['empty catch', 'try { f(); } catch {}'],
  ])('%s', (what, text) => {
    expect(parseSource(`\n${text}`).loose).toEqual([{ what, line: 2 }]);
  });
});
