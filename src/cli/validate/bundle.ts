/**
 * Loads `airlock validate` from one bundled file with V8's code cache from the build, since resolving, parsing and compiling
 * a hundred modules takes most of a short run. `scripts/bundle.mjs` writes both files.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { codeOf } from '../../lib/errors.js';
import { defined } from '../../lib/objects.js';
import { onDemand } from './on-demand.js';

type Program = typeof import('./command.js');
type Require = (name: string) => unknown;
/** The bundle evaluates to one function, like Node's CommonJS wrapper. */
type Wrapper = (exports: Partial<Program>, require: Require, filename: string) => void;

/** File names in `dist/cli/validate`. */
export const BUNDLE = 'validate-bundle.cjs';
export const BUNDLE_CODE = 'validate-bundle.v8';
/** The name under which the bundle requires `onDemand`: a script with a code cache cannot use `import()`. */
export const ON_DEMAND = 'airlock:on-demand';

/** V8 rejects `code` of another V8 version and then compiles the script normally. */
export function compileBundle(file: string, code?: Buffer): Script {
  return new Script(readFileSync(file, 'utf8'), {
    // In stack traces. V8's code holds the name of the build, so it must not depend on the folder.
    filename: `dist/cli/validate/${BUNDLE}`,
    ...defined({ cachedData: code }),
  });
}

export function runBundle(script: Script, file: string): Partial<Program> {
  const exports: Partial<Program> = {};
  const require = createRequire(file);
  const wrapper: Wrapper = script.runInThisContext();
  wrapper(exports, (name) => (name === ON_DEMAND ? { onDemand } : require(name)), file);
  return exports;
}

/** Undefined when there is no bundle, as in the sources. */
export function bundledValidate(): Partial<Program> | undefined {
  const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  try {
    return runBundle(compileBundle(path(BUNDLE), readFileSync(path(BUNDLE_CODE))), path(BUNDLE));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
