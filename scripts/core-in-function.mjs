// Plugin of Vite: puts the judge into a function, so that each call of it has bounds of its own. Tables, texts and rules are
// data that is evaluated with the numbers in force; a module has one of each, a function one for each call.
import { dirname, extname, join } from 'node:path';
import { build } from 'vite';

const MODULE = /[\\/]library[\\/]instantiate\.[jt]s$/;
/** Loaded by the judge when they are needed, and without numbers of the specification: they stay modules. */
const READERS = ['open-container', 'upload-facts'].map((name) => `../containers/${name}.js`);

/** Replaces the module that makes a core by one that holds `library/core` as a function. */
export const coreInFunction = {
  name: 'core-in-function',
  async load(id) {
    if (!MODULE.test(id)) return undefined;
    const code = await bundled(join(dirname(id), `core${extname(id)}`));
    // The names that spec/house.ts and a module of CommonJS read.
    const body = `const SLOT_OF_CORE = { house };\nconst exports = {};\n${code}\nreturn exports;`;
    return { code: `export function instantiate(house) {\n${body}\n}\n`, moduleType: 'js' };
  },
};

/** `check`, which loads them, and `library`, whose module takes it in, are folders beside each other: the path is right in both. */
const readersOutside = {
  name: 'readers-outside',
  enforce: 'pre',
  resolveId: (source) => (READERS.includes(source) ? { id: source, external: true } : null),
};

async function bundled(input) {
  const [{ output }] = [
    await build({
      configFile: false,
      root: dirname(input),
      plugins: [readersOutside],
      logLevel: 'warn',
      publicDir: false,
      build: {
        write: false,
        minify: false,
        target: 'es2023',
        lib: { entry: input, formats: ['cjs'] },
        rolldownOptions: { output: { comments: false, codeSplitting: false } },
      },
    }),
  ].flat();
  if (output.length !== 1) throw new Error('the judge must be one chunk');
  return output[0].code;
}
