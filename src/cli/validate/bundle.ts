/**
 * `airlock validate` as one file, with the code that V8 made of it when it was built: what a short run would spend most of
 * its time on, finding, parsing and compiling a hundred modules, is done. `scripts/bundle.mjs` writes both files.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { codeOf } from '../../lib/errors.js';
import { onDemand } from './on-demand.js';

type Program = typeof import('./command.js');
type Require = (name: string) => unknown;
/** What the file holds: one function, as Node wraps CommonJS. */
type Wrapper = (exports: Partial<Program>, require: Require, filename: string) => void;

/** Below `dist/cli/validate`. */
export const BUNDLE = 'validate-bundle.cjs';
export const BUNDLE_CODE = 'validate-bundle.v8';
/** Under this name the bundle requires `onDemand`: a script that comes with V8's code cannot import by itself. */
export const ON_DEMAND = 'airlock:on-demand';

/** `code` is refused by any other V8 than the one that made it; then the script is compiled as always. */
export function compileBundle(file: string, code?: Buffer): Script {
  return new Script(readFileSync(file, 'utf8'), {
    filename: file,
    ...(code === undefined ? {} : { cachedData: code }),
  });
}

export function runBundle(script: Script, file: string): Partial<Program> {
  const exports: Partial<Program> = {};
  const require = createRequire(file);
  const wrapper: Wrapper = script.runInThisContext();
  wrapper(exports, (name) => (name === ON_DEMAND ? { onDemand } : require(name)), file);
  return exports;
}

/** Undefined where nothing is bundled: in the sources. */
export function bundledValidate(): Partial<Program> | undefined {
  const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  try {
    return runBundle(compileBundle(path(BUNDLE), readFileSync(path(BUNDLE_CODE))), path(BUNDLE));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
