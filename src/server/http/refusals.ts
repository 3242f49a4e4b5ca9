/** Answers to requests that no route sees: of sockets whose request Node's parser refuses, and of clients over a limit. */
import type { ServerResponse } from 'node:http';
import { codeOf } from '../../lib/errors.js';

const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';
/** Browsers open connections ahead of requests: they repeat a request that meets this answer on one, and believe a 400. */
const REQUEST_TIMEOUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/** In the envelope of the graph: clients put all parameters into the URL. */
const TOO_LONG_BODY = JSON.stringify({
  error: {
    message: '(#100) The URL and headers are too long: send the parameters in the body of a POST',
    type: 'OAuthException',
    code: 100,
    is_transient: false,
  },
});
const TOO_LONG = [
  'HTTP/1.1 414 URI Too Long',
  'Content-Type: application/json; charset=UTF-8',
  'Cache-Control: no-store',
  'X-Content-Type-Options: nosniff',
  'Access-Control-Allow-Origin: *',
  `Content-Length: ${Buffer.byteLength(TOO_LONG_BODY)}`,
  'Connection: close',
  '',
  TOO_LONG_BODY,
].join('\r\n');

/** The bytes that answer an error of Node's parser. */
export function refusalOf(error: Error): string {
  const code = codeOf(error);
  if (code === 'HPE_HEADER_OVERFLOW') return TOO_LONG;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? REQUEST_TIMEOUT : BAD_REQUEST;
}

/** 429 in the envelope of the graph. */
export function refuseBody(response: ServerResponse): void {
  const message = 'Too many request bodies of this address arrive at a time.';
  response.writeHead(429, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Retry-After': '1',
    Connection: 'close',
  });
  response.end(JSON.stringify({ error: { message, type: 'OAuthException', code: 4, is_transient: true } }));
}
