/** An install without optional packages has no LMDB binary. */
import { LMDB_VERSION, withLmdb } from '../../../src/store/lmdb/binary.js';
import { read } from '../../project/source-files.js';

/** As `node-gyp-build-optional-packages` 5.2.2 throws it. */
const NO_BINARY = `No native build was found for platform=linux arch=x64 runtime=node abi=115 libc=glibc
    attempted loading from: /app/node_modules/lmdb and package: @lmdb/lmdb-linux-x64
Error resolving package: Cannot find module '@lmdb/lmdb-linux-x64'`;

const failing = (message: string) => withLmdb(() => Promise.reject(new Error(message)));

test('names the package to install where the binary of LMDB is missing', async () => {
  await expect(failing(NO_BINARY)).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: `the embedded store needs @lmdb/lmdb-linux-x64@${LMDB_VERSION}: install it (npm install @lmdb/lmdb-linux-x64@${LMDB_VERSION}), or set REDIS_URL`,
  });
  await expect(failing('No native build was found')).rejects.toThrow('needs the binary of LMDB: install it');
  await expect(failing('other')).rejects.toThrow(/^other$/);
});

test('the version is that of package.json', () => {
  expect(JSON.parse(read('package.json')).dependencies.lmdb).toBe(LMDB_VERSION);
});
