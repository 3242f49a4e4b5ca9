/** How swc compiles a TypeScript module of the tree. */
exports.compiling = (filename) => ({
  filename,
  jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
  module: { type: 'es6' },
});
