/**
 * Serves `/files/videos/<video id>/…`: sources, pictures, captions. Requires a signed link or a token that may see the video;
 * without either the answer is the same as for a missing file. User content is never rendered as a page: nosniff, sandbox.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { isCode } from '../../lib/errors.js';
import { SAFE_HEADERS } from '../../lib/http-refusals.js';
import { parseSubRip, webVtt } from '../../media/subrip/subrip.js';
import { type BlobInfo, BlobMissingError, type Blobs, type Log, type TokenWatch } from '../../ports/index.js';
import type { SignedLinks } from './signed-links.js';

export interface FileHandlerDeps {
  readonly blobs: Blobs;
  readonly links: SignedLinks;
  readonly log: Log;
  /** Absent: signed links only. */
  readonly tokens?: FileTokens;
}

export interface FileTokens extends TokenWatch {
  /** The id of the token if it may see the video. */
  maySee(token: string, videoId: string): Promise<string | undefined>;
  /** Whether a signed link still opens the video. `tokenId`: of the token that asked for the link. */
  isOpenToLink(videoId: string, tokenId: string | undefined): Promise<boolean>;
}

const PATH = /^\/files\/(videos\/(\d{1,20})\/[a-z0-9][a-z0-9._/-]{0,150})$/;

const TYPES: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
};

const SAFE = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  // The link or the token grants access; cookies are not used.
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Accept-Ranges, Content-Range, Content-Length, ETag',
  'Referrer-Policy': 'no-referrer',
} as const;

export type FileHandler = (request: IncomingMessage, response: ServerResponse) => void;

export function fileHandler(deps: FileHandlerDeps): FileHandler {
  return (request, response) => {
    serve(deps, request, response).catch((error: unknown) => {
      // The client disconnected.
      if (!isCode(error, 'ERR_STREAM_PREMATURE_CLOSE')) deps.log.error({ error }, 'cannot serve a file');
      if (response.headersSent) response.destroy();
      else plain(response, 500);
    });
  };
}

/** A router strips its mount path from `url`; `originalUrl` has the full one. */
function targetOf(request: IncomingMessage & { readonly originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? '/';
}

async function serve(deps: FileHandlerDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'OPTIONS') {
    response.writeHead(204, {
      ...SAFE,
      'Access-Control-Allow-Methods': 'GET, HEAD',
      'Access-Control-Allow-Headers': 'Authorization, Range',
    });
    response.end();
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    plain(response, 405, { Allow: 'GET, HEAD, OPTIONS' });
    return;
  }
  const target = targetOf(request);
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1));
  const [, key, videoId] = PATH.exec(path) ?? [];
  if (key === undefined || videoId === undefined || path.includes('..') || path.includes('//')) {
    plain(response, 404);
    return;
  }
  const grant = (await byLink(deps, path, query, videoId)) ?? (await byToken(deps, request, query, videoId));
  if (grant === undefined) {
    plain(response, 404);
    return;
  }
  const { tokenId } = grant;
  const release = tokenId === undefined ? undefined : deps.tokens?.watch(tokenId, () => response.destroy());
  if (release !== undefined) response.once('close', release);
  if (response.destroyed) release?.();
  await (key.endsWith('.vtt') ? sendVtt(deps, key, request, response) : sendBlob(deps, key, request, response));
}

/** Admission of a request; it ends with the token. */
interface Grant {
  readonly tokenId?: string;
}

async function byLink(
  { links, tokens }: FileHandlerDeps,
  path: string,
  query: URLSearchParams,
  videoId: string,
): Promise<Grant | undefined> {
  const link = links.read(path, query);
  if (link === undefined || tokens === undefined) return link;
  if (link.tokenId !== undefined && !(await tokens.isValid(link.tokenId))) return undefined;
  return (await tokens.isOpenToLink(videoId, link.tokenId)) ? link : undefined;
}

async function byToken(
  { tokens }: FileHandlerDeps,
  request: IncomingMessage,
  query: URLSearchParams,
  videoId: string,
): Promise<Grant | undefined> {
  const inHeader = /^(?:Bearer|OAuth)\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const token = query.get('access_token') ?? inHeader;
  if (token === undefined || tokens === undefined) return undefined;
  const tokenId = await tokens.maySee(token, videoId);
  return tokenId === undefined ? undefined : { tokenId };
}

async function sendBlob(
  { blobs }: FileHandlerDeps,
  key: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const info = await blobs.stat(key);
  const headers = answerUnread(key, info, request, response);
  if (info === undefined || headers === undefined) return;
  const range = byteRange(mayRange(request, info) ? request.headers.range : undefined, info.size);
  if (range.kind === 'unsatisfiable') {
    plain(response, 416, { 'Content-Range': `bytes */${info.size}` });
    return;
  }
  const part = range.kind === 'part' ? { start: range.start, end: range.end } : undefined;
  const length = part === undefined ? info.size : part.end - part.start + 1;
  const status = part === undefined ? 200 : 206;
  const contentRange = part === undefined ? {} : { 'Content-Range': `bytes ${part.start}-${part.end}/${info.size}` };
  if (request.method === 'HEAD' || length === 0) {
    response.writeHead(status, { ...headers, ...contentRange, 'Content-Length': length }).end();
    return;
  }
  let body: Readable;
  try {
    body = await blobs.read(key, part);
  } catch (error) {
    if (!(error instanceof BlobMissingError)) throw error;
    plain(response, 404);
    return;
  }
  response.writeHead(status, { ...headers, ...contentRange, 'Content-Length': length });
  await pipeline(body, response);
}

/** The headers of a blob that is to be sent; undefined if the request was answered without it. */
function answerUnread(
  key: string,
  info: BlobInfo | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Record<string, string | number> | undefined {
  if (info === undefined) {
    plain(response, 404);
    return undefined;
  }
  const headers = headersOf(key, info);
  if (!isUnchanged(request, info)) return headers;
  response.writeHead(304, headers).end();
  return undefined;
}

/** WebVTT captions for browsers, converted from the stored SubRip file. */
async function sendVtt(
  { blobs }: FileHandlerDeps,
  key: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const source = key.replace(/\.vtt$/, '.srt');
  const headers = answerUnread(key, await blobs.stat(source), request, response);
  if (headers === undefined) return;
  const bytes = Buffer.from(webVtt(parseSubRip(await buffer(await blobs.read(source)))));
  response.writeHead(200, { ...headers, 'Accept-Ranges': 'none', 'Content-Length': bytes.length });
  if (request.method === 'HEAD') response.end();
  else await pipeline(Readable.from([bytes]), response);
}

function headersOf(key: string, info: BlobInfo): Record<string, string | number> {
  return {
    ...SAFE,
    'Content-Type': TYPES[key.slice(key.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    'Accept-Ranges': 'bytes',
    ETag: info.etag,
    'Last-Modified': new Date(info.modifiedMs).toUTCString(),
    // A second file of captions replaces the first at the same address.
    'Cache-Control': /\.(srt|vtt)$/.test(key) ? 'private, no-cache' : 'private, max-age=3600',
  };
}

function isUnchanged(request: IncomingMessage, info: BlobInfo): boolean {
  const known = request.headers['if-none-match'];
  if (known !== undefined)
    return known === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === info.etag);
  const since = Date.parse(request.headers['if-modified-since'] ?? '');
  return Number.isFinite(since) && Math.floor(info.modifiedMs / 1000) * 1000 <= since;
}

/** RFC 9110: only GET has ranges (14.2), and of no other version than the client's (13.1.5). */
function mayRange(request: IncomingMessage, info: BlobInfo): boolean {
  const condition = request.headers['if-range'];
  return request.method === 'GET' && (condition === undefined || condition === info.etag);
}

function plain(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, {
    ...SAFE,
    ...SAFE_HEADERS,
    ...headers,
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
  });
  response.end(status === 404 ? 'Not found\n' : '');
}

/** The Range header (RFC 9110, 14.2), single ranges only; multiple ranges get the full content, which the clause allows. */
type RangeAnswer =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' };

const WHOLE = { kind: 'whole' } as const;

/** `end` is inclusive. */
export function byteRange(header: string | undefined, size: number): RangeAnswer {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (match === null || (first === '' && last === '')) return WHOLE;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? { kind: 'unsatisfiable' } : { kind: 'part', start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return WHOLE;
  return start >= size ? { kind: 'unsatisfiable' } : { kind: 'part', start, end };
}
