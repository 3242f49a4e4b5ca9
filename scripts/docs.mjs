// Builds the documents into dist/help, which the server serves at /help/: npm run docs. With --if-stale only when a document
// is newer than the last build; with --beside in a process of its own, so that a start does not wait for it.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const root = join(import.meta.dirname, '..');
const site = join(root, 'dist', 'help');
const stamp = join(site, 'site.json');

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

function isStale() {
  const outside = [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'bench/README.md',
    'fixtures/README.md',
  ];
  const sources = [...filesIn(join(root, 'docs')), ...outside.map((name) => join(root, name))];
  return Math.max(...sources.map(changedAt)) > changedAt(stamp);
}

/** The highest quality takes twelve times as long for a ninth less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Compressed here, so that the server has no work with it. */
function compress(folder) {
  for (const file of filesIn(folder)) {
    const plain = readFileSync(file);
    if (/\.(?:html|js|css|svg)$/.test(file) && plain.length > 1_000)
      writeFileSync(`${file}.br`, brotliCompressSync(plain, BROTLI));
  }
}

async function build() {
  const { build: buildSite } = await import('vitepress');
  const next = join(root, `dist.help-${process.pid}`);
  try {
    await buildSite(join(root, 'docs'), { outDir: next });
    compress(next);
    // The last build stays in use until this one is whole.
    mkdirSync(join(root, 'dist'), { recursive: true });
    rmSync(site, { recursive: true, force: true });
    renameSync(next, site);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

const has = (flag) => process.argv.includes(flag);

if (has('--if-stale') && (!isStale() || !existsSync(join(root, 'node_modules', 'vitepress')))) process.exit(0);
if (has('--beside')) {
  const child = spawn(process.execPath, [import.meta.filename, '--if-stale', '--quietly'], {
    detached: true,
    stdio: 'ignore',
  });
  child.unref();
} else {
  if (has('--quietly')) setPriority(19);
  await build();
}
