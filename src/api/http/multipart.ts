/** Multipart bodies: text fields become parameters; files are passed on while they arrive. */
import type { IncomingMessage } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import busboy from 'busboy';
import { parameterError, ServiceError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';
import { noParams, type RawParams, setParameter } from '../params/raw.js';

export interface IncomingFile {
  readonly field: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly source: AsyncIterable<Uint8Array>;
}

export interface MultipartKeeper {
  /** Called before memory is allocated. @throws ServiceError to refuse the body */
  reserve(bytes: number): void;
  /** Called after each text field. A rejection refuses the body. */
  field(name: string, fieldsSoFar: RawParams): Promise<unknown> | undefined;
  /** Reads `source` to its end, or rejects to refuse the body. */
  file(file: IncomingFile, fieldsSoFar: RawParams): Promise<void>;
  /** Passes a function that aborts reading. */
  onRefusal(refuse: (error: unknown) => void): void;
}

/** @throws ServiceError 100 */
export async function readMultipart(request: IncomingMessage, keeper: MultipartKeeper): Promise<RawParams> {
  const params = noParams();
  const working: Promise<unknown>[] = [];
  const parser = multipartParser(request);
  const text = new TextMeter(parser, keeper);
  let isOver = false;
  const done = new Promise<void>((resolve, reject) => {
    const fail = (error: unknown) => {
      isOver = true;
      request.off('data', count);
      request.unpipe(parser);
      // Destroying the parser ends the file being received, so that its receiver can clean up. Deferred, because this
      // may run inside the parser's own write.
      setImmediate(() => parser.destroy());
      reject(error);
    };
    const count = (chunk: Buffer) => guarded(() => text.count(chunk.length), fail);
    const awaitWork = (work: Promise<unknown> | undefined) => {
      if (work === undefined) return;
      working.push(work);
      work.catch(fail);
    };
    // The parser passes undefined for a part without a name, despite its types.
    parser.on('field', (name: string | undefined, value, info) => {
      if (name === undefined) fail(badMultipart(undefined));
      else if (info.valueTruncated) fail(tooMuchText());
      else if (!isOver) {
        guarded(() => {
          setParameter(params, name, value);
          awaitWork(keeper.field(name, params));
        }, fail);
      }
    });
    parser.on('file', (field: string | undefined, stream, info) => {
      // A refused file is not read; without a listener its error would crash the process.
      stream.on('error', () => undefined);
      if (field === undefined || isOver) {
        stream.resume();
        fail(badMultipart(undefined));
        return;
      }
      const { filename, mimeType } = info;
      const source = text.without(stream);
      awaitWork(keeper.file({ field, fileName: filename ?? '', mimeType, source }, params));
    });
    parser.on('partsLimit', () => fail(parameterError(`A request takes at most ${API_LIMITS.multipartParts} parts`)));
    parser.on('error', (error) => fail(badMultipart(error)));
    parser.on('close', () => resolve());
    request.on('error', fail);
    request.on('aborted', () => fail(badMultipart(undefined)));
    keeper.onRefusal(fail);
    hardenParser(parser);
    request.pipe(parser);
    request.on('data', count);
  });
  try {
    await done;
    await Promise.all(working);
    text.count(0);
  } catch (error) {
    // Wait for running work, so that completed files are registered before they are discarded.
    await Promise.allSettled(working);
    throw error;
  }
  return params;
}

/** Counts the bytes of a body outside file contents: fields, names, part headers. */
class TextMeter {
  readonly #parser: Writable;
  readonly #keeper: MultipartKeeper;
  readonly #files = new Set<Readable>();
  #arrived = 0;
  #ofFiles = 0;
  #reserved = 0;

  constructor(parser: Writable, keeper: MultipartKeeper) {
    this.#parser = parser;
    this.#keeper = keeper;
  }

  /** @throws ServiceError 100 for too much text, and errors of the keeper */
  count(arrived: number): void {
    this.#arrived += arrived;
    let text = this.#arrived - this.#ofFiles - this.#parser.writableLength;
    for (const file of this.#files) text -= file.readableLength;
    if (text <= this.#reserved) return;
    if (text > API_LIMITS.bodyBytes) throw tooMuchText();
    this.#keeper.reserve(text - this.#reserved);
    this.#reserved = text;
  }

  /** Passes a file through and excludes its bytes from the count. */
  async *without(file: Readable): AsyncGenerator<Uint8Array> {
    this.#files.add(file);
    for await (const chunk of file as AsyncIterable<Buffer>) {
      this.#ofFiles += chunk.length;
      yield chunk;
    }
    this.#files.delete(file);
  }
}

/**
 * Works around two bugs of busboy 1.6. On some truncated bodies `_write` throws, which would crash the process; the
 * exception becomes the parser's error. And `_final` waits forever for an unterminated file that begins in the same
 * chunk after the last boundary; it becomes an error too.
 */
function hardenParser(parser: Writable): void {
  const write = parser._write.bind(parser);
  parser._write = (chunk, encoding, done) => {
    try {
      write(chunk, encoding, done);
    } catch (error) {
      parser.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const final = parser._final.bind(parser);
  parser._final = (done) => {
    if (Reflect.get(parser, '_fileStream')) parser.destroy(new Error('The body ends within a file'));
    else final(done);
  };
}

/** Catches exceptions in listeners of the parser, which would crash the process. */
function guarded(work: () => void, fail: (error: unknown) => void): void {
  try {
    work();
  } catch (error) {
    fail(error);
  }
}

function multipartParser(request: IncomingMessage) {
  try {
    return busboy({
      headers: request.headers,
      limits: {
        fieldSize: API_LIMITS.bodyBytes,
        // Bounded by the receiver: large files are streamed to disk.
        fileSize: Number.POSITIVE_INFINITY,
        files: 4,
        parts: API_LIMITS.multipartParts,
        fieldNameSize: 1000,
      },
    });
  } catch (error) {
    throw badMultipart(error);
  }
}

function tooMuchText(): ServiceError {
  return parameterError(`The fields of a form must be at most ${API_LIMITS.bodyBytes} bytes in total, names included`);
}

export function badMultipart(cause: unknown): ServiceError {
  return new ServiceError(
    {
      code: 100,
      type: 'OAuthException',
      status: 400,
      message: '(#100) The multipart body is malformed',
      isTransient: false,
    },
    { cause },
  );
}
