/** All fixtures, all muxers and recordings of other software: by the page in Chromium, by the library and by `airlock validate`. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { validateFile } from '../../src/library/index.js';
import { type CheckPage, openCheckPage } from '../support/check-page.js';
import { CONTAINER_CASES } from '../support/container-cases.js';
import { allFixtures, flvPieces, messagesOf } from '../support/fixtures.js';
import { folderOfFile } from '../support/folders.js';
import { expectEqualFile } from '../support/library-by-validate.js';
import { UPLOAD_CASES } from '../support/upload-cases.js';

const folder = folderOfFile('airlock-all-check-page-');
let page: CheckPage;

beforeAll(async () => {
  page = await openCheckPage();
});
afterAll(async () => {
  await page.close();
  rmSync(folder, { recursive: true, force: true });
});

async function expectOneTruth(path: string): Promise<void> {
  await expectEqualFile(path);
  const expected = await validateFile(path, { name: basename(path) });
  expect(await page.judged(path)).toEqual(JSON.parse(JSON.stringify(expected)));
}

test.each(allFixtures().map((fixture) => [fixture.name, fixture] as const))('%s', async (name, fixture) => {
  const path = join(folder, `${name}.flv`);
  writeFileSync(path, Buffer.concat([...flvPieces(await messagesOf(fixture))]));
  await expectOneTruth(path);
  rmSync(path);
});

test.each(CONTAINER_CASES.map((one) => [one.name, one] as const))('%s', async (name, { make }) => {
  const path = join(folder, name);
  make(path, folder);
  await expectOneTruth(path);
});

/** Recordings that are not part of the project: a folder named here, or `shared/media` beside it. Absent, they are not tested. */
const MEDIA = process.env.AIRLOCK_TEST_MEDIA ?? join(import.meta.dirname, '../../../shared/media');
const recordings = existsSync(MEDIA)
  ? readdirSync(MEDIA, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(flv|mp4|mov|mkv|webm|ts)$/.test(name),
    )
  : [];

if (recordings.length > 0) test.each(recordings)('%s', (name) => expectOneTruth(join(MEDIA, name)));

/** The last tests: the page takes uploads from here on. */
describe('uploads', () => {
  beforeAll(() => page.takeUploads());

  test.each(UPLOAD_CASES.map((one) => [one.name, one] as const))('%s', async (name, { make }) => {
    const path = join(folder, name);
    make(path, folder);
    const expected = await validateFile(path, { name, meantAs: 'upload' });
    expect(await page.judged(path)).toEqual(JSON.parse(JSON.stringify(expected)));
  });
});
