/** Opens the configured blob store: object storage if a bucket is set, otherwise a folder. */
import { join } from 'node:path';
import type { Blobs } from '../../ports/index.js';
import { FolderBlobs } from './folder-blobs.js';
import type { S3Options } from './s3-blobs.js';

export interface BlobOptions {
  /** The folder is `<dataDir>/blobs`. */
  readonly dataDir: string;
  readonly s3?: S3Options | undefined;
  readonly nowMs: number;
}

export async function openBlobs(options: BlobOptions): Promise<Blobs & { close?(): void }> {
  if (options.s3 === undefined) return FolderBlobs.open(join(options.dataDir, 'blobs'), options.nowMs);
  // The S3 client is large; it is loaded only when used.
  const { S3Blobs } = await import('./s3-blobs.js');
  return new S3Blobs(options.s3);
}

/**
 * Parses `s3://bucket/prefix?endpoint=https://host:9000&region=eu-1&path_style=true`. Credentials come from the environment,
 * never from the URL. @throws RangeError
 */
export function parseBlobUrl(text: string): S3Options {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 's3:' || url.hostname === '') {
    throw new RangeError('must be s3://bucket/prefix?endpoint=…&region=…');
  }
  const endpoint = url.searchParams.get('endpoint');
  const region = url.searchParams.get('region');
  const pathStyle = url.searchParams.get('path_style');
  if (endpoint !== null && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : '')) {
    throw new RangeError('endpoint must be an http or https URL');
  }
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  return {
    bucket: url.hostname,
    ...(prefix === '' ? {} : { prefix }),
    ...(endpoint === null ? {} : { endpoint }),
    ...(region === null ? {} : { region }),
    ...(pathStyle === null ? {} : { pathStyle: pathStyle === 'true' }),
  };
}
