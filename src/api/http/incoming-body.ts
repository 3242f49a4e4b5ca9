/** The body of one request: its sender, the memory it occupies, and its files to clean up. */
import type { IncomingMessage } from 'node:http';
import type { ReceivedFile } from '../../ports/index.js';
import type { TokenReader } from '../access/tokens.js';
import type { FilePart } from '../graph/call.js';
import type { RawParams } from '../params/raw.js';
import { type BodyKeeper, readBody } from './body.js';
import type { BodyMemory, RequestMemory } from './body-memory.js';
import type { IncomingFile } from './multipart.js';
import { RequestFiles, type RequestFilesServices } from './request-files.js';
import { Sender } from './sender.js';
import type { TokenlessFiles } from './tokenless-files.js';

/** Services shared by incoming bodies. */
export interface BodyServices extends RequestFilesServices {
  readonly tokens: TokenReader;
  readonly tokenless: TokenlessFiles;
  readonly bodyMemory: BodyMemory;
}

export interface BodyOrigin {
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

export class IncomingBody implements BodyKeeper {
  readonly #memory: RequestMemory;
  readonly #sender: Sender;
  readonly #files: RequestFiles;

  constructor(services: BodyServices, { address, segments, query, authorization }: BodyOrigin) {
    this.#memory = services.bodyMemory.open(address);
    this.#sender = new Sender({ tokens: services.tokens, query, authorization, memory: this.#memory });
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
