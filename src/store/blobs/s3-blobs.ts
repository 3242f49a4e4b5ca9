/**
 * Blobs in S3-compatible object storage. Large files are multipart uploads, each part a range of the local file, so that
 * memory stays small and a failed part is retried alone. A failed upload is aborted; the parts that a crash leaves are
 * removed by a lifecycle rule of the bucket (`docs/operations.md`).
 */
import { open, rm } from 'node:fs/promises';
import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { bodyOf } from '../../lib/http-call.js';
import { defined, isRecord } from '../../lib/objects.js';
import { type BlobInfo, BlobMissingError, type Blobs } from '../../ports/index.js';
import { requireBlobKey } from './blob-key.js';

export interface S3Options {
  readonly bucket: string;
  /** For services other than AWS. */
  readonly endpoint?: string;
  readonly region?: string;
  /** Prepended to every key; no trailing slash. */
  readonly prefix?: string;
  /** Bucket in the path instead of the host name; usual outside AWS. */
  readonly pathStyle?: boolean;
  /** Absent: the default AWS credential chain (environment, shared file, instance role). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** Bounds on what a storage that stalls or misbehaves can hold of this process. */
const TIMES = {
  connectMs: 10_000,
  /** From the request to the headers of its answer: a part of 8 MiB over a slow line, or the assembly of a large file. */
  headersMs: 180_000,
  /** Longest wait for the next 16 KiB of an object. */
  stallMs: 60_000,
  /** Whole answers other than objects. */
  answerMs: 60_000,
};

/** The longest list has 1,000 keys of at most 1,024 characters. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** S3 allows 10,000 parts of at least 5 MiB. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_MAX = 9_000;

interface Part {
  readonly PartNumber: number;
  readonly ETag: string | undefined;
}

export class S3Blobs implements Blobs {
  readonly kind = 's3';
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(options: S3Options, times: Readonly<typeof TIMES> = TIMES) {
    this.#bucket = options.bucket;
    this.#prefix = options.prefix === undefined || options.prefix === '' ? '' : `${options.prefix}/`;
    this.#client = new S3Client({
      region: options.region ?? 'us-east-1',
      forcePathStyle: options.pathStyle ?? options.endpoint !== undefined,
      // Some S3-compatible services do not support checksum trailers.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // With it, a storage that does not know it would delay each part by the timeout for headers.
      expectContinueHeader: false,
      requestHandler: {
        connectionTimeout: times.connectMs,
        requestTimeout: times.headersMs,
        throwOnRequestTimeout: true,
      },
      ...defined({ endpoint: options.endpoint, credentials: options.credentials }),
    });
    this.#client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const result = await next(args);
          const { response } = result;
          if (isRecord(response) && response.body instanceof IncomingMessage) {
            const { body } = response;
            const { stallMs, answerMs } = times;
            const bounds =
              commandName === 'GetObjectCommand' && (body.statusCode ?? 0) < 300
                ? { stallMs }
                : { stallMs, bytesMax: ANSWER_BYTES_MAX, signal: AbortSignal.timeout(answerMs) };
            const bytes = Readable.from(bodyOf(body, bounds), { objectMode: false });
            // A reader that leaves before its first read ends nothing else.
            response.body = bytes.once('close', () => body.destroy());
          }
          return result;
        },
      // After all others on the way out, so the first to see an answer.
      { step: 'deserialize', priority: 'low', name: 'boundAnswers' },
    );
  }

  close(): void {
    this.#client.destroy();
  }

  async put(key: string, source: Uint8Array | AsyncIterable<Uint8Array>): Promise<BlobInfo> {
    if (source instanceof Uint8Array) await this.#putWhole(key, source);
    else await this.#putParts(key, partsOf(source));
    return this.#mustStat(key);
  }

  async adopt(key: string, path: string): Promise<BlobInfo> {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      await this.#putParts(key, partsOf(file.createReadStream({ autoClose: false }), partBytes(size)));
    } finally {
      await file.close();
    }
    const info = await this.#mustStat(key);
    await rm(path, { force: true });
    return info;
  }

  async #putWhole(key: string, body: Uint8Array): Promise<void> {
    await this.#client.send(new PutObjectCommand({ ...this.#at(key), Body: body, ContentLength: body.length }));
  }

  async #putParts(key: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
    const iterator = parts[Symbol.asyncIterator]();
    const first = await iterator.next();
    const second = first.done ? first : await iterator.next();
    if (first.done || second.done) {
      await this.#putWhole(key, first.done ? new Uint8Array(0) : first.value);
      return;
    }
    const { UploadId } = await this.#client.send(new CreateMultipartUploadCommand(this.#at(key)));
    try {
      const done: Part[] = [];
      for (let part: IteratorResult<Uint8Array> = first; !part.done; part = await nextAfter(done, second, iterator)) {
        const PartNumber = done.length + 1;
        const { ETag } = await this.#client.send(
          new UploadPartCommand({ ...this.#at(key), UploadId, PartNumber, Body: part.value }),
        );
        done.push({ PartNumber, ETag });
      }
      await this.#client.send(
        new CompleteMultipartUploadCommand({ ...this.#at(key), UploadId, MultipartUpload: { Parts: done } }),
      );
    } catch (error) {
      await iterator.return?.();
      // Some services cannot abort: the first error is the one to report, and the bucket's lifecycle rule cleans up.
      await Promise.allSettled([this.#client.send(new AbortMultipartUploadCommand({ ...this.#at(key), UploadId }))]);
      throw error;
    }
  }

  async #mustStat(key: string): Promise<BlobInfo> {
    const info = await this.stat(key);
    if (info === undefined) throw new BlobMissingError(key);
    return info;
  }

  async stat(key: string): Promise<BlobInfo | undefined> {
    try {
      const {
        ContentLength = 0,
        ETag = '',
        LastModified,
      } = await this.#client.send(new HeadObjectCommand(this.#at(key)));
      return { size: ContentLength, etag: ETag, modifiedMs: LastModified?.getTime() ?? 0 };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async read(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable> {
    try {
      const { Body } = await this.#client.send(
        new GetObjectCommand({
          ...this.#at(key),
          ...(range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` }),
        }),
      );
      if (!(Body instanceof Readable)) throw new TypeError('the object storage response has no body stream');
      return Body;
    } catch (error) {
      if (isMissing(error)) throw new BlobMissingError(key);
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#at(key)));
  }

  async *list(prefix: string): AsyncGenerator<{ key: string; size: number; modifiedMs: number }> {
    let token: string | undefined;
    do {
      const page = await this.#client.send(
        new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#prefix + prefix, ContinuationToken: token }),
      );
      for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
        yield { key: Key.slice(this.#prefix.length), size: Size, modifiedMs: LastModified?.getTime() ?? 0 };
      }
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  localPath(): undefined {
    return undefined;
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + requireBlobKey(key) };
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404;
}

/** The second part is read ahead to decide between a single put and a multipart upload. */
async function nextAfter(
  done: readonly Part[],
  second: IteratorResult<Uint8Array>,
  iterator: AsyncIterator<Uint8Array>,
): Promise<IteratorResult<Uint8Array>> {
  return done.length === 1 ? second : iterator.next();
}

function partBytes(size: number): number {
  return Math.max(PART_BYTES, Math.ceil(size / PARTS_MAX));
}

/** Splits the stream into pieces of `size` bytes; the last one may be shorter. */
async function* partsOf(source: AsyncIterable<Uint8Array>, size = PART_BYTES): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    let rest = chunk;
    while (bytes + rest.length >= size) {
      const take = size - bytes;
      yield Buffer.concat([...waiting, rest.subarray(0, take)]);
      rest = rest.subarray(take);
      waiting = [];
      bytes = 0;
    }
    if (rest.length > 0) waiting.push(rest);
    bytes += rest.length;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
