/** The same contract over HTTP against s3rver, an S3-compatible server. */
import type { Blobs } from '../../src/ports/index.js';
import { openBlobs, parseBlobUrl } from '../../src/vod/blobs/open.js';
import { startS3 } from '../support/s3-server.js';
import { temporaryFolderOfFile } from '../support/store-harness.js';
import { blobsContract } from './blobs.contract.js';

const folder = temporaryFolderOfFile();
let server: Awaited<ReturnType<typeof startS3>>;
let blobs: Blobs & { close?(): void };

beforeAll(async () => {
  server = await startS3();
  blobs = await openBlobs({ dataDir: folder.path, s3: server.options, nowMs: 0 });
});
afterAll(async () => {
  blobs.close?.();
  await server.close();
  folder.remove();
});

blobsContract(
  () => blobs,
  () => folder.path,
);

test('parses the URL of object storage', () => {
  expect(parseBlobUrl('s3://b/a/b/?endpoint=https://s3.example:9000&region=eu-1&path_style=false')).toEqual({
    bucket: 'b',
    prefix: 'a/b',
    endpoint: 'https://s3.example:9000',
    region: 'eu-1',
    pathStyle: false,
  });
  expect(parseBlobUrl('s3://b')).toEqual({ bucket: 'b' });
  for (const bad of ['b', 'http://b', 's3://', 's3://b?endpoint=file:///etc']) {
    expect(() => parseBlobUrl(bad)).toThrow(RangeError);
  }
});
