/** Multipart bodies: text fields become parameters, files are handed over while they arrive. */
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
  /** Called before memory is used. @throws ServiceError to refuse it */
  reserve(bytes: number): void;
  /** After each text field. A rejection refuses the body. */
  field(name: string, fieldsSoFar: RawParams): Promise<unknown> | undefined;
  /** Reads `source` to its end, or throws, which refuses the body. */
  file(file: IncomingFile, fieldsSoFar: RawParams): Promise<void>;
  /** `refuse` ends the reading from outside. */
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
      // A file that is being received ends with it, so that its receiver can clear away what came. Not at once: the parser
      // goes through what it was given to the end, and what this was called from may be part of that.
      setImmediate(() => parser.destroy());
      reject(error);
    };
    const count = (chunk: Buffer) => guarded(() => text.count(chunk.length), fail);
    const awaitWork = (work: Promise<unknown> | undefined) => {
      if (work === undefined) return;
      working.push(work);
      work.catch(fail);
    };
    // The parser gives no name for a part that has none, whatever its types say.
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
      // Whoever refuses a file does not read it; without a listener the end of the parser would end the process.
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
    parser.on('partsLimit', () => fail(parameterError(`A request takes at most ${API_LIMITS.parameters} parameters`)));
    parser.on('error', (error) => fail(badMultipart(error)));
    parser.on('close', () => resolve());
    request.on('error', fail);
    request.on('aborted', () => fail(badMultipart(undefined)));
    keeper.onRefusal(fail);
    mend(parser);
    request.pipe(parser);
    request.on('data', count);
  });
  try {
    await done;
    await Promise.all(working);
    text.count(0);
  } catch (error) {
    // What was received whole by then is known to whoever discards it.
    await Promise.allSettled(working);
    throw error;
  }
  return params;
}

/** Bytes of a body that are no contents of files: fields, names, headers of parts. */
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

  /** @throws ServiceError 100 for too much text, and what the keeper throws */
  count(arrived: number): void {
    this.#arrived += arrived;
    let text = this.#arrived - this.#ofFiles - this.#parser.writableLength;
    for (const file of this.#files) text -= file.readableLength;
    if (text <= this.#reserved) return;
    if (text > API_LIMITS.bodyBytes) throw tooMuchText();
    this.#keeper.reserve(text - this.#reserved);
    this.#reserved = text;
  }

  /** The contents of a file do not count. */
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
 * At some malformed bodies, cut at the wrong place, the parser throws while it is written to (busboy 1.6). That would leave
 * the request's own listener and end the process, so it becomes the parser's error. And it would wait without end for a
 * file that begins behind the last boundary, in the same piece, and is not ended.
 */
function mend(parser: Writable): void {
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

/** What a listener of the parser throws would end the process. */
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
        // Bounded by where they go: the largest are streamed to the disk.
        fileSize: Number.POSITIVE_INFINITY,
        files: 4,
        parts: API_LIMITS.parameters,
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
