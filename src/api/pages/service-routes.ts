/** Routes outside the graph: health checks, the OpenAPI document and the embed page. */
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Express, RequestHandler } from 'express';
import { SAFE_HEADERS } from '../../lib/http-refusals.js';
import type { Readiness } from '../context/config.js';
import type { Services } from '../graph/call.js';
import { EMBED_PATH } from '../resources/shared/embed.js';
import { embedPage } from './embed-page.js';

/**
 * How long a result of `/readyz` is reused: the store is checked at most twice a second, whatever the rate of probes.
 */
const READY_MS = 500;

function coalesced<Value>(ask: () => Promise<Value>, forMs: number, nowMs: () => number): () => Promise<Value> {
  let answer: Promise<Value> | undefined;
  let untilMs = 0;
  return () => {
    if (answer !== undefined && nowMs() < untilMs) return answer;
    untilMs = Number.POSITIVE_INFINITY;
    answer = ask().finally(() => {
      untilMs = nowMs() + forMs;
    });
    return answer;
  };
}

/** The answer for one role alone, where one is named. */
function ofRole(whole: Readiness, role: string | null): Readiness {
  if (role === null) return whole;
  const check = Object.hasOwn(whole.checks, role) ? whole.checks[role] : undefined;
  return { ready: check === 'ok' || check === 'idle', checks: { [role.slice(0, 20)]: check ?? 'no such role' } };
}

/** Makes the document at its first request and keeps it, since it takes 40 ms to make and anybody may ask for it. */
function keptDocument(describe: () => object): RequestHandler {
  let kept: { readonly plain: Buffer; readonly gzip: Buffer; readonly digest: string } | undefined;
  return (request, response) => {
    if (kept === undefined) {
      const plain = Buffer.from(JSON.stringify(describe()));
      kept = { plain, gzip: gzipSync(plain), digest: hash('sha1', plain, 'base64url') };
    }
    response.set({
      ...SAFE_HEADERS,
      'Cache-Control': 'no-cache',
      'Access-Control-Allow-Origin': '*',
      Vary: 'Accept-Encoding',
    });
    // The compressed document is another representation of the same data, hence a weak tag.
    response.set('ETag', `W/"${kept.digest}"`).type('json');
    if (request.headers['if-none-match']?.includes(kept.digest)) response.status(304).end();
    else if (request.acceptsEncodings('gzip')) response.set('Content-Encoding', 'gzip').send(kept.gzip);
    else response.send(kept.plain);
  };
}

export const PROBE_PATHS: readonly string[] = ['/healthz', '/readyz'];
/** Pages of this module, counted separately from the probes. */
export const PAGE_PATHS: readonly string[] = ['/openapi.json', EMBED_PATH, '/try'];

export function serviceRoutes(app: Express, services: Services, describeInterface: () => object): void {
  app.get('/healthz', (_request, response) => {
    response.set({ ...SAFE_HEADERS, 'Cache-Control': 'no-store' }).json({ status: 'ok' });
  });
  const readiness = coalesced(services.readiness, READY_MS, () => services.clock.monotonicMs());
  app.get('/readyz', async (request, response) => {
    const role = new URLSearchParams(request.url.split('?')[1]).get('role');
    const { ready, checks } = ofRole(await readiness(), role);
    response
      .status(ready ? 200 : 503)
      .set({ ...SAFE_HEADERS, 'Cache-Control': 'no-store' })
      .json({ status: ready ? 'ok' : 'unavailable', checks });
  });
  app.get('/openapi.json', keptDocument(describeInterface));
  app.get(`${EMBED_PATH}/:video`, embedPage(services));
  app.get('/try', (_request, response) => {
    response.set({ ...SAFE_HEADERS, 'Cache-Control': 'no-store' }).redirect(308, 'docs/');
  });
}
