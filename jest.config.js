/** Tests run straight from the TypeScript sources; end-to-end tests start the built program in dist/. */
export default {
  runtime: '<rootDir>/test/support/native-runtime.cjs',
  testEnvironment: '<rootDir>/test/support/native-environment.mjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/long/'],
  // For files in a context of their own (native-runtime.cjs).
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' } },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFilesAfterEnv: ['<rootDir>/test/support/second-try.ts'],
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // For two cores: files that start servers wait half of their time. `test:fast`, which computes, has one for each core.
  maxWorkers: 3,
  // For a test that hangs, not for a machine that is busy: tests and hooks set none of their own below it.
  testTimeout: 180_000,
};
