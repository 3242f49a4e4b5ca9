/** An S3-compatible server (s3rver) on a folder of its own. */
import { createRequire } from 'node:module';
import { parseBlobUrl } from '../../src/store/blobs/open.js';
import type { S3Options } from '../../src/store/blobs/s3-blobs.js';
import { temporaryFolder } from './store-harness.js';

interface Server {
  run(): Promise<{ port: number }>;
  close(): Promise<void>;
}

const S3rver: new (options: object) => Server = createRequire(import.meta.url)('s3rver');

export interface S3 {
  readonly options: S3Options;
  /** Settings of a server that keeps its files here. */
  readonly env: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

export async function startS3(address = '127.0.0.1'): Promise<S3> {
  const folder = temporaryFolder();
  const configureBuckets = [{ name: 'media' }];
  const server = new S3rver({ address, port: 0, silent: true, directory: folder.path, configureBuckets });
  const { port } = await server.run();
  const url = `s3://media/airlock?endpoint=http://${address}:${port}`;
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  return {
    options: { ...parseBlobUrl(url), credentials },
    env: {
      AIRLOCK_BLOB_URL: url,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    close: async () => {
      await server.close();
      folder.remove();
    },
  };
}
