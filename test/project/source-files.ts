/** The files that the project tests look at. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Paths from the root of the project, of every TypeScript file of `src` that the server is built from. */
export function sourceFiles(): string[] {
  return allSourceFiles().filter((path) => !path.startsWith('src/dashboard/web/'));
}

/** The files of the server, and those of the dashboard in the browser. */
export function allSourceFiles(): string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}

/** Every file in git. */
export function trackedFiles(): string[] {
  const paths = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  return paths.filter((path) => path !== '' && existsSync(join(ROOT, path)));
}

/** Text files in git, without what other programs write or what was recorded. */
export function trackedTextFiles(): string[] {
  return trackedFiles().filter((path) =>
    /\.(ts|tsx|mjs|js|cjs|json|md|yml|yaml|html|css|sh|toml|service)$|(^|\/)(Dockerfile|run|\.npmrc|\.gitignore)$/.test(
      path,
    ),
  );
}

export function isBelow(file: string, place: string): boolean {
  return file === place || file.startsWith(`${place}/`);
}
