/**
 * Serves the documents at `/help/`: the site that `npm run docs` builds. Requests choose among the names that the folder had
 * when it was built, so no path of a request reaches the file system. A site that is built while the server runs is found.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { PAGE_HEADERS, pathOf, TYPES } from './pages.js';

export const HELP_PATH = '/help';

/** Written last by the build: the hashes of the scripts within its pages, and where each rule stands. */
const MANIFEST = 'site.json';

interface Manifest {
  readonly inlineScripts: readonly string[];
  /** Addresses with their anchors, by code. */
  readonly rules: Readonly<Record<string, string>>;
}

interface Site {
  readonly builtMs: number;
  readonly policy: string;
  readonly rules: Manifest['rules'];
  /** Files by the path of their address. */
  readonly files: ReadonlyMap<string, string>;
}

export interface HelpOptions {
  /** VitePress's output: `dist/help`. */
  readonly root: string;
  /** Folder that holds the sources of the documents, where a start builds the site. */
  readonly sources: string;
}

export function createHelp({ root, sources }: HelpOptions): RequestListener {
  let site: Site | undefined;
  const current = async (): Promise<Site | undefined> => {
    const built = await modifiedMs(join(root, MANIFEST));
    if (built === undefined) return undefined;
    if (site?.builtMs !== built) site = readSite(root, built);
    return site;
  };
  return async (request, response) => {
    for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
    response.setHeader('Content-Security-Policy', policyWith([]));
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return send(response, 405, 'text/plain; charset=utf-8', 'Method not allowed: use GET.\n');
    }
    const found = await current();
    if (found === undefined) return sendAbsence(response, (await modifiedMs(sources)) !== undefined);
    response.setHeader('Content-Security-Policy', found.policy);
    try {
      await answer(found, pathOf(request), request, response);
    } catch {
      // Another build has just replaced the folder.
      send(response, 503, 'text/plain; charset=utf-8', 'The documents have just been built anew: ask again.\n');
    }
  };
}

async function modifiedMs(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return undefined;
  }
}

function readSite(root: string, builtMs: number): Site {
  const files = new Map<string, string>();
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || entry.name === MANIFEST) continue;
    const file = join(entry.parentPath, entry.name);
    files.set(addressOf(relative(root, file).split(sep).join('/')), file);
  }
  const { inlineScripts, rules } = JSON.parse(readFileSync(join(root, MANIFEST), 'utf8')) as Manifest;
  return { builtMs, files, rules, policy: policyWith(inlineScripts) };
}

/** `index.html` → `/help/`; `tutorials/obs.html` → `/help/tutorials/obs`; `assets/x.js` → `/help/assets/x.js` */
function addressOf(path: string): string {
  return `${HELP_PATH}/${path.replace(/(?:^|(?<=\/))index\.html(?=$|\.br$)|\.html(?=$|\.br$)/, '')}`;
}

/** Code is colored by attributes of style, which cannot load or run anything. */
function policyWith(inlineScripts: readonly string[]): string {
  return [
    "default-src 'none'",
    ['script-src', "'self'", ...inlineScripts.map((hash) => `'sha256-${hash}'`)].join(' '),
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** `/help/rules/6208` stays the address of a rule, whichever page it is on. */
const RULE = /^\/help\/rules\/(\d{4})$/;

async function answer(
  { files, builtMs, rules }: Site,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const known = files.get(path);
  if (known === undefined && path === HELP_PATH) return redirect(response, `${HELP_PATH}/`);
  if (known === undefined && files.has(path.replace(/\.html$/, '')))
    return redirect(response, path.replace(/\.html$/, ''));
  const [, code = ''] = RULE.exec(path) ?? [];
  const rule = Object.hasOwn(rules, code) ? rules[code] : undefined;
  if (rule !== undefined) return redirect(response, rule);
  const isAsset = path.startsWith(`${HELP_PATH}/assets/`);
  // Names of assets hold a hash of them. Others may differ after the next build.
  const tag = `"${builtMs.toString(36)}"`;
  if (known !== undefined) {
    response.setHeader('Cache-Control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
    response.setHeader('ETag', tag);
    response.setHeader('Vary', 'Accept-Encoding');
    if (request.headers['if-none-match']?.includes(tag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
  }
  const place = known === undefined ? `${HELP_PATH}/404` : path;
  const compressed = /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''))
    ? files.get(`${place}.br`)
    : undefined;
  const file = compressed ?? files.get(place);
  if (file === undefined) return send(response, 404, 'text/plain; charset=utf-8', 'Page not found.\n');
  if (compressed !== undefined) response.setHeader('Content-Encoding', 'br');
  const type = TYPES[extname(file.replace(/\.br$/, ''))] ?? 'text/plain; charset=utf-8';
  send(response, known === undefined ? 404 : 200, type, await readFile(file));
}

function redirect(response: ServerResponse, to: string): void {
  response.setHeader('Location', to);
  send(response, 308, 'text/plain; charset=utf-8', '');
}

/** While a start from the sources builds the site, the page asks again. A package from npm is too small for it. */
function sendAbsence(response: ServerResponse, isBeingBuilt: boolean): void {
  const text = isBeingBuilt
    ? 'The documents are being built, which takes up to a minute. <code>npm run docs</code> builds them, too.'
    : 'This installation holds no documents. They are in the folder <code>docs</code> of the source code, and in the container image.';
  const refresh = isBeingBuilt ? '<meta http-equiv="refresh" content="5">' : '';
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8">${refresh}<title>Documents · Airlock</title><meta name="viewport" content="width=device-width"></head><body><h1>Documents</h1><p>${text}</p><p><a href="/dashboard/">Dashboard</a>, <a href="/docs/">API</a></p></body></html>`;
  send(response, isBeingBuilt ? 503 : 404, 'text/html; charset=utf-8', html);
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.statusCode = status;
  if (status !== 200) response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}
