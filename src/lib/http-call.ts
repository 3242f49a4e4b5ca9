/**
 * Requests to HTTP servers of others. Every fault of the server, the connection or its time ends in an `HttpCallError` of this
 * call; bodies are read at the reader's pace. `node:http` is used directly: `fetch` and undici up to 7 assert in a socket's
 * event when a server closes the connection while a body waits to be read, which no caller can catch.
 */
import type { LookupAddress } from 'node:dns';
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { messageOf } from './errors.js';

export type HttpFault =
  /** No connection, or what came is not HTTP. */
  | 'HTTP_UNREACHABLE'
  /** The connection ended within the body. */
  | 'HTTP_INCOMPLETE'
  /** No headers in time, no bytes for too long, or the signal of the caller. */
  | 'HTTP_TIMEOUT'
  | 'HTTP_TOO_LARGE';

export class HttpCallError extends Error {
  override readonly name = 'HttpCallError';
  readonly code: HttpFault;

  constructor(code: HttpFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

export interface HttpCall {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the call to the end of the headers. */
  readonly headersMs: number;
  /** Longest wait for the next 16 KiB of the body. */
  readonly stallMs: number;
  /** Bounds the call with its body. */
  readonly signal: AbortSignal;
  /** Resolves names in place of the system; the socket connects to what it returns. */
  readonly resolve?: (hostName: string) => Promise<readonly LookupAddress[]>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Throws an `HttpCallError` unless it is whole. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Closes the connection, whatever is left of the body. */
  close(): void;
}

/** Bounds what a server can make this process parse before the body. */
const HEADER_BYTES_MAX = 16_384;

/** Answers before the answer (100, 103); a server sends one or two. */
const INTERIM_MAX = 8;

/** Redirects are the caller's: they are answers here. @throws HttpCallError */
export async function callHttp(url: URL, call: HttpCall): Promise<HttpAnswer> {
  const { method = 'GET', headers = {}, body, headersMs, signal, resolve } = call;
  if (signal.aborted) throw aborted(signal);
  const request = (url.protocol === 'https:' ? tlsRequest : plainRequest)(url, {
    method,
    headers,
    // No connection outlives its call.
    agent: false,
    maxHeaderSize: HEADER_BYTES_MAX,
    ...(resolve === undefined ? {} : { lookup: lookupBy(resolve) }),
  });
  const response = await headersOf(request, body, headersMs, signal);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: bodyOf(response, { stallMs: call.stallMs, signal }),
    close: () => response.destroy(),
  };
}

/** A server that sends a byte a second would outlast a bound on pauses alone. */
const PART_BYTES = 16_384;

export interface BodyBounds {
  /** Longest wait for the next 16 KiB. */
  readonly stallMs: number;
  readonly bytesMax?: number;
  readonly signal?: AbortSignal;
}

/** The bytes of a response; throws an `HttpCallError` unless it is whole and within the bounds. Destroys the response at the end. */
export function bodyOf(response: IncomingMessage, bounds: BodyBounds): AsyncIterable<Uint8Array> {
  const { signal } = bounds;
  const stop = (): void => void response.destroy(signal && aborted(signal));
  signal?.addEventListener('abort', stop, { once: true });
  response.once('close', () => signal?.removeEventListener('abort', stop));
  // An unread response may fail, too; a reader gets the error from its read.
  response.on('error', () => undefined);
  return read(response, bounds);
}

async function* read(
  response: IncomingMessage,
  { stallMs, bytesMax = Infinity }: BodyBounds,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  let part = 0;
  let leftMs = stallMs;
  try {
    const reader: AsyncIterator<Uint8Array> = response[Symbol.asyncIterator]();
    for (;;) {
      // Only the server is timed: between two reads the reader works.
      const startedMs = performance.now();
      const timer = setTimeout(() => {
        response.destroy(new HttpCallError('HTTP_TIMEOUT', `less than ${PART_BYTES} bytes in ${stallMs} ms`));
      }, leftMs);
      const next = await reader.next().finally(() => clearTimeout(timer));
      if (next.done === true) break;
      leftMs -= performance.now() - startedMs;
      bytes += next.value.length;
      part += next.value.length;
      if (part >= PART_BYTES) [part, leftMs] = [0, stallMs];
      if (bytes > bytesMax) throw new HttpCallError('HTTP_TOO_LARGE', `the answer has more than ${bytesMax} bytes`);
      yield next.value;
    }
    if (!response.complete) throw new Error('the connection was closed within the body');
  } catch (error) {
    throw error instanceof HttpCallError ? error : new HttpCallError('HTTP_INCOMPLETE', messageOf(error), error);
  } finally {
    response.destroy();
  }
}

function headersOf(
  request: ClientRequest,
  body: string | undefined,
  headersMs: number,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const stop = (): void => void request.destroy(aborted(signal));
    const timer = setTimeout(() => {
      request.destroy(new HttpCallError('HTTP_TIMEOUT', `no answer within ${headersMs} ms`));
    }, headersMs);
    const settled = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    };
    const fail = (error: Error): void => {
      settled();
      reject(error instanceof HttpCallError ? error : new HttpCallError('HTTP_UNREACHABLE', messageOf(error), error));
    };
    signal.addEventListener('abort', stop, { once: true });
    request.once('response', (response: IncomingMessage) => {
      settled();
      resolve(response);
    });
    let interim = 0;
    request.on('information', () => {
      if (++interim > INTERIM_MAX) request.destroy(new Error('too many interim answers'));
    });
    // Stays for the life of the socket: a server may send more after its answer, or reset the connection.
    request.on('error', fail);
    // Only this event tells that the server switched to another protocol.
    request.once('close', () => fail(new Error('the connection was closed without an answer')));
    request.end(body);
  });
}

/** The socket dials exactly these addresses, so nothing can be resolved anew after a check. */
function lookupBy(resolve: NonNullable<HttpCall['resolve']>): LookupFunction {
  return (hostName, options, callback) => {
    resolve(hostName).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) callback(new Error(`${hostName} has no address`), '');
        else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

function aborted(signal: AbortSignal): HttpCallError {
  return new HttpCallError('HTTP_TIMEOUT', 'the time of the call is over', signal.reason);
}
