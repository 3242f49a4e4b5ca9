/** Routes outside the graph: health checks, the OpenAPI document and the embed page. */
import type { Express } from 'express';
import type { Readiness } from '../context/config.js';
import type { Services } from '../graph/call.js';
import { EMBED_PATH } from '../resources/shared/embed.js';
import { embedPage } from './embed-page.js';

/** For responses that a browser must not render as a page. */
const SAFE = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

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
  return { ready: check === 'ok', checks: { [role.slice(0, 20)]: check ?? 'no such role' } };
}

export const PROBE_PATHS: readonly string[] = ['/healthz', '/readyz'];
/** Pages of this module, counted separately from the probes. */
export const PAGE_PATHS: readonly string[] = ['/openapi.json', EMBED_PATH, '/try'];

export function serviceRoutes(app: Express, services: Services, describeInterface: () => object): void {
  app.get('/healthz', (_request, response) => {
    response.set({ ...SAFE, 'Cache-Control': 'no-store' }).json({ status: 'ok' });
  });
  const readiness = coalesced(services.readiness, READY_MS, () => services.clock.monotonicMs());
  app.get('/readyz', async (request, response) => {
    const { ready, checks } = ofRole(await readiness(), new URL(request.url, 'http://server').searchParams.get('role'));
    response
      .status(ready ? 200 : 503)
      .set({ ...SAFE, 'Cache-Control': 'no-store' })
      .json({ status: ready ? 'ok' : 'unavailable', checks });
  });
  app.get('/openapi.json', (_request, response) => {
    response
      .set({ ...SAFE, 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' })
      .json(describeInterface());
  });
  app.get(`${EMBED_PATH}/:video`, embedPage(services));
  app.get('/try', (_request, response) => {
    response.set({ ...SAFE, 'Cache-Control': 'no-store' }).redirect(308, 'docs/');
  });
}
