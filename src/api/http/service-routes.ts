/** `/healthz` and `/readyz`, for load balancers and people. */
import type { Express } from 'express';
import type { ApiDeps } from '../services.js';

export function serviceRoutes(app: Express, deps: ApiDeps): void {
  app.get('/healthz', (_request, response) => {
    response.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });
  app.get('/readyz', async (_request, response) => {
    const { ready, checks } = await deps.readiness();
    response
      .status(ready ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({ status: ready ? 'ok' : 'unavailable', checks });
  });
}
