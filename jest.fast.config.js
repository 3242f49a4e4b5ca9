/** Everything that needs no server, store or media program: `npm run test:fast`. */
import shared from './jest.config.js';

/** Unit tests that start programs, sockets or stores stay in `npm test`. */
const STARTS_SOMETHING = [
  'unit/cli/',
  'unit/config/certificates',
  'unit/ingest/',
  'unit/media/ffprobe-differential',
  'unit/ports/',
  'unit/server/',
  'unit/store/',
];

export default {
  ...shared,
  roots: ['<rootDir>/test/unit', '<rootDir>/test/rules', '<rootDir>/test/project'],
  testPathIgnorePatterns: ['/node_modules/', ...STARTS_SOMETHING.map((path) => `<rootDir>/test/${path}`)],
  maxWorkers: 2,
};
