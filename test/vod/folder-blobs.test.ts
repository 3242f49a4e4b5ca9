import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FolderBlobs } from '../../src/store/blobs/folder-blobs.js';
import { temporaryFolderOfFile } from '../support/store-harness.js';
import { blobsContract } from './blobs.contract.js';

const folder = temporaryFolderOfFile();
const root = join(folder.path, 'blobs');
let blobs: FolderBlobs;

beforeAll(async () => {
  blobs = await FolderBlobs.open(root, Date.now());
});
afterAll(() => folder.remove());

blobsContract(
  () => blobs,
  () => folder.path,
);

test('removes drafts left by a crash and keeps those of a running process', async () => {
  const old = join(root, '.drafts', 'old');
  writeFileSync(old, 'x');
  writeFileSync(join(root, '.drafts', 'young'), 'x');
  const before = new Date(Date.now() - 90_000_000);
  utimesSync(old, before, before);
  await FolderBlobs.open(root, Date.now());
  expect(readdirSync(join(root, '.drafts'))).toEqual(['young']);
});

test('removes a folder with its last file', async () => {
  await blobs.put('videos/80/a', Buffer.from('x'));
  await blobs.delete('videos/80/a');
  expect(readdirSync(join(root, 'videos'))).not.toContain('80');
});
