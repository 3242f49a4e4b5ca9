/** The package as `npm pack` makes it, unpacked as a dependency of an empty project: no other package is there. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Returns the path of the tarball. `project` is created. */
export function installPacked(project: string): string {
  const modules = join(project, 'node_modules');
  mkdirSync(modules, { recursive: true });
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', project], { cwd: ROOT, stdio: 'ignore' });
  const name = readdirSync(project).find((file) => file.endsWith('.tgz')) ?? '';
  const tarball = join(project, name);
  execFileSync('tar', ['-xzf', tarball, '-C', modules]);
  rmSync(join(modules, 'airlock'), { recursive: true, force: true });
  renameSync(join(modules, 'package'), join(modules, 'airlock'));
  return tarball;
}
