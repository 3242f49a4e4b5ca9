/** What is served outside the graph: health, the description of the interface, and a page to try it. */
import { createHash } from 'node:crypto';
import type { Express } from 'express';
import helmet from 'helmet';
import type { Services } from '../graph/call.js';
import { EMBED_PATH } from '../resources/shared/embed.js';
import { embedPage } from './embed-page.js';
import { TRY_PAGE, TRY_SCRIPT, TRY_STYLE } from './try-page.js';

const hash = (source: string) => `'sha256-${createHash('sha256').update(source).digest('base64')}'`;

/** For answers that no browser should make a page of. */
const SAFE = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/** How long an answer of `/readyz` serves all who ask: the store is asked twice a second at most, however many probes come. */
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

export const PROBE_PATHS: readonly string[] = ['/healthz', '/readyz'];
/** Their own, beside the probes. */
export const PAGE_PATHS: readonly string[] = ['/openapi.json', EMBED_PATH, '/try'];

export function serviceRoutes(app: Express, services: Services, describeInterface: () => object): void {
  app.get('/healthz', (_request, response) => {
    response.set({ ...SAFE, 'Cache-Control': 'no-store' }).json({ status: 'ok' });
  });
  const readiness = coalesced(services.readiness, READY_MS, () => services.clock.monotonicMs());
  app.get('/readyz', async (_request, response) => {
    const { ready, checks } = await readiness();
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
  const protection = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        connectSrc: ["'self'"],
        scriptSrc: [hash(TRY_SCRIPT)],
        styleSrc: [hash(TRY_STYLE)],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // Whether the server is reached over TLS is the operator's to say.
    strictTransportSecurity: false,
  });
  app.get(`${EMBED_PATH}/:video`, embedPage(services));
  app.get('/try', protection, (_request, response) => {
    response.type('html').send(TRY_PAGE);
  });
}
