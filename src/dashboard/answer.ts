/** Answers of the data for the pages. */
import type { ServerResponse } from 'node:http';
import type { FeedViewer } from './view/viewer.js';

export interface Answer {
  readonly status: number;
  /** Bytes are a file of `type`; other values are sent as JSON. */
  readonly body: unknown;
  /** A JPEG by default. */
  readonly type?: string;
  readonly ageMs?: number;
}

export interface Asker {
  readonly viewer: FeedViewer;
  /** The client's address. */
  readonly from: string;
}

export const refused = (status: number, message: string): Answer => ({ status, body: { error: { message } } });

export function notAllowed(method = ''): Answer {
  return refused(405, `Method ${method} is not allowed here.`);
}

export function paramsOf(url: string): URLSearchParams {
  return new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '');
}

export function send(response: ServerResponse, { status, body, type, ageMs }: Answer): void {
  if (response.destroyed) return;
  const bytes = body instanceof Uint8Array ? body : Buffer.from(body === undefined ? '' : JSON.stringify(body));
  response.writeHead(status, {
    'Content-Type': body instanceof Uint8Array ? (type ?? 'image/jpeg') : 'application/json; charset=utf-8',
    'Content-Length': bytes.length,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(ageMs === undefined ? {} : { Age: Math.round(ageMs / 1000) }),
  });
  response.end(bytes);
}
