// Builds src/ into dist/. With --if-stale it does so only when a source is newer than the last build.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const stamp = join(root, 'dist', '.built');

const newest = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((latest, entry) => Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0);

const sourcesAt = Math.max(
  newest(join(root, 'src')),
  ...['package.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) => statSync(join(root, name)).mtimeMs),
);
if (process.argv.includes('--if-stale') && existsSync(stamp) && statSync(stamp).mtimeMs >= sourcesAt) process.exit(0);

// Built beside and swapped in, so that whoever runs the old build meanwhile never meets half a one.
const draft = join(root, `dist.${process.pid}`);
const tsc = spawnSync(
  process.execPath,
  [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json', '--outDir', draft],
  { cwd: root, stdio: 'inherit' },
);
if (tsc.status !== 0) {
  rmSync(draft, { recursive: true, force: true });
  process.exit(tsc.status ?? 1);
}
chmodSync(join(draft, 'main.js'), 0o755);
writeFileSync(join(draft, '.built'), new Date().toISOString());
rmSync(join(root, 'dist'), { recursive: true, force: true });
renameSync(draft, join(root, 'dist'));
