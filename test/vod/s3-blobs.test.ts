/** The same contract over HTTP against s3rver, an S3-compatible server. */
import { createRequire } from 'node:module';
import type { Blobs } from '../../src/ports.js';
import { openBlobs, parseBlobUrl } from '../../src/vod/blobs/open.js';
import { temporaryFolder } from '../support/store-world.js';
import { blobsContract } from './blobs.contract.js';

interface Server {
  run(): Promise<{ port: number }>;
  close(): Promise<void>;
}

const S3rver: new (options: object) => Server = createRequire(import.meta.url)('s3rver');
const folder = temporaryFolder();
let server: Server;
let blobs: Blobs & { close?(): void };

beforeAll(async () => {
  const configureBuckets = [{ name: 'media' }];
  server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory: folder.path, configureBuckets });
  const { port } = await server.run();
  const s3 = {
    ...parseBlobUrl(`s3://media/airlock?endpoint=http://127.0.0.1:${port}`),
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  };
  blobs = await openBlobs({ dataDir: folder.path, s3, nowMs: 0 });
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

test('the address of object storage', () => {
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
