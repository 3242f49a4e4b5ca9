/** Tests that take minutes each: `npm run test:long`. One at a time, since each starts servers. */
import { readdirSync, readFileSync } from 'node:fs';
import shared from './jest.config.js';

// Read by test/support/in-full.ts.
process.env.TESTS_IN_FULL = '1';

const root = `${import.meta.dirname}/test`;
/** Files of which `npm test` runs a sample. */
const sampled = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.test.ts') && readFileSync(`${root}/${file}`, 'utf8').includes('support/in-full.js'),
);

export default {
  ...shared,
  testMatch: ['long/**/*.test.ts', ...sampled].map((file) => `<rootDir>/test/${file}`),
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
};
