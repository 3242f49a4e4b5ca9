/** Assembles the HTTP interface: service paths, mounted handlers, then the graph for all other paths. */
import type { RequestListener } from 'node:http';
import express, { type Express } from 'express';
import { GO_LIVE_PATH } from '../golive/profile-choice.js';
import { SafeResponse } from '../lib/http-refusals.js';
import { defined } from '../lib/objects.js';
import { nameRoute } from '../lib/spans.js';
import { sweepAudit } from './access/audit.js';
import { Refusals } from './access/refusals.js';
import { TokenReader } from './access/tokens.js';
import type { ApiDeps } from './context/config.js';
import { KeptLists } from './graph/kept-lists.js';
import { LoopTurns } from './graph/turns.js';
import { BodyMemory, TokenlessFiles } from './http/body-budget.js';
import { graphEntry, type HttpServices, refuseOther } from './http/entry.js';
import { LargeAnswers } from './http/large-answers.js';
import { MountLimits, type UpgradeHandler } from './http/mount-limits.js';
import { RATE_LIMIT_DEFAULTS, RateLimits } from './http/rate-limits.js';
import { askWithPost, goLive } from './obs/go-live.js';
import { openApiDocument } from './openapi.js';
import { browserPages, isForBrowser, isPermalink } from './pages/browser-pages.js';
import { PAGE_PATHS, PROBE_PATHS, serviceRoutes } from './pages/service-routes.js';
import { ExpiredVideos } from './resources/video/expired.js';
import { rootCalls } from './root/calls.js';
import { graphRegistry } from './routes.js';

export interface Api {
  /** A handler for `http.createServer`. */
  readonly app: RequestListener;
  /** Applies rate limits to an upgrade before the handler runs. */
  limitUpgrades(handler: UpgradeHandler): UpgradeHandler;
  close(): void;
}

/**
 * IDs, versions and `me` can only be graph requests. They pass by Express, whose routing costs as much as the read
 * (docs/decisions/0026-one-path-of-a-read.md).
 */
const GRAPH_PATH = /^\/(?:\d|v\d|me\b)/;

function emptyApp(): Express {
  const app = express();
  // Express gives each response a prototype of its own.
  Object.assign(app.response, { writeHead: SafeResponse.prototype.writeHead });
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  return app;
}

/** `refusals` and `bodyMemory`: of the process, which its other services and its metrics share. */
export function createApi(deps: ApiDeps, refusals = new Refusals(deps), bodyMemory = new BodyMemory()): Api {
  const tokens = new TokenReader(deps.store, deps.clock, deps.config);
  const graph = graphRegistry();
  const services: HttpServices = {
    ...deps,
    tokens,
    refusals,
    tokenless: new TokenlessFiles(),
    bodyMemory,
    largeAnswers: new LargeAnswers(),
    lists: new KeptLists(),
    turns: new LoopTurns(() => deps.clock.monotonicMs()),
  };
  const limits = new RateLimits({
    ...RATE_LIMIT_DEFAULTS,
    ...defined({ redis: deps.store.client }),
    ...deps.config.rateLimits,
  });
  const app = emptyApp();
  const entry = graphEntry(services, { graph, root: rootCalls(graph) }, limits);
  const listen: RequestListener = (request, response) => {
    if (GRAPH_PATH.test(request.url ?? '') && !isPermalink(request.url)) entry(request, response);
    else app(request, response);
  };
  const mountLimits = new MountLimits(limits, deps.config.isProxy, (address) => services.refusals.limited(address));
  const [limitPage, toPage] = [mountLimits.of('page'), browserPages(services)];
  app.use((request, response, next) => {
    if (!isForBrowser(request)) return next();
    return limitPage(request, response, (error?: unknown) =>
      error === undefined ? toPage(request, response, next) : next(error),
    );
  });
  app.use([...PROBE_PATHS], mountLimits.of('probe'));
  app.use([...PAGE_PATHS], mountLimits.of('page'));
  app.post(
    GO_LIVE_PATH,
    mountLimits.of('call'),
    (_request, _response, next) => {
      nameRoute(`POST ${GO_LIVE_PATH}`);
      next();
    },
    goLive(services),
  );
  app.use(GO_LIVE_PATH, askWithPost);
  serviceRoutes(app, services, () => openApiDocument(graph, deps.config.publicHttpUrl));
  for (const { path, handler, counts = 'page' } of deps.mounts ?? []) {
    app.use(path, mountLimits.of(counts), (request, response) => {
      nameRoute(`${request.method} ${path}`);
      handler(request, response, listen);
    });
  }
  app.use(entry);
  app.use(refuseOther(services));
  const expired = new ExpiredVideos(services);
  const endSweep = sweepAudit(deps);
  return {
    app: listen,
    limitUpgrades: (handler) => mountLimits.upgrades(handler),
    close() {
      expired.close();
      endSweep();
      tokens.close();
    },
  };
}
