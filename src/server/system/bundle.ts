/**
 * Loads the program of a process of the server from the bundle with V8's code for it, since reading, linking and compiling take
 * most of the time of a start. `scripts/bundle-server.mjs` writes the files.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { codeOf } from '../../lib/errors.js';
import { V8_FLAGS } from './v8-flags.js';

type Role = keyof typeof V8_FLAGS;
/** A role, or a command: that of the supervisor is `serve`. */
export type BundledProcess = Role | 'command';
type Require = (name: string) => unknown;
type Wrapper = (exports: object, require: Require, module: { exports: object }, filename: string) => void;

/** Wrapper equal to Node's own: without code the files are loaded by `require`. */
const WRAPPER = ['(function (exports, require, module, __filename) {', '\n})'] as const;

export class Bundle {
  /** By file name, in the order in which they were loaded. */
  readonly scripts = new Map<string, Script>();
  readonly #folder: string;
  readonly #codeOwner: BundledProcess;
  readonly #require: NodeJS.Require;
  readonly #modules = new Map<string, { exports: object }>();

  /** `folder`: of the bundle. `user`: the process that loads it. */
  constructor(folder: string, user: BundledProcess) {
    this.#folder = folder;
    this.#codeOwner = codeOwner(user);
    this.#require = createRequire(join(folder, 'any.cjs'));
  }

  /** @throws ENOENT where there is no such file */
  load(name: string): object {
    const loaded = this.#modules.get(name);
    if (loaded !== undefined) return loaded.exports;
    const module = { exports: {} };
    const script = this.#compile(name);
    this.#modules.set(name, module);
    this.scripts.set(name, script);
    const wrapper: Wrapper = script.runInThisContext();
    wrapper(module.exports, (wanted) => this.#required(wanted), module, this.#path(name));
    return module.exports;
  }

  /** Path of V8's code of a file. */
  codeFile(name: string): string {
    return this.#path(`${name}.${this.#codeOwner}.v8`);
  }

  /** Not by `join`: for a hundred files it runs so often that V8 optimizes it, and maps its compiler, 4 MB, into the process. */
  #path(name: string): string {
    return `${this.#folder}/${name}`;
  }

  #required(name: string): unknown {
    return name.startsWith('./') ? this.load(name.slice(2)) : this.#require(name);
  }

  /** V8 rejects code of another version or of other flags, and then compiles the script normally. */
  #compile(name: string): Script {
    const file = this.#path(name);
    const cachedData = fileIfThere(this.codeFile(name));
    return new Script(`${WRAPPER[0]}${readFileSync(file, 'latin1')}${WRAPPER[1]}`, {
      // In stack traces. V8's code holds the name of the build, so it must not depend on the folder.
      filename: `dist/server/bundle/${name}`,
      ...(cachedData === undefined ? {} : { cachedData }),
    });
  }
}

/** V8 checks the flags with which a process was started: roles with the same ones share the code. */
function codeOwner(user: BundledProcess): BundledProcess {
  if (user === 'command') return user;
  const flags = V8_FLAGS[user].join();
  const roles = Object.keys(V8_FLAGS) as Role[];
  return roles.find((role) => V8_FLAGS[role].join() === flags) ?? user;
}

function fileIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** `name`: of the file in the bundle. Undefined when there is no bundle, as in the sources. */
export function bundled<Program extends object>(name: string, user: BundledProcess): Program | undefined {
  const folder = fileURLToPath(new URL('../bundle', import.meta.url));
  try {
    // Node maps stack traces only of files that it loads itself.
    if (process.sourceMapsEnabled) return createRequire(import.meta.url)(join(folder, name));
    return new Bundle(folder, user).load(name) as Program;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
