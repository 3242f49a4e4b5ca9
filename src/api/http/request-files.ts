/**
 * Files of one request. Videos go to the disk. What an operation takes in memory, captions and images, is kept there once
 * the token is verified; one that comes before its token waits on the disk. Anything else is read and thrown away.
 */
import { readFile } from 'node:fs/promises';
import type { ReceivedFile } from '../../ports/index.js';
import { parameterError, ServiceError } from '../../spec/service-errors.js';
import { tokenRequiredFirst } from '../access/faults.js';
import type { ApiDeps } from '../context/config.js';
import { API_LIMITS } from '../context/limits.js';
import type { FilePart } from '../graph/call.js';
import type { RawParams } from '../params/raw.js';
import type { RequestMemory } from './body-memory.js';
import type { ByteShare } from './byte-budget.js';
import { ByteCollector } from './byte-collector.js';
import { badMultipart, type IncomingFile } from './multipart.js';
import type { Sender } from './sender.js';
import { countTokenless } from './tokenless-files.js';

export type RequestFilesServices = Pick<ApiDeps, 'uploads' | 'log'>;

export interface RequestFilesDeps {
  readonly services: RequestFilesServices;
  readonly segments: readonly string[];
  readonly sender: Sender;
  readonly memory: RequestMemory;
  /** On the disk, without a token. */
  readonly share: ByteShare;
}

/** By the last segment of the path: the fields whose files an operation takes in memory. */
const IN_MEMORY: Readonly<Record<string, readonly string[]>> = {
  captions: ['captions_file'],
  thumbnails: ['source'],
  videos: ['thumb'],
};
const VIDEO = ['source', 'video_file_chunk'];
const NOTHING = Buffer.alloc(0);

export class RequestFiles {
  readonly #deps: RequestFilesDeps;
  /** Files of videos, on the disk. */
  readonly received = new Map<string, ReceivedFile>();
  readonly #parts = new Map<string, FilePart>();
  /** Before their token: their bytes are read into memory when it is verified. */
  readonly #waiting = new Map<string, ReceivedFile>();

  constructor(deps: RequestFilesDeps) {
    this.#deps = deps;
  }

  /** @throws ServiceError 190 for a bad token, 104 for one that is missing, 100 for a file that is too large */
  async take(file: IncomingFile, fieldsSoFar: RawParams): Promise<void> {
    const isVerified = await this.#deps.sender.verify(fieldsSoFar);
    const { field } = file;
    if (this.#isVideo(field)) {
      await this.#replace(this.received, field, await this.#toDisk(file, file.source, isVerified));
      return;
    }
    const source = bounded(file);
    let bytes: Buffer = NOTHING;
    if (!this.#isTaken(field)) for await (const _ of source);
    else if (isVerified) bytes = await this.#toMemory(source);
    else await this.#replace(this.#waiting, field, await this.#toDisk(file, source, false));
    this.#parts.set(field, { field, fileName: file.fileName, mimeType: file.mimeType, bytes });
  }

  /** When the body is over. Files that no operation of the path takes are empty. @throws ServiceError 190 */
  async parts(fields: RawParams): Promise<ReadonlyMap<string, FilePart>> {
    if (this.#waiting.size === 0 || !(await this.#deps.sender.verify(fields))) return this.#parts;
    for (const [field, { path, size }] of this.#waiting) {
      const part = this.#parts.get(field);
      this.#deps.memory.reserve(size);
      if (part !== undefined) this.#parts.set(field, { ...part, bytes: await readFile(path) });
    }
    return this.#parts;
  }

  async discard(): Promise<void> {
    for (const file of [...this.received.values(), ...this.#waiting.values()]) {
      try {
        await file.discard();
      } catch (error) {
        this.#deps.services.log.warn({ err: error, path: file.path }, 'a received file could not be discarded');
      }
    }
    this.#deps.share.release();
  }

  #isVideo(field: string): boolean {
    const { segments, services } = this.#deps;
    return segments.length === 2 && segments[1] === 'videos' && VIDEO.includes(field) && services.uploads !== undefined;
  }

  /** A batch hands its files on by names of the client's choice. */
  #isTaken(field: string): boolean {
    const { segments } = this.#deps;
    return segments.length === 0 || (segments.length === 2 && IN_MEMORY[segments[1] ?? '']?.includes(field) === true);
  }

  async #toDisk({ fileName }: IncomingFile, source: AsyncIterable<Uint8Array>, isVerified: boolean) {
    const { services, sender, share } = this.#deps;
    if (services.uploads === undefined) throw tokenRequiredFirst('before a file');
    if (isVerified) return services.uploads.receive(source, { fileName });
    sender.sendsFile();
    return services.uploads.receive(countTokenless(source, share), { fileName });
  }

  async #toMemory(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
    const collector = new ByteCollector(API_LIMITS.imageBytes, (bytes) => this.#deps.memory.reserve(bytes));
    for await (const chunk of source) collector.push(chunk);
    return collector.bytes();
  }

  async #replace(files: Map<string, ReceivedFile>, field: string, file: ReceivedFile): Promise<void> {
    const earlier = files.get(field);
    files.set(field, file);
    await earlier?.discard();
  }
}

/** @throws ServiceError 100 for a file larger than an image may be, or one that is cut off */
async function* bounded({ field, source }: IncomingFile): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > API_LIMITS.imageBytes) {
        throw parameterError(`Param ${field} must be a file of at most ${API_LIMITS.imageBytes} bytes`);
      }
      yield chunk;
    }
  } catch (error) {
    throw error instanceof ServiceError ? error : badMultipart(error);
  }
}
