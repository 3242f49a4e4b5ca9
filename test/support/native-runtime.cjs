/**
 * Jest's runtime for files that run as any program of Node does: `import` loads them, and modules of `src` and of packages stay
 * loaded for all files of a worker. Jest's own compiles, links and evaluates them again in a context for each file, in 0.5 to
 * 1 s of processor time, and its context calls into C++ for each access to a global. Modules of `test` are made anew for each
 * file (`typescript-loader.mjs`).
 *
 * A file with `@jest-environment node` in its first comment runs in a context of its own, since it replaces modules or sets
 * what modules read as they load.
 */
const asyncHooks = require('node:async_hooks');
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
const { transformSync } = require('@swc/core');
const { default: ContextRuntime } = require('jest-runtime');
const { compiling } = require('./compiling.cjs');

/** Where jest-circus keeps the hooks into a run, those of the file before among them. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

const nothing = () => undefined;

/**
 * The test that runs, for jest-circus, which runs one at a time. Its own AsyncLocalStorage, one for each file and never disabled,
 * has Node 20 and 22 copy every one of them at each promise: 0.2 µs a promise at first, 5.6 after fifteen files.
 */
class RunningTest {
  #context;

  getStore() {
    return this.#context;
  }

  async run(context, callback) {
    const outer = this.#context;
    this.#context = context;
    try {
      return await callback();
    } finally {
      this.#context = outer;
    }
  }
}

let runs = 0;

/** The source maps of files that an error passed through: made when one is asked for. */
class SourceMaps extends Map {
  static #folder;

  get(source) {
    if (!super.has(source)) this.set(source, SourceMaps.#write(source.replace(/\?run=\d+$/, '')));
    return super.get(source);
  }

  static #write(source) {
    if (!source.startsWith('file:') || !source.endsWith('.ts')) return undefined;
    if (SourceMaps.#folder === undefined) {
      SourceMaps.#folder = mkdtempSync(join(tmpdir(), 'airlock-maps-'));
      process.once('exit', () => rmSync(SourceMaps.#folder, { recursive: true, force: true }));
    }
    const path = fileURLToPath(source);
    const file = join(SourceMaps.#folder, `${path.replaceAll('/', '-')}.map`);
    const { map } = transformSync(readFileSync(path, 'utf8'), { ...compiling(path), sourceMaps: true });
    writeFileSync(file, map);
    return file;
  }
}

class NativeRuntime {
  #run = ++runs;
  #sourceMaps = new SourceMaps();

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(`${pathToFileURL(path)}?run=${this.#run}`);
  }

  /** jest-circus: anew, since it keeps the tests of one file. */
  requireInternalModule(path) {
    delete globalThis[EVENT_HANDLERS];
    delete require.cache[path];
    const { AsyncLocalStorage } = asyncHooks;
    asyncHooks.AsyncLocalStorage = RunningTest;
    try {
      return require(path);
    } finally {
      asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
    }
  }

  requireModule(path) {
    return require(path);
  }

  getSourceMaps() {
    return this.#sourceMaps;
  }

  /** There is none. */
  getAllCoverageInfoCopy() {
    return undefined;
  }

  // There is no context to enter or leave, and no registry to empty.
  setGlobalsForRuntime = nothing;
  enterTestCode = nothing;
  leaveTestCode = nothing;
  teardown = nothing;
}

exports.__esModule = true;
/** jest-runner constructs it. */
exports.default = function Runtime(...given) {
  const [, environment] = given;
  return environment.global === globalThis ? new NativeRuntime() : new ContextRuntime(...given);
};
