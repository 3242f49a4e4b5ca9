// Builds src/ into dist/: the server by the TypeScript compiler, the pages (src/dashboard/web) by Vite. With --if-stale
// each part is built only when one of its sources is newer than its last build; pages of a release without sources stay.
// With --no-types the compiler does not check types, which `npm run check` does.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const web = join(dist, 'dashboard', 'web');
const pagesSource = join(root, 'src', 'dashboard', 'web');
const onlyStale = process.argv.includes('--if-stale');
const withoutTypes = process.argv.includes('--no-types');

const changedAt = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

const newest = (folder, counts = () => true) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && counts(join(entry.parentPath, entry.name)))
    .reduce((latest, entry) => Math.max(latest, changedAt(join(entry.parentPath, entry.name))), 0);

const isStale = (stamp, sourcesAt) => !onlyStale || !existsSync(stamp) || changedAt(stamp) < sourcesAt;

function run(program, args) {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules', ...program), ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}

async function buildServer() {
  const stamp = join(dist, '.built');
  const settings = [
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'scripts/bundle-server.mjs',
    'scripts/bundle-library.mjs',
    'scripts/core-in-function.mjs',
    'scripts/store-code.mjs',
  ].map((name) => changedAt(join(root, name)));
  const sourcesAt = Math.max(
    newest(join(root, 'src'), (path) => !path.startsWith(pagesSource + sep)),
    ...settings,
  );
  if (!isStale(stamp, sourcesAt)) return;
  // Beside the last build, which stays in use until this one is whole; files whose source is gone go with it.
  const next = join(root, 'dist.next');
  rmSync(next, { recursive: true, force: true });
  const unchecked = withoutTypes ? ['--noCheck'] : [];
  run(['typescript', 'bin', 'tsc'], ['-p', 'tsconfig.build.json', '--outDir', next, ...unchecked]);
  chmodSync(join(next, 'main.js'), 0o755);
  // Not before it is needed: a release is started without the tools of a build.
  const { bundleServer } = await import('./bundle-server.mjs');
  // Last: it replaces modules by references to the bundle.
  await bundleServer(next);
  const { bundleLibrary } = await import('./bundle-library.mjs');
  await bundleLibrary(root, next);
  // The pages and the documents (scripts/docs.mjs) are built on their own.
  for (const own of [join('dashboard', 'web'), 'help']) {
    if (existsSync(join(dist, own))) renameSync(join(dist, own), join(next, own));
  }
  rmSync(dist, { recursive: true, force: true });
  renameSync(next, dist);
  writeFileSync(stamp, new Date().toISOString());
}

function buildPages() {
  const stamp = join(web, '.built');
  // The pages hold the specification, the messages of the feed and, in /check/, the judge.
  const judge = ['bytes', 'check', 'config', 'containers', 'facts', 'judge', 'lib', 'library', 'media', 'rtmp'];
  const shared = ['spec', 'rules', 'dashboard', ...judge].map((name) => newest(join(root, 'src', name)));
  if (!isStale(stamp, Math.max(changedAt(join(root, 'package.json')), ...shared))) return;
  run(['vite', 'bin', 'vite.js'], ['build', '--config', join(pagesSource, 'vite.config.ts'), '--logLevel', 'warn']);
  mkdirSync(web, { recursive: true });
  writeFileSync(stamp, new Date().toISOString());
}

await buildServer();
buildPages();
