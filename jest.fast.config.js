/** Everything that needs no server, store or media program: `npm run test:fast`. */
import shared from './jest.config.js';

/** Tests that start programs, sockets or stores stay in `npm test`. */
const STARTS_SOMETHING = [
  'interop/server',
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
  roots: ['unit', 'rules', 'interop', 'dashboard/web', 'project'].map((path) => `<rootDir>/test/${path}`),
  testPathIgnorePatterns: ['/node_modules/', ...STARTS_SOMETHING.map((path) => `<rootDir>/test/${path}`)],
  maxWorkers: 2,
};
