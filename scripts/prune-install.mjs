// Removes what no server loads from an installation for an image: node scripts/prune-install.mjs FOLDER, the folder of
// `dist` and `node_modules` after `npm prune --omit=dev`. Licenses stay. It deletes files and changes none.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node scripts/prune-install.mjs FOLDER');

/** Source maps, declarations and sources of TypeScript, and documentation. */
const UNUSED_FILES = /\.(?:map|[cm]?ts|md)$/i;
const LICENSES = /licen[cs]e|notice|copying/i;
/** Folders of a package, directly below its own, that its `main` and `exports` never name. */
const UNUSED_FOLDERS = new Set(
  'test tests __tests__ coverage docs doc example examples bench benchmark benchmarks .github .claude'.split(' '),
);
/** Media tools too old for files of others; sources that were compiled; builds for bundlers. */
const UNUSED_PATHS = [
  '@ffmpeg-installer',
  'ffprobe-static',
  '@types',
  'undici-types',
  'zod/src',
  'lmdb/dependencies',
  'lmdb/src',
  'msgpackr-extract/src',
];
/** The SDK of traces has its CommonJS in `src`, and the same twice more for bundlers. */
const TRACES_BUNDLES = ['build/esm', 'build/esnext'];

const remove = (...path) => rmSync(join(...path), { recursive: true, force: true });
const foldersIn = (path) =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);

function prunePackage(path) {
  for (const name of foldersIn(path)) {
    if (UNUSED_FOLDERS.has(name)) remove(path, name);
    else if (name === 'node_modules') prunePackages(join(path, name));
  }
}

function prunePackages(modules) {
  for (const name of foldersIn(modules)) {
    if (!name.startsWith('@')) prunePackage(join(modules, name));
    else for (const scoped of foldersIn(join(modules, name))) prunePackage(join(modules, name, scoped));
  }
}

function pruneFiles(root, isUnused) {
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() && isUnused(entry.name)) remove(entry.parentPath, entry.name);
  }
}

const modules = join(folder, 'node_modules');
for (const path of UNUSED_PATHS) remove(modules, path);
for (const name of foldersIn(join(modules, '@opentelemetry'))) {
  for (const path of TRACES_BUNDLES) remove(modules, '@opentelemetry', name, path);
}
prunePackages(modules);
pruneFiles(modules, (name) => UNUSED_FILES.test(name) && !LICENSES.test(name));
pruneFiles(join(folder, 'dist'), (name) => name.endsWith('.map'));
// The library is for other programs.
for (const name of ['library', 'types']) remove(folder, 'dist', name);
