/** Answers to requests that no route sees: of sockets whose request Node's parser refuses, and of clients over a limit. */
import { maxHeaderSize, type ServerResponse } from 'node:http';
import { codeOf } from '../../lib/errors.js';
import { refusalText, SAFE_HEADERS } from '../../lib/http-refusals.js';

const BAD_REQUEST = refusalText(400);
/** Browsers open connections ahead of requests: they repeat a request that meets this answer on one, and believe a 400. */
const REQUEST_TIMEOUT = refusalText(408);

/** In the envelope of the graph. */
function tooLong(status: number, message: string): string {
  const error = { message: `(#100) ${message}`, type: 'OAuthException', code: 100, is_transient: false };
  const headers = {
    'Content-Type': 'application/json; charset=UTF-8',
    'Cache-Control': 'no-store',
    'Access-Control-Allow-Origin': '*',
  };
  return refusalText(status, headers, JSON.stringify({ error }));
}

/** Clients put all parameters into the URL. */
const URL_TOO_LONG = tooLong(414, 'The URL and headers are too long: send the parameters in the body of a POST');
/** RFC 6585, 5. */
const HEADERS_TOO_LONG = tooLong(431, 'The headers of the request are too long');
/** A request line of more than half of Node's limit, which is for URL and headers together, is what is too long. */
const LONG_LINE_BYTES = maxHeaderSize / 2;

/** `packet`: the bytes that Node's parser refused, or of them what came last. */
function overflow(packet: unknown): string {
  const end = packet instanceof Uint8Array ? Buffer.from(packet).indexOf('\r\n') : -1;
  return end < 0 || end > LONG_LINE_BYTES ? URL_TOO_LONG : HEADERS_TOO_LONG;
}

/** The bytes that answer an error of Node's parser. */
export function refusalOf(error: Error): string {
  const code = codeOf(error);
  if (code === 'HPE_HEADER_OVERFLOW') return overflow(Reflect.get(error, 'rawPacket'));
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? REQUEST_TIMEOUT : BAD_REQUEST;
}

/** 429 in the envelope of the graph. */
export function refuseBody(response: ServerResponse): void {
  const message = 'Too many request bodies of this address arrive at a time.';
  response.writeHead(429, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    ...SAFE_HEADERS,
    'Retry-After': '1',
    Connection: 'close',
  });
  response.end(JSON.stringify({ error: { message, type: 'OAuthException', code: 4, is_transient: true } }));
}
