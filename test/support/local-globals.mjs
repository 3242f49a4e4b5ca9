/**
 * Compiles TypeScript for Jest, and reads built-in objects from constants of each module. Jest runs tests in a context whose
 * global object calls into C++ for each access: judging a stream took two to three times the processor time.
 * What tests replace (`Date`, timers, `process`) is not among them.
 */
import swc from '@swc/jest';

const BUILT_IN = [
  ...[
    'Array',
    'ArrayBuffer',
    'BigInt',
    'Boolean',
    'Buffer',
    'DataView',
    'Error',
    'Infinity',
    'JSON',
    'Map',
    'Math',
    'NaN',
  ],
  ...[
    'Number',
    'Object',
    'Promise',
    'RangeError',
    'Reflect',
    'RegExp',
    'Set',
    'String',
    'Symbol',
    'TypeError',
    'WeakMap',
  ],
  ...[
    'Float32Array',
    'Float64Array',
    'Int8Array',
    'Int16Array',
    'Int32Array',
    'Uint8Array',
    'Uint16Array',
    'Uint32Array',
  ],
].map((name) => ({
  name,
  used: new RegExp(`(?<![.\\w$'"])${name}\\b`),
  declared: new RegExp(
    `\\b(?:class|function|const|let|var)\\s+${name}\\b|\\bimport\\b[^;]*\\b${name}\\b[^;]*\\bfrom\\b`,
  ),
}));

/** On the first line, so that lines stay where they are. */
function withLocalGlobals(code) {
  const names = BUILT_IN.filter(({ used, declared }) => used.test(code) && !declared.test(code)).map(
    ({ name }) => name,
  );
  return names.length === 0 ? code : `const { ${names.join(', ')} } = globalThis; ${code}`;
}

/** Part of the key of Jest's cache. To be changed with `withLocalGlobals` or `BUILT_IN`. */
const VERSION = '1';

export default {
  createTransformer(options) {
    const compiler = swc.createTransformer(options);
    const local = (compiled) => ({ ...compiled, code: withLocalGlobals(compiled.code) });
    return {
      canInstrument: compiler.canInstrument,
      process: (...args) => local(compiler.process(...args)),
      processAsync: async (...args) => local(await compiler.processAsync(...args)),
      getCacheKey: (...args) => `${compiler.getCacheKey(...args)}-${VERSION}`,
    };
  },
};
