/** Request bodies: urlencoded (also without a content type), JSON, multipart. Size is bounded while they arrive. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { isRecord } from '../../lib/objects.js';
import { parameterError, ServiceError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';
import { mergeParams, noParams, parseJson, type RawParams, readQuery } from '../params/raw.js';
import { ByteCollector } from './byte-collector.js';
import { type MultipartKeeper, readMultipart } from './multipart.js';

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
