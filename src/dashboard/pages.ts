/**
 * Serves the built pages from memory: `/dashboard/`, `/dock/`, `/docs/`, `/check/` and their assets. All files are read once at startup, so the
 * path of a request never reaches the file system.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type HouseSpec, houseScript } from '../spec/house.js';

export interface PagesOptions {
  /** Vite's output: `dist/dashboard/web`. */
  readonly root: string;
  /** The operator's own bounds: the pages draw and name them. */
  readonly house?: HouseSpec | undefined;
}

interface Asset {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly isCompressed: boolean;
  /** Made at the first request for them: compressing all pages took a seventh of the start of the web process. */
  gzip?: Buffer;
  brotli?: Buffer;
}

export const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

const COMPRESSED = new Set(['.js', '.css', '.svg']);

/** Browsers ask for it beside a page that names no icon: a recording, a report, JSON. */
export const ICON_PATH = '/favicon.ico';

/** In a document; each answer has a nonce of its own in its place. As in `web/vite.config.ts`. */
const NONCE = 'AIRLOCK_NONCE';
const NONCE_BYTES = 16;

/** Documents that ask the server for data. The others, and the workers among the assets, connect to nothing. */
const CONNECTS: ReadonlySet<string> = new Set(['/dashboard/', '/dashboard/wall/', '/dock/', '/docs/']);

/** A document, by its text, or another file. */
type Page = { readonly html: string } | Asset;
const HOST = /^[A-Za-z0-9.-]{1,253}(?::\d{1,5})?$|^\[[0-9a-fA-F:.]{2,45}\](?::\d{1,5})?$/;

/** Does not throw if the pages were not built: requests are then answered with 503 and the build command. */
export function createPages({ root, house }: PagesOptions): RequestListener {
  const pages = existsSync(root) ? withBounds(readPages(root), house) : new Map<string, Page>();
  return (request, response) => answer(pages, request, response);
}

function readPages(root: string): ReadonlyMap<string, Page> {
  const pages = new Map<string, Page>();
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    const extension = extname(entry.name);
    const type = TYPES[extension];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(root, file).split(sep).join('/');
    const isDocument = extension === '.html';
    pages.set(
      urlPathOf(path),
      isDocument ? { html: readFileSync(file, 'utf8') } : readAsset(file, type, COMPRESSED.has(extension)),
    );
  }
  return pages;
}

/** Modules run after the scripts of a document, so that those of the specification find the bounds. */
function withBounds(pages: ReadonlyMap<string, Page>, house: HouseSpec | undefined): ReadonlyMap<string, Page> {
  if (house === undefined) return pages;
  const script = assetOf(Buffer.from(houseScript(house)), TYPES['.js'] ?? '', true);
  const path = `/dashboard/assets/bounds-${script.etag.replaceAll('"', '')}.js`;
  const tag = `<script src="${path}"></script>`;
  const changed = [...pages].map(([name, page]): [string, Page] => [
    name,
    'html' in page ? { html: page.html.replace('<script ', `${tag}\n    <script `) } : page,
  ]);
  return new Map([...changed, [path, script]]);
}

/** `dock/index.html` → `/dock/`; `assets/x.js` → `/dashboard/assets/x.js` */
function urlPathOf(path: string): string {
  return path.endsWith('/index.html') ? `/${path.slice(0, -'index.html'.length)}` : `/dashboard/${path}`;
}

function readAsset(file: string, type: string, isCompressed: boolean): Asset {
  return assetOf(readFileSync(file), type, isCompressed);
}

function assetOf(plain: Buffer, type: string, isCompressed: boolean): Asset {
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, etag, plain, isCompressed };
}

/** The name of the built icon, which holds a hash of it. */
function iconOf(pages: ReadonlyMap<string, Page>): string | undefined {
  return [...pages.keys()].find((path) => /\/favicon-[\w-]+\.svg$/.test(path));
}

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** The body in the best encoding that the client accepts. */
function bodyFor(page: Asset, accepted: string): { readonly encoding?: 'br' | 'gzip'; readonly body: Buffer } {
  if (page.isCompressed && /\bbr\b/.test(accepted)) {
    page.brotli ??= brotliCompressSync(page.plain, BROTLI);
    return { encoding: 'br', body: page.brotli };
  }
  if (page.isCompressed && /\bgzip\b/.test(accepted)) {
    page.gzip ??= gzipSync(page.plain, { level: 9 });
    return { encoding: 'gzip', body: page.gzip };
  }
  return { body: page.plain };
}

function answer(pages: ReadonlyMap<string, Page>, request: IncomingMessage, response: ServerResponse): void {
  const path = pathOf(request);
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  secure(request, response, nonce, CONNECTS.has(path));
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    plainText(response, 405, 'Method not allowed: use GET.\n');
    return;
  }
  const page = pages.get(path);
  if (page !== undefined) {
    if ('html' in page) sendDocument(page.html.replaceAll(NONCE, nonce), request, response);
    else sendAsset(page, request, response);
    return;
  }
  if (pages.size === 0) {
    plainText(response, 503, 'The pages are not built. Run: npm run build\n');
    return;
  }
  const place = pages.has(`${path}/`) ? `${path}/` : path === ICON_PATH ? iconOf(pages) : undefined;
  if (place !== undefined) {
    response.setHeader('Location', place);
    plainText(response, 308, '');
    return;
  }
  plainText(response, 404, 'Page not found.\n');
}

/** The full path without the query. A router strips the mount path from `url` and keeps `originalUrl`. */
export function pathOf(request: IncomingMessage & { readonly originalUrl?: string }): string {
  const url = request.originalUrl ?? request.url ?? '/';
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

function sendDocument(html: string, request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(html));
  response.end(request.method === 'HEAD' ? undefined : html);
}

/** Its name holds a hash of it. */
function sendAsset(page: Asset, request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  response.setHeader('ETag', page.etag);
  response.setHeader('Vary', 'Accept-Encoding');
  if (request.headers['if-none-match']?.includes(page.etag)) {
    response.statusCode = 304;
    response.end();
    return;
  }
  const { encoding, body } = bodyFor(page, String(request.headers['accept-encoding'] ?? ''));
  if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
  response.setHeader('Content-Type', page.type);
  response.setHeader('Content-Length', body.length);
  response.end(request.method === 'HEAD' ? undefined : body);
}

function plainText(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** Same origin only, and inline only styles with the nonce of the page; images and video may also be blobs of the player. */
function secure(request: IncomingMessage, response: ServerResponse, nonce: string, connects: boolean): void {
  const host = request.headers.host ?? '';
  // Some browsers do not match ws: and wss: URLs of the same host against 'self'.
  const sockets = HOST.test(host) ? ` ws://${host} wss://${host}` : '';
  response.setHeader(
    'Content-Security-Policy',
    [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data: blob:",
      "media-src 'self' blob:",
      "worker-src 'self' blob:",
      connects ? `connect-src 'self'${sockets}` : "connect-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  );
  for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
}

/** Headers of each page beside its policy. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=()',
};
