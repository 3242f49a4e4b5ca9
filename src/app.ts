/** The composition root: the only place where the modules meet. */
import { fileURLToPath } from 'node:url';
import { adminActions } from './admin.js';
import { adminHandler } from './admin-handler.js';
import { FeedAccess } from './api/access/feed-access.js';
import { createApi } from './api/create-api.js';
import { type CertificateChange as Pair, watchCertificate } from './config/certificate-watch.js';
import { type CertificatePaths, ensureCertificate, readPair } from './config/certificates.js';
import { adminSocketPath } from './config/data-folder.js';
import { publicUrls } from './config/public-urls.js';
import type { Config } from './config/schema.js';
import { type Core, openCore } from './core.js';
import { createDashboard } from './dashboard/dashboard.js';
import { HealthHistory } from './dashboard/history.js';
import { HttpListener } from './http-listener.js';
import type { IngestServerOptions } from './ingest/server.js';
import type { Log, Store } from './ports.js';
import { runQuickstart } from './run-quickstart.js';
import { isWorker, leaveWorkers, tellListening, Workers } from './workers.js';

export interface RunningApp {
  readonly addresses: { readonly rtmpsPort: number; readonly rtmpPort: number | undefined; readonly httpPort: number };
  /** One of several ingest processes; the first one speaks for all. */
  readonly isWorker: boolean;
  close(): Promise<void>;
}

/** Starts everything that the configuration asks for; resolves when it can be used. */
export async function startApp(config: Config, deps: { readonly log: Log }): Promise<RunningApp> {
  const { log } = deps;
  const certificate = await ensureCertificate(config);
  for (const warning of certificate.warnings) log.warn({}, warning);
  const pair = readPair(certificate);
  const core = await openCore(config, log);
  const history = new HealthHistory({ store: core.store, clock: core.clock, log });
  history.start(() => runningStreams(core));
  if (isWorker()) return startWorker(config, log, core, history, certificate, pair);

  const { ingest, store, clock, ids } = core;
  const http = new HttpListener(config.https ? pair : undefined);
  const httpPort = await http.listen(config.httpPort, config.host);
  const workers = config.workers > 1 ? new Workers(log) : undefined;
  const ports = workers ? await workers.start(config.workers) : await ingest.listen(ingestOptions(config, pair));
  const watch = watchCertificate(
    certificate,
    (next) => {
      ingest.replaceCertificate(texts(next));
      http.replaceCertificate(next);
      log.info({}, 'the certificate was replaced');
    },
    (error) => log.warn({ error }, 'the changed certificate cannot be used; the one in use stays'),
  );
  const inUse = { rtmpsPort: ports.rtmpsPort, httpPort };
  core.usePorts(inUse);
  const urls = publicUrls(config, inUse);

  const apiConfig = { publicHttpUrl: urls.httpUrl, enforce: config.enforce };
  const feedAccess = new FeedAccess({ store, clock, ids, config: apiConfig });
  const dashboard = createDashboard({
    store,
    broadcasts: ingest.broadcasts,
    authenticate: (token) => feedAccess.authenticate(token),
    links: feedAccess,
    history,
    root: fileURLToPath(new URL('./dashboard/web/', import.meta.url)),
    clock,
    log,
  });
  const api = createApi({
    store,
    broadcasts: ingest.broadcasts,
    clock,
    ids,
    log,
    config: apiConfig,
    readiness: () => readiness(store),
    mounts: dashboard.mounts,
  });
  http.serve(api.app, (request, socket, head) => {
    if (!dashboard.upgrade(request, socket, head)) socket.destroy();
  });
  const admin = new HttpListener();
  admin.serve(adminHandler(adminActions({ store, broadcasts: ingest.broadcasts, clock, ids }), log));
  await admin.listenOnFile(adminSocketPath(config));
  const stopQuickstart = config.quickstart
    ? await runQuickstart({ core, feedAccess, dataDir: config.dataDir, urls, ports: inUse, log })
    : () => undefined;

  return {
    addresses: { ...ports, httpPort },
    isWorker: false,
    async close() {
      stopQuickstart();
      watch.close();
      await dashboard.close();
      await Promise.all([http.close(), admin.close(), workers?.stop()]);
      api.close();
      feedAccess.close();
      await core.stopReceiving();
      await history.close();
      await core.close();
    },
  };
}

/** An ingest process among several: it only receives, and tells the first process where. */
async function startWorker(
  config: Config,
  log: Log,
  core: Core,
  history: HealthHistory,
  certificate: CertificatePaths,
  pair: Pair,
): Promise<RunningApp> {
  const ports = await core.ingest.listen(ingestOptions(config, pair));
  const watch = watchCertificate(
    certificate,
    (next) => core.ingest.replaceCertificate(texts(next)),
    (error) => log.warn({ error }, 'the changed certificate cannot be used; the one in use stays'),
  );
  tellListening(ports);
  return {
    addresses: { ...ports, httpPort: 0 },
    isWorker: true,
    async close() {
      watch.close();
      await core.stopReceiving();
      await history.close();
      await core.close();
      leaveWorkers();
    },
  };
}

const texts = ({ cert, key }: Pair) => ({ cert: cert.toString(), key: key.toString() });

function ingestOptions(config: Config, pair: Pair): IngestServerOptions {
  return {
    host: config.host,
    rtmpsPort: config.rtmpsPort,
    rtmpPort: config.rtmpPort,
    tls: { ...texts(pair), maxVersion: config.tlsMax === '1.3' ? 'TLSv1.3' : 'TLSv1.2' },
  };
}

/** What this process receives now, for the charts. */
function* runningStreams({ ingest }: Core) {
  for (const publication of ingest.publications.all()) {
    yield { liveVideoId: publication.liveVideoId, health: publication.health() };
  }
}

async function readiness(store: Store) {
  try {
    await store.ping();
    return { ready: true, checks: { store: 'ok' } };
  } catch (error) {
    return { ready: false, checks: { store: error instanceof Error ? error.message : String(error) } };
  }
}
