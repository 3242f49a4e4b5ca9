/** Assembles the HTTP interface: service paths, what is mounted beside, then the graph for everything else. */
import express, { type Express } from 'express';
import { TokenReader } from './access/tokens.js';
import type { Services } from './graph/call.js';
import type { FixedCalls } from './graph/dispatch.js';
import { graphRegistry } from './graph/table.js';
import { graphEntry } from './http/entry.js';
import { serviceRoutes } from './http/service-routes.js';
import type { ApiDeps } from './services.js';

export interface Api {
  /** A handler for `http.createServer`. */
  readonly app: Express;
  close(): void;
}

export function createApi(deps: ApiDeps): Api {
  const tokens = new TokenReader(deps.store, deps.clock, deps.config);
  const services: Services = { ...deps, tokens, graph: graphRegistry() };
  const fixed: FixedCalls = new Map();
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  app.set('trust proxy', deps.config.trustProxy ?? false);
  serviceRoutes(app, deps);
  for (const { path, handler } of deps.mounts ?? []) app.use(path, (request, response) => handler(request, response));
  app.use(graphEntry(services, fixed));
  return { app, close: () => tokens.close() };
}
