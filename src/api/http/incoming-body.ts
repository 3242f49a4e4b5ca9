/** The body of one request: who sends it, what it occupies, and what is left of it to clear away. */
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

/** What arriving bodies share. */
export interface BodyServices extends RequestFilesServices {
  readonly tokens: TokenReader;
  readonly tokenless: TokenlessFiles;
  readonly bodyMemory: BodyMemory;
}

export interface BodyOrigin {
  /** The address group of the client. */
  readonly address: string;
  readonly segments: readonly string[];
  readonly query: RawParams;
  readonly authorization: string | undefined;
}

export interface Body {
  readonly params: RawParams;
  /** Captions and images, in memory. */
  readonly files: ReadonlyMap<string, FilePart>;
  /** Videos, on the disk. */
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

  /** @throws ServiceError 190, before anything is read, for a bad token in the address or a header */
  async read(request: IncomingMessage): Promise<Body> {
    try {
      await this.#sender.verify();
      const params = await readBody(request, this);
      return { params, files: await this.#files.parts(params), received: this.#files.received };
    } finally {
      this.#sender.close();
    }
  }

  /** When the request is answered. */
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
    this.#sender.onMissed(refuse);
  }
}
