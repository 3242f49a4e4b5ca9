/** All fixtures, and recordings of other software, through the library and through `airlock validate`. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { allFixtures } from '../support/fixtures.js';
import { folderOfFile } from '../support/folders.js';
import { expectEqual, expectEqualFile, testByLibrary } from '../support/library-by-validate.js';

const folder = folderOfFile('airlock-library-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('fixtures', () => testByLibrary(allFixtures(), folder));

/** Recordings that are not part of the project: a folder named here, or `shared/media` beside it. Absent, they are not tested. */
const MEDIA = process.env.AIRLOCK_TEST_MEDIA ?? join(import.meta.dirname, '../../../shared/media');
const recordings = existsSync(MEDIA)
  ? readdirSync(MEDIA, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:flv|mp4|mov|mkv|webm|ts)$/.test(name))
      .map((name) => join(MEDIA, name))
  : [];

if (recordings.length > 0) {
  test.each(recordings)('%s', async (path) => {
    const bytes = readFileSync(path);
    // Only FLV is pushed.
    if (bytes.subarray(0, 3).toString('latin1') === 'FLV') await expectEqual(path, bytes);
    else await expectEqualFile(path);
  });
}
