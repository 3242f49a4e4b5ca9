/** Refusals over HTTP: each has the headers that keep a browser from taking it for anything but data. */
import {
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { codeOf } from './errors.js';

/** For responses that a browser must not render as a page, nor another page frame. */
export const SAFE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Adds them to every refusal that does not set its own, those of Node's HTTP server and of Express too. */
export class SafeResponse extends ServerResponse {
  override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
    if (status >= 400 && !this.headersSent) {
      for (const [name, value] of Object.entries(SAFE_HEADERS)) if (!this.hasHeader(name)) this.setHeader(name, value);
    }
    return typeof reason === 'string'
      ? super.writeHead(status, reason, headers)
      : super.writeHead(status, reason ?? headers);
  }
}

/** The bytes of a refusal that closes its connection, for sockets without a response. */
export function refusalText(status: number, headers: Readonly<Record<string, string>> = {}, body = ''): string {
  const fields = { ...SAFE_HEADERS, ...headers, Connection: 'close', 'Content-Length': Buffer.byteLength(body) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

/** Answers what Node's parser refuses, on a server that tells such requests no more than that. */
export function refuseUnparsed(server: Server): void {
  server.on('clientError', (error, socket) => {
    if (socket.writable) socket.end(refusalText(codeOf(error) === 'HPE_HEADER_OVERFLOW' ? 431 : 400));
    else socket.destroy();
  });
}
