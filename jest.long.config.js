/** Tests that take minutes each: `npm run test:long`. One at a time, since each starts servers. */
import shared from './jest.config.js';

export default {
  ...shared,
  roots: ['<rootDir>/test/long'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
};
