/** All fixtures, and recordings of other software, through the library and through `airlock validate`. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { allFixtures } from '../support/fixtures.js';
import { folderOfFile } from '../support/folders.js';
import { expectEqual, expectEqualFile, testByLibrary } from '../support/library-by-validate.js';
import {
  expectEqualUpload,
  makeUnread,
  UNREAD_CONTAINERS,
  UPLOAD_CASES,
  uploadByLibrary,
  uploadDifferences,
} from '../support/upload-cases.js';

const folder = folderOfFile('airlock-library-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Recordings that differ as uploads for a reason that docs/readers.md gives, and the fields in which they do. */
const DIFFERENT_UPLOADS: Readonly<Record<string, RegExp>> = {
  // A damaged index, and a damaged header.
  'afl-h264-bad-read.mp4': /./,
  'corrupt.mkv': /^(problem|rules\.6\.observed|errors\.0\.(description|observed|worst)): /,
  'avc-720p-alaw.flv': /^(problem|stream\.streamTimeMs): /,
  // It has settings, and no frame.
  'headers-only.flv': /./,
  // Pictures whose size no reader knows.
  'sorenson-mp3-22k.flv': /./,
  // Sound that ffprobe refuses.
  'xhe-aac-mono.mp4': /./,
  // HE-AAC that no header signals.
  'aac-latm.ts': /^stream\.channels: /,
  'multi-sps-heaac.ts': /^(stream\.sampleRate|rules\.3\.observed|errors\.0\.(description|observed|worst)): /,
};

describe('fixtures', () => testByLibrary(allFixtures(), folder));

/** Recordings that are not part of the project: a folder named here, or `shared/media` beside it. Absent, they are not tested. */
const MEDIA = process.env.AIRLOCK_TEST_MEDIA ?? join(import.meta.dirname, '../../../shared/media');
const recordings = existsSync(MEDIA)
  ? readdirSync(MEDIA, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:flv|mp4|mov|mkv|webm|ts)$/.test(name))
      .map((name) => join(MEDIA, name))
  : [];

describe('uploads', () => {
  test.each(UPLOAD_CASES.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    await expectEqualUpload(one, folder);
  });

  test.each(UNREAD_CONTAINERS)('%s is named and not judged', async (name) => {
    const { outcome, problem } = await uploadByLibrary(makeUnread(name, folder));
    expect(outcome).toBe('unreadable');
    expect(problem).toMatch(/^there is no reader for \w+ here; `npx airlock validate --spec upload` judges it/);
  });
});

if (recordings.length > 0) {
  test.each(recordings)('%s as an upload', async (path) => {
    const known = Object.entries(DIFFERENT_UPLOADS).find(([end]) => path.endsWith(end))?.[1];
    const found = await uploadDifferences(path);
    expect(found.filter((line) => known?.test(line) !== true)).toEqual([]);
  });

  test.each(recordings)('%s', async (path) => {
    const bytes = readFileSync(path);
    // Only FLV is pushed.
    if (bytes.subarray(0, 3).toString('latin1') === 'FLV') await expectEqual(path, bytes);
    else await expectEqualFile(path);
  });
}
