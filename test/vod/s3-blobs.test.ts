/** The same contract over HTTP against s3rver, an S3-compatible server. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Blobs } from '../../src/ports/index.js';
import { openBlobs, parseBlobUrl } from '../../src/store/blobs/open.js';
import { S3Blobs } from '../../src/store/blobs/s3-blobs.js';
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

test('a reader that leaves before its first read closes its connection', async () => {
  const sockets = new Set<Socket>();
  const stalled = createServer((request, response) => {
    sockets.add(request.socket);
    response.writeHead(200, { 'content-length': '1000000' }).write('x');
  });
  await new Promise<void>((resolve) => stalled.listen(0, '127.0.0.1', resolve));
  const { port } = stalled.address() as AddressInfo;
  const reader = new S3Blobs({ ...server.options, endpoint: `http://127.0.0.1:${port}` });
  const body = await reader.read('videos/1/source');
  const [socket] = sockets;
  if (socket === undefined) throw new Error('nobody asked');
  const closed = once(socket, 'close');
  body.destroy();
  await closed;
  reader.close();
  stalled.close();
});
