/** Request bodies: urlencoded (also without a content type), JSON, multipart. All bounded while they arrive. */
import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import busboy from 'busboy';
import { parameterError, ServiceError } from '../../spec/service-errors.js';
import type { FilePart } from '../graph/call.js';
import { checkDepth, isRecord, mergeParams, noParams, type RawParams, readQuery, setParameter } from '../params/raw.js';
import { API_LIMITS } from '../services.js';

export interface Body {
  readonly params: RawParams;
  readonly files: ReadonlyMap<string, FilePart>;
}

const NO_FILES: ReadonlyMap<string, FilePart> = new Map();

/** Takes the bytes of large files out of the stream while it is read. */
export interface FileReceiver {
  takes(field: string): boolean;
  /** Reads `source` to its end, or throws. */
  receive(field: string, source: AsyncIterable<Uint8Array>, fileName: string, fieldsSoFar: RawParams): Promise<void>;
}

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return (length !== undefined && length !== '0') || request.headers['transfer-encoding'] !== undefined;
}

/** @throws ServiceError 100 for a body that is too large or not what its content type says */
export async function readBody(request: IncomingMessage, receiver?: FileReceiver): Promise<Body> {
  const type = request.headers['content-type'] ?? '';
  if (/^multipart\/form-data/i.test(type)) return readMultipart(request, receiver);
  return { params: textBody((await collect(request)).toString('utf8'), type), files: NO_FILES };
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
    parsed = JSON.parse(text);
  } catch (error) {
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
  checkDepth(parsed);
  return mergeParams(noParams(), parsed);
}

async function collect(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A refusal leaves the request as it is: its connection carries the answer.
  const body: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > API_LIMITS.bodyBytes) throw tooLarge(`The body is larger than ${API_LIMITS.bodyBytes} bytes`);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

function tooLarge(message: string): ServiceError {
  return new ServiceError({
    code: 100,
    type: 'OAuthException',
    status: 400,
    message: `(#100) ${message}`,
    isTransient: false,
  });
}

/** Files that the receiver does not take are kept in memory: captions and images. */
async function readMultipart(request: IncomingMessage, receiver: FileReceiver | undefined): Promise<Body> {
  const params = noParams();
  const files = new Map<string, FilePart>();
  const receiving: Promise<void>[] = [];
  const parser = multipartParser(request, receiver !== undefined);
  let isOver = false;
  const done = new Promise<void>((resolve, reject) => {
    const fail = (error: unknown) => {
      isOver = true;
      request.unpipe(parser);
      // A file that is being received ends with it, so that its receiver can clear away what came. Not at once: the parser
      // goes through what it was given to the end, and what this was called from may be part of that.
      setImmediate(() => parser.destroy());
      reject(error);
    };
    // The parser gives no name for a part that has none, whatever its types say.
    parser.on('field', (name: string | undefined, value, info) => {
      if (name === undefined) fail(badMultipart(undefined));
      else if (info.valueTruncated) fail(tooLarge(`Param ${name} must be at most ${API_LIMITS.bodyBytes} bytes long`));
      else guarded(() => setParameter(params, name, value), fail);
    });
    parser.on('file', (field: string | undefined, stream, info) => {
      if (field === undefined || isOver) {
        stream.on('error', fail);
        stream.resume();
        fail(badMultipart(undefined));
        return;
      }
      if (receiver?.takes(field)) {
        // A receiver that refuses does not read; without a listener the end of the parser would end the process.
        stream.on('error', () => undefined);
        const work = receiver.receive(field, stream as AsyncIterable<Uint8Array>, info.filename ?? '', params);
        receiving.push(work);
        work.catch(fail);
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= API_LIMITS.imageBytes) chunks.push(chunk);
        else fail(tooLarge(`Param ${field} must be a file of at most ${API_LIMITS.imageBytes} bytes`));
      });
      stream.on('limit', () =>
        fail(tooLarge(`Param ${field} must be a file of at most ${API_LIMITS.imageBytes} bytes`)),
      );
      // A body that ends within a file says so here first.
      stream.on('error', (error) => fail(badMultipart(error)));
      stream.on('end', () => {
        const bytes = Buffer.concat(chunks);
        files.set(field, { field, fileName: info.filename ?? '', mimeType: info.mimeType, bytes });
      });
    });
    parser.on('partsLimit', () => fail(tooLarge(`A request takes at most ${API_LIMITS.parameters} parameters`)));
    parser.on('error', (error) => fail(badMultipart(error)));
    parser.on('close', () => resolve());
    request.on('error', fail);
    request.on('aborted', () => fail(badMultipart(undefined)));
  });
  mend(parser);
  request.pipe(parser);
  try {
    await done;
    await Promise.all(receiving);
  } catch (error) {
    // What was received whole by then is known to whoever discards it.
    await Promise.allSettled(receiving);
    throw error;
  }
  return { params, files };
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

function multipartParser(request: IncomingMessage, takesLarge: boolean) {
  try {
    return busboy({
      headers: request.headers,
      limits: {
        fieldSize: API_LIMITS.bodyBytes,
        fileSize: takesLarge ? Number.POSITIVE_INFINITY : API_LIMITS.imageBytes,
        files: 4,
        parts: API_LIMITS.parameters,
        fieldNameSize: 1000,
      },
    });
  } catch (error) {
    throw badMultipart(error);
  }
}

function badMultipart(cause: unknown): ServiceError {
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
