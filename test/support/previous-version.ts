/** Builds the version before from the history of this repository. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** The last commit whose data folders, stores and servers beside it the tests of an upgrade hold. */
export const PREVIOUS = '9511cc4005be';
const SOURCES = ['src', 'scripts', 'docs', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

const git = (...args: string[]): Buffer =>
  execFileSync('git', args, { cwd: ROOT, maxBuffer: 256 * 1024 * 1024, stdio: ['ignore', 'pipe', 'pipe'] });

/** Their versions by their names. */
function librariesOf(root: string): ReadonlyMap<string, string> {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return new Map(Object.entries({ ...dependencies, ...devDependencies }));
}

/** Returns its program. @throws Error in words where the history is not there */
export function buildPreviousVersion(folder: string): string {
  let sources: Buffer;
  try {
    sources = git('archive', PREVIOUS, '--', ...SOURCES);
  } catch (cause) {
    throw new Error(
      `the commit ${PREVIOUS} is not in this folder's history: an upgrade is tried in a clone with its full history (git fetch --unshallow)`,
      { cause },
    );
  }
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-x', '-C', folder], { input: sources });
  const ours = librariesOf(ROOT);
  const isServed = [...librariesOf(folder)].every(([name, version]) => ours.get(name) === version);
  if (isServed) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
  execFileSync(process.execPath, ['scripts/build.mjs', '--no-types'], { cwd: folder });
  const main = join(folder, 'dist/main.js');
  if (!existsSync(main)) throw new Error(`${main} was not built`);
  return main;
}
