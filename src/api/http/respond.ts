/** Writes responses: common headers, ETag and 304, and event streams. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from '../graph/call.js';
import type { JsonChunks } from '../graph/json-text.js';
import { compressed, isCompressed } from './compress.js';

/** The newest and the oldest version served. Older ones are served as the oldest, since old clients ask for them. */
export const GRAPH_VERSION = 'v24.0';
export const OLDEST_VERSION = 'v19.0';

export const GRAPH_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'application/json; charset=UTF-8',
  'facebook-api-version': GRAPH_VERSION,
  'x-fb-rev': '1',
  'Cache-Control': 'private, no-cache, no-store, must-revalidate',
  Pragma: 'no-cache',
  Expires: 'Sat, 01 Jan 2000 00:00:00 GMT',
  Vary: 'Origin, Accept-Encoding',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, WWW-Authenticate, facebook-api-version, x-app-usage, x-fb-trace-id',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
};

const VERSION_HEADER = 'facebook-api-version';
const FIXED = Object.entries(GRAPH_HEADERS)
  .filter(([name]) => name !== VERSION_HEADER)
  .flat();

const TRACE_PREFIX = randomBytes(6).toString('base64url');
let traces = 0;

/** An opaque id, unique to the request across processes. */
export function nextTrace(): string {
  traces = (traces + 1) % Number.MAX_SAFE_INTEGER;
  return `A${TRACE_PREFIX}${traces.toString(36).padStart(4, '0')}`;
}

function traceHeaders(trace: string): string[] {
  return ['x-fb-trace-id', trace, 'x-fb-request-id', trace, 'X-FB-Debug', trace];
}

export const etagOf = ({ sha1 }: JsonChunks): string => `"${sha1}"`;

/** The version that served the call, and its token, which must not be compressed. */
export interface Served {
  readonly version: string;
  readonly token?: string | undefined;
}

export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Pick<Answer, 'status' | 'headers'> & { readonly body: JsonChunks },
  trace: string,
  extra: readonly string[] = [],
  served: Served = { version: GRAPH_VERSION },
): void {
  const status = answer.status ?? 200;
  const headers = FIXED.concat(VERSION_HEADER, served.version, traceHeaders(trace), extra);
  if (answer.headers) for (const [name, value] of Object.entries(answer.headers)) headers.push(name, value);
  const { body } = answer;
  const isShrunk = isCompressed(request, body, served.token);
  if (status === 200 && (request.method === 'GET' || request.method === 'HEAD')) {
    // A compressed response is another representation of the same data.
    const etag = isShrunk ? `W/${etagOf(body)}` : etagOf(body);
    headers.push('ETag', etag);
    if (matches(request.headers['if-none-match'], etag)) {
      response.writeHead(304, headers);
      response.end();
      return;
    }
  }
  headers.push('Content-Length', String(body.bytes));
  const send = () => {
    response.writeHead(status, headers);
    for (const chunk of body.chunks.slice(0, -1)) response.write(chunk);
    response.end(body.chunks.at(-1));
  };
  if (isShrunk) compressed(request, response, send);
  else send();
}

function matches(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  return condition
    .split(',')
    .some((each) => each.trim().replace(/^W\//, '') === etag.replace(/^W\//, '') || each.trim() === '*');
}

/** A file to save. `name` has no character that a header would need to escape. */
export function sendFile(
  response: ServerResponse,
  { bytes, type, name }: NonNullable<Answer['file']>,
  trace: string,
): void {
  response.writeHead(200, [
    ...Object.entries({ ...GRAPH_HEADERS, 'Content-Type': type }).flat(),
    ...traceHeaders(trace),
    'Content-Disposition',
    `attachment; filename="${name}"`,
    'Content-Length',
    String(bytes.length),
  ]);
  response.end(bytes);
}

/** Allows any origin without credentials: tokens are in the request, never in cookies. */
export function corsPreflight(response: ServerResponse): void {
  response.writeHead(204, {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, POST, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-None-Match',
    'Access-Control-Max-Age': '86400',
  });
  response.end();
}

/** Sends server-sent events until the client disconnects or the events end. */
export async function sendEvents(
  response: ServerResponse,
  events: AsyncIterable<string>,
  trace: string,
): Promise<void> {
  response.writeHead(200, [
    ...Object.entries({ ...GRAPH_HEADERS, 'Content-Type': 'text/event-stream; charset=UTF-8' }).flat(),
    ...traceHeaders(trace),
  ]);
  response.flushHeaders();
  for await (const event of events) {
    if (response.destroyed) break;
    if (!response.write(event)) await drained(response);
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go);
      response.off('close', go);
      resolve();
    };
    response.on('drain', go);
    response.on('close', go);
  });
}
