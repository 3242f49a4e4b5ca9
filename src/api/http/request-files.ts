/**
 * Files of one request. Videos go to disk. Captions and images are held in memory once the token is verified; one that
 * arrives before its token is kept on disk until then. All other files are read and discarded.
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
  /** Disk space of files without a verified token. */
  readonly share: ByteShare;
}

/** By last path segment: the file fields that an operation takes in memory. */
const IN_MEMORY: Readonly<Record<string, readonly string[]>> = {
  captions: ['captions_file'],
  thumbnails: ['source'],
  videos: ['thumb'],
};
const VIDEO = ['source', 'video_file_chunk'];
const NOTHING = Buffer.alloc(0);

export class RequestFiles {
  readonly #deps: RequestFilesDeps;
  /** Video files, on disk. */
  readonly received = new Map<string, ReceivedFile>();
  readonly #parts = new Map<string, FilePart>();
  /** Files that arrived before their token; read into memory when it is verified. */
  readonly #waiting = new Map<string, ReceivedFile>();

  constructor(deps: RequestFilesDeps) {
    this.#deps = deps;
  }

  /** @throws ServiceError 190 for an invalid token, 104 for a missing one, 100 for a file that is too large */
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

  /** Call at the end of the body. Files that the path's operation does not take are empty. @throws ServiceError 190 */
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
        this.#deps.services.log.warn({ err: error, path: file.path }, 'cannot discard a received file');
      }
    }
    this.#deps.share.release();
  }

  #isVideo(field: string): boolean {
    const { segments, services } = this.#deps;
    return segments.length === 2 && segments[1] === 'videos' && VIDEO.includes(field) && services.uploads !== undefined;
  }

  /** In a batch the client chooses the names of files, so all are taken. */
  #isTaken(field: string): boolean {
    const { segments } = this.#deps;
    return segments.length === 0 || (segments.length === 2 && IN_MEMORY[segments[1] ?? '']?.includes(field) === true);
  }

  async #toDisk({ fileName }: IncomingFile, source: AsyncIterable<Uint8Array>, isVerified: boolean) {
    const { services, sender, share } = this.#deps;
    if (services.uploads === undefined) throw tokenRequiredFirst('before a file');
    if (isVerified) return services.uploads.receive(source, { fileName });
    sender.expectFile();
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

/** @throws ServiceError 100 for a file larger than the image limit, or a truncated one */
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
