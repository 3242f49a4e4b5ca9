/** Documents against the code: links, commands, settings and codes that they name exist. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { TRUST } from '../../src/cli/doctor/trust.js';
import { SETTINGS } from '../../src/config/settings/schema.js';
import { CATALOGUE } from '../../src/rules/registry/catalogue.js';
import { commandNames } from '../support/cli.js';
import { ROOT, read, trackedTextFiles } from './source-files.js';

const documents = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path)),
  ...trackedTextFiles().filter((path) => path.endsWith('.md') && !path.startsWith('docs/') && path !== 'README.md'),
];

/** Text outside code, where links are links. */
function prose(path: string): string {
  return read(path)
    .replace(/```[\s\S]*?```/g, '')
    .replace(/`[^`\n]*`/g, '');
}

function headings(path: string): string[] {
  return [
    ...read(path)
      .replace(/```[\s\S]*?```/g, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}

test.each(documents)('%s: all links have a target', (path) => {
  const broken = [...prose(path).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [file = '', anchor] = target.split('#');
      const resolved = file === '' ? path : normalize(join(dirname(path), file));
      if (!existsSync(join(ROOT, resolved))) return true;
      return anchor !== undefined && statSync(join(ROOT, resolved)).isFile() && !headings(resolved).includes(anchor);
    });
  expect(broken).toEqual([]);
});

test('the index lists every document', () => {
  const index = read('docs/README.md');
  const unlisted = documents
    .filter((path) => path.startsWith('docs/') && !path.startsWith('docs/decisions/') && path !== 'docs/README.md')
    .filter((path) => !index.includes(`](${path.slice('docs/'.length)})`));
  expect(unlisted).toEqual([]);
});

/** A page answers one question: a longer one becomes several. */
const MAX_LINES = 250;

test('no page is longer than 250 lines, and each begins with its question', () => {
  const pages = documents.filter((path) => path.startsWith('docs/'));
  expect(pages.filter((path) => read(path).trimEnd().split('\n').length > MAX_LINES)).toEqual([]);
  const plain = pages.filter((path) => !path.startsWith('docs/decisions/'));
  expect(plain.filter((path) => !read(path).split('\n## ')[0]?.includes('?'))).toEqual([]);
});

interface Part {
  readonly groups: readonly { readonly pages: readonly (readonly [title: string, path: string])[] }[];
}

test('each document stands once in the sidebar of the site, under another title', async () => {
  const { PARTS }: { PARTS: readonly Part[] } = await import(join(ROOT, 'docs/.vitepress/parts.mjs'));
  const entries = PARTS.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages));
  const outside = [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'bench/README.md',
    'fixtures/README.md',
  ];
  const pages = [...documents.filter((path) => path.startsWith('docs/')), ...outside].sort();
  expect(entries.map(([, path]) => path).sort()).toEqual(pages);
  expect(new Set(entries.map(([title]) => title)).size).toBe(entries.length);
});

test.each(documents.filter((path) => path.startsWith('docs/decisions/')))(
  '%s: begins with a question, and with a summary when it is long',
  (path) => {
    const lines = read(path).split('\n');
    expect(lines[2]).toMatch(/^\*\*Question\.\*\*/);
    if (lines.length > 30) expect(lines.slice(3, 10).join('\n')).toContain('**Summary.**');
  },
);

/** Pages whose commands a test runs as they stand. */
const RUN_BY: Readonly<Record<string, string>> = {
  'docs/api.md': 'test/api/docs-api.test.ts',
  'docs/validate.md': 'test/e2e/ci-recipe.test.ts',
  'docs/tutorials/ffmpeg.md': 'test/long/tutorials.test.ts',
  'docs/tutorials/gstreamer.md': 'test/long/tutorials.test.ts',
  'docs/tutorials/ci.md': 'test/long/tutorials.test.ts',
  'docs/tutorials/conformance.md': 'test/long/conform.test.ts',
  'docs/operations/two-machines.md': 'test/long/two-machines.test.ts',
  'README.md': 'test/long/tutorials.test.ts',
};

const blocksOf = (path: string, language: string): string[] =>
  [...read(path).matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'))].map(
    ([, , text = '']) => text,
  );

test.each(documents)('%s: commands are run by a test, are templates, or say that they are not run', (path) => {
  const runner = RUN_BY[path];
  if (runner !== undefined) expect(read(runner)).toContain(path.replace(/^docs\//, ''));
  const unmarked = blocksOf(path, 'sh').filter(
    (script) => runner === undefined && !/[A-Z]-ID|ID-OR-TOKEN/.test(script) && !/# Not run by a test/.test(script),
  );
  expect(unmarked).toEqual([]);
});

test.each(documents)('%s: samples of JSON are JSON', (path) => {
  for (const sample of blocksOf(path, 'json')) expect(() => JSON.parse(sample)).not.toThrow();
});

test('commands that the documents name exist', async () => {
  const commands = await commandNames();
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
  const builtIn = ['ci', 'install', 'pack', 'start', 'test', 'run', 'audit'];
  const unknown = documents.flatMap((path) => {
    const text = read(path);
    const npm = [...text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)].map(([, name = '']) => name);
    const direct = [...text.matchAll(/^\s*(?:\$ )?npm ([a-z]+)/gm)].map(([, name = '']) => name);
    const own = [...text.matchAll(/(?:`|^\s*(?:\$ )?)(?:npx )?airlock ([a-z][a-z-]*(?: [a-z]+)?)/gm)].map(
      ([, name = '']) => name,
    );
    return [
      ...npm.filter((name) => !scripts.includes(name)),
      ...direct.filter((name) => !builtIn.includes(name)),
      ...own.filter((name) => !commands.some((known) => known === name || known === name.split(' ')[0])),
    ].map((name) => `${path}: ${name}`);
  });
  expect(unknown).toEqual([]);
});

test('settings that the documents name exist', () => {
  const known = new Set(['AIRLOCK_CONFIG', 'AIRLOCK_FORWARD_KEY', ...SETTINGS.map((setting) => setting.env)]);
  const unknown = documents.flatMap((path) =>
    [...read(path).matchAll(/\bAIRLOCK_[A-Z_]*[A-Z]\b/g)].map(([name]) => name).filter((name) => !known.has(name)),
  );
  expect(unknown).toEqual([]);
});

test('error codes that the documents name are in the catalogue', () => {
  // Decision 15 keeps 6602 free for a later rule.
  const known = new Set([...CATALOGUE.map((row) => String(row.code)), '6602']);
  const unknown = documents.flatMap((path) =>
    [...read(path).matchAll(/(?<!#)\b6[1-7]\d\d\b/g)]
      .map(([code]) => code)
      .filter((code) => !known.has(code))
      .map((code) => `${path}: ${code}`),
  );
  expect(unknown).toEqual([]);
});

test('README tells each system how to trust the authority, as doctor does', () => {
  const text = read('README.md');
  for (const steps of Object.values(TRUST)) expect(text).toContain(steps.command.replace('FILE', 'certs/ca.crt'));
});
