/** Request bodies: urlencoded (also without a content type), JSON, multipart. Size is bounded while they arrive. */
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { isRecord } from '../../lib/objects.js';
import type { ReceivedFile } from '../../ports/index.js';
import { parameterError, ServiceError } from '../../spec/service-errors.js';
import { tokenRequiredFirst } from '../access/faults.js';
import type { TokenReader } from '../access/tokens.js';
import type { ApiDeps } from '../context/config.js';
import { API_LIMITS } from '../context/limits.js';
import type { CallToken, FilePart } from '../graph/call.js';
import { mergeParams, noParams, parseJson, type RawParams, readQuery } from '../params/raw.js';
import {
  type BodyMemory,
  type ByteShare,
  countTokenless,
  type RequestMemory,
  type TokenlessFiles,
} from './body-budget.js';
import { tokenOf } from './call-of.js';
import { badMultipart, type IncomingFile, type MultipartKeeper, readMultipart } from './multipart.js';

/** Services shared by incoming bodies. */
export interface BodyServices extends RequestFilesServices {
  readonly tokens: TokenReader;
  readonly tokenless: TokenlessFiles;
  readonly bodyMemory: BodyMemory;
}

interface BodyOrigin {
  /** The client's address group. */
  readonly address: string;
  readonly segments: readonly string[];
  readonly query: RawParams;
  readonly authorization: string | undefined;
}

export interface Body {
  readonly params: RawParams;
  /** Captions and images, in memory. */
  readonly files: ReadonlyMap<string, FilePart>;
  /** Videos, on disk. */
  readonly received: ReadonlyMap<string, ReceivedFile>;
}

/** The body of one request: its sender, the memory it occupies, and its files to clean up. */
export class IncomingBody implements BodyKeeper {
  readonly #memory: RequestMemory;
  readonly #sender: Sender;
  readonly #files: RequestFiles;

  constructor(services: BodyServices, { address, segments, query, authorization }: BodyOrigin) {
    this.#memory = services.bodyMemory.open(address);
    const { tokens } = services;
    this.#sender = new Sender({ tokens, segments, query, authorization, memory: this.#memory });
    const share = services.tokenless.open(address);
    this.#files = new RequestFiles({ services, segments, sender: this.#sender, memory: this.#memory, share });
  }

  /** @throws ServiceError 190, before anything is read, for an invalid token in the query or a header */
  async read(request: IncomingMessage): Promise<Body> {
    try {
      await this.#sender.verify();
      const params = await readBody(request, this);
      return { params, files: await this.#files.parts(params), received: this.#files.received };
    } finally {
      this.#sender.close();
    }
  }

  /** Called after the response. */
  async release(): Promise<void> {
    this.#memory.release();
    await this.#files.discard();
  }

  reserve(bytes: number): void {
    this.#memory.reserve(bytes);
  }

  field(name: string, fieldsSoFar: RawParams): Promise<unknown> | undefined {
    return name === 'access_token' ? this.#sender.verify(fieldsSoFar) : undefined;
  }

  file(file: IncomingFile, fieldsSoFar: RawParams): Promise<void> {
    return this.#files.take(file, fieldsSoFar);
  }

  onRefusal(refuse: (error: unknown) => void): void {
    this.#sender.onTimeout(refuse);
  }
}

// ---------------------------------------------------------------- text

/** Receives the parts of a body and may refuse it at any time. */
export interface BodyKeeper extends MultipartKeeper {
  /** Called before memory is allocated. @throws ServiceError to refuse the body */
  reserve(bytes: number): void;
}

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return (length !== undefined && length !== '0') || request.headers['transfer-encoding'] !== undefined;
}

/**
 * Returns the parameters; files go to the keeper. @throws ServiceError 100 for a body that is too large or malformed
 */
export async function readBody(request: IncomingMessage, keeper: BodyKeeper): Promise<RawParams> {
  const type = request.headers['content-type'] ?? '';
  if (/^multipart\/form-data/i.test(type)) return readMultipart(request, keeper);
  const bytes = await collect(request, keeper);
  if (!isUtf8(bytes)) throw parameterError('The body must be UTF-8');
  return textBody(bytes.toString('utf8'), type);
}

function textBody(text: string, contentType: string): RawParams {
  const trimmed = text.trim();
  if (trimmed === '') return noParams();
  const isJson = /[/+]json\b/i.test(contentType) || (contentType === '' && trimmed.startsWith('{'));
  return isJson ? jsonParams(trimmed) : readQuery(trimmed, noParams());
}

function jsonParams(text: string): RawParams {
  let parsed: unknown;
  try {
    parsed = parseJson(text);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError(
      {
        code: 100,
        type: 'OAuthException',
        status: 400,
        message: '(#100) The body is not valid JSON',
        isTransient: false,
      },
      { cause: error },
    );
  }
  if (Array.isArray(parsed) && parsed.length === 0) return noParams();
  if (!isRecord(parsed)) throw parameterError('The body must be a JSON object');
  return mergeParams(noParams(), parsed);
}

function collect(request: IncomingMessage, keeper: BodyKeeper): Promise<Buffer> {
  const collector = new ByteCollector(API_LIMITS.bodyBytes, (bytes) => keeper.reserve(bytes));
  return new Promise((resolve, reject) => {
    // A refusal does not destroy the request: the response uses its connection.
    const fail = (error: unknown) => {
      if (request.listeners('data').includes(take)) request.off('data', take).pause();
      reject(error);
    };
    const take = (chunk: Buffer) => {
      try {
        if (!collector.push(chunk)) fail(parameterError(`The body is larger than ${API_LIMITS.bodyBytes} bytes`));
      } catch (error) {
        fail(error);
      }
    };
    keeper.onRefusal(fail);
    request.on('data', take);
    request.once('end', () => resolve(collector.bytes()));
    request.on('error', fail);
    request.once('close', () => fail(parameterError('The body is truncated')));
  });
}

// ---------------------------------------------------------------- the sender

interface SenderDeps {
  readonly tokens: TokenReader;
  readonly segments: readonly string[];
  readonly query: RawParams;
  readonly authorization: string | undefined;
  readonly memory: RequestMemory;
}

/** Authenticates the sender of a body: before reading if the token is in the query or a header, else from its field. */
class Sender {
  readonly #deps: SenderDeps;
  readonly #deadline: Deadline;
  #verified: string | undefined;
  #missed: ((error: unknown) => void) | undefined;

  constructor(deps: SenderDeps, textMs: number = API_LIMITS.anonymousTextMs) {
    this.#deps = deps;
    this.#deadline = new Deadline(textMs, () => this.#missed?.(tokenRequiredFirst(`within ${textMs / 1000} s`)));
  }

  /** `fail` is called when no valid token arrives in time. */
  onTimeout(fail: (error: unknown) => void): void {
    this.#missed = fail;
  }

  /** Whether a valid token has arrived. @throws ServiceError 190 for an invalid one */
  async verify(fields: RawParams = noParams()): Promise<boolean> {
    const token = this.tokenOf(fields);
    if (token === undefined) return false;
    if (token.value === this.#verified) return true;
    const { tokens, segments } = this.#deps;
    // The call itself is checked once its method is known, which may stand in the body.
    const { ownerId } = await tokens.read(token.value, { method: 'POST', segments });
    if (this.#verified === undefined) this.#deps.memory.transferTo(ownerId);
    this.#verified = token.value;
    this.#deadline.cancel();
    return true;
  }

  tokenOf(fields: RawParams): CallToken | undefined {
    return tokenOf(this.#deps.query, fields, this.#deps.authorization);
  }

  /** Extends the deadline: a file that precedes the token takes longer than text. */
  expectFile(): void {
    this.#deadline.extendTo(API_LIMITS.anonymousFileMs);
  }

  /** Call at the end of the body. */
  close(): void {
    this.#deadline.cancel();
  }
}

/** A deadline that can be extended or canceled. */
class Deadline {
  readonly #startMs = performance.now();
  readonly #onTimeout: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** `ms` from now. */
  constructor(ms: number, onTimeout: () => void) {
    this.#onTimeout = onTimeout;
    this.#timer = setTimeout(onTimeout, ms);
  }

  /** Moves the deadline to `ms` after its start. No effect once canceled. */
  extendTo(ms: number): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onTimeout, Math.max(0, ms - (performance.now() - this.#startMs)));
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

// ---------------------------------------------------------------- files

type RequestFilesServices = Pick<ApiDeps, 'uploads' | 'log'>;

interface RequestFilesDeps {
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

/**
 * Files of one request. Videos go to disk. Captions and images are held in memory once the token is verified; one that
 * arrives before its token is kept on disk until then. All other files are read and discarded.
 */
class RequestFiles {
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

// ---------------------------------------------------------------- bytes

/**
 * Collects bytes into one buffer that doubles as it grows. A list of chunks costs an object per chunk: a body sent one
 * byte at a time would occupy a hundred times its length.
 */
export class ByteCollector {
  readonly #maxBytes: number;
  readonly #reserve: (bytes: number) => void;
  #buffer = Buffer.alloc(0);
  #length = 0;

  /** `reserve` is called before memory is allocated; it throws to refuse. */
  constructor(maxBytes: number, reserve: (bytes: number) => void) {
    this.#maxBytes = maxBytes;
    this.#reserve = reserve;
  }

  /** Returns false and discards the chunk if it exceeds the maximum. */
  push(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) return false;
    if (length > this.#buffer.length) this.#grow(length);
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
    return true;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #grow(needed: number): void {
    const capacity = Math.min(this.#maxBytes, Math.max(needed, this.#buffer.length * 2));
    this.#reserve(capacity - this.#buffer.length);
    const larger = Buffer.allocUnsafeSlow(capacity);
    larger.set(this.bytes());
    this.#buffer = larger;
  }
}

const DRAIN = { bytes: 64 * 1024 * 1024, ms: 2_000 };

/**
 * Reads and discards the rest of a refused request's body before the response. Closing a connection with unread bytes resets
 * it, and the client would lose the error response. Resolves when the body ends, the client disconnects, or the bound is reached.
 */
export function drainBody(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > DRAIN.bytes) done();
    };
    const done = () => {
      clearTimeout(timer);
      request.off('data', take);
      request.off('end', done);
      request.off('close', done);
      request.pause();
      resolve();
    };
    const timer = setTimeout(done, DRAIN.ms);
    request.on('data', take);
    request.once('end', done);
    request.once('close', done);
    request.resume();
  });
}
