/** The composition root: the only place where the modules meet. */
import { fileURLToPath } from 'node:url';
import { adminActions } from './admin.js';
import { adminHandler } from './admin-handler.js';
import { FeedAccess } from './api/access/feed-access.js';
import { createApi } from './api/create-api.js';
import type { ApiConfig, ApiDeps } from './api/services.js';
import { Webhook } from './api/webhook/webhook.js';
import { type CertificateChange as Pair, renewCertificate, watchCertificate } from './config/certificate-watch.js';
import { type CertificatePaths, ensureCertificate, readPair } from './config/certificates.js';
import { adminSocketPath } from './config/data-folder.js';
import { requireDataFolder } from './config/folders.js';
import { webhookSecret } from './config/key-secret.js';
import { publicUrls } from './config/public-urls.js';
import type { Config } from './config/schema.js';
import { type Core, openCore } from './core.js';
import { createDashboard } from './dashboard/dashboard.js';
import { HealthHistory } from './dashboard/history.js';
import { HttpListener } from './http-listener.js';
import type { IngestServerOptions } from './ingest/server.js';
import { CONNECTED } from './ingest/state-writer.js';
import { type MediaServices, openMediaServices } from './media-services.js';
import { createMetrics } from './metrics.js';
import { serverCounts, tellCounts } from './metrics-sources.js';
import type { Playback } from './playback/playback.js';
import { openPlayback, openRelayHost } from './playback-services.js';
import type { Log } from './ports.js';
import { readiness } from './readiness.js';
import { runQuickstart } from './run-quickstart.js';
import { announceServer } from './server-address.js';
import { type RecordsAnswer, type RecordsQuestion, tellStored, WorkerRecords } from './worker-records.js';
import { isWorker, leaveWorkers, tellListening, Workers, workerChannel } from './workers.js';

/** So long a GET of errors waits at most for records that the encoder was told a moment ago. */
const RECORDS_STORED_MS = 1_000;

export interface RunningApp {
  readonly addresses: { readonly rtmpsPort: number; readonly rtmpPort: number | undefined; readonly httpPort: number };
  /** One of several ingest processes; the first one speaks for all. */
  readonly isWorker: boolean;
  close(): Promise<void>;
}

/** Starts everything that the configuration asks for; resolves when it can be used. */
export async function startApp(config: Config, deps: { readonly log: Log }): Promise<RunningApp> {
  const { log } = deps;
  requireDataFolder(config);
  const certificate = await ensureCertificate(config);
  for (const warning of certificate.warnings) log.warn({}, warning);
  const pair = readPair(certificate);
  const running = await openRunning(config, log);
  if (isWorker()) return startWorker(config, log, running, certificate, pair);

  const { core, history, media, playback } = running;
  const { ingest, store, clock, ids, quota } = core;
  const http = new HttpListener(config.https ? pair : undefined, {
    isProxy: (address) => config.trustedProxies.includes(address),
  });
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
  const renewal = renewCertificate(config, (error) => log.warn({ error }, 'the certificate could not be made again'));
  const inUse = { rtmpsPort: ports.rtmpsPort, httpPort };
  core.usePorts(inUse);
  const urls = publicUrls(config, inUse);

  const stopAnnouncing = announceServer(
    { store, log, url: config.internalHttpUrl },
    () => workers?.holders ?? [core.holder],
  );
  const apiConfig = apiConfigOf(config, urls.httpUrl);
  const feedAccess = new FeedAccess({ store, clock, ids, config: apiConfig });
  const dashboard = createDashboard({
    store,
    running: CONNECTED,
    broadcasts: ingest.broadcasts,
    authenticate: (token) => feedAccess.authenticate(token),
    links: feedAccess,
    history,
    root: fileURLToPath(new URL('./dashboard/web/', import.meta.url)),
    clock,
    log,
  });
  const metrics = createMetrics({
    snapshot: serverCounts(running, workers, () => dashboard.sockets),
    shared: { spoolBytes: () => media.vod.spoolBytes(), jobs: () => media.vod.jobs.depths() },
    store,
    authorize: async (token) => (await feedAccess.authenticate(token)) !== undefined,
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
    readiness: () => readiness({ store, receiving: () => workers?.holders.length ?? 1 }),
    recordsStored: recordsStored(core, workers),
    blobs: media.vod.blobs,
    links: media.vod.links,
    uploads: media.vod.uploads,
    ...(playback === undefined ? {} : { playbackLinks: (id: string) => playback.links(id) }),
    mounts: [
      { path: '/metrics', handler: metrics.handler },
      { path: '/files', handler: media.vod.files },
      ...(playback?.mounts ?? []),
      ...dashboard.mounts,
    ],
  });
  http.serve(metrics.watch(api.app), (request, socket, head) => {
    if (playback?.upgrade(request, socket, head) || dashboard.upgrade(request, socket, head)) return;
    socket.destroy();
  });
  const admin = new HttpListener();
  admin.serve(adminHandler(adminActions({ store, broadcasts: ingest.broadcasts, clock, ids, quota }), log));
  await admin.listenOnFile(adminSocketPath(config));
  const webhook = config.webhookUrl === undefined ? undefined : webhookOf(core, config.webhookUrl, log);
  const stopQuickstart = config.quickstart
    ? await runQuickstart({ core, feedAccess, dataDir: config.dataDir, urls, ports: inUse, log })
    : () => undefined;

  return {
    addresses: { ...ports, httpPort },
    isWorker: false,
    async close() {
      stopQuickstart();
      stopAnnouncing();
      watch.close();
      renewal.close();
      await Promise.all([dashboard.close(), playback?.close()]);
      await Promise.all([http.close(), admin.close(), workers?.stop(), webhook?.close()]);
      api.close();
      feedAccess.close();
      await closeRunning(running);
    },
  };
}

/** What every process of the server runs. */
interface Running {
  readonly core: Core;
  readonly history: HealthHistory;
  readonly media: MediaServices;
  /** Of the process that serves HTTP. */
  readonly playback: Playback | undefined;
}

async function openRunning(config: Config, log: Log): Promise<Running> {
  const opened: { media?: MediaServices; playback?: Playback | undefined } = {};
  const core = await openCore(config, log, async (base) => {
    const media = await openMediaServices(base, { runsJobs: !isWorker() });
    opened.media = media;
    const playback = isWorker() ? undefined : openPlayback(base);
    opened.playback = playback;
    const relays = playback?.tapSource ?? openRelayHost(base);
    return { ...media.hooks, taps: [...(media.hooks.taps ?? []), relays] };
  });
  const { media, playback } = opened;
  if (media === undefined) throw new Error('the media services were not opened');
  const history = new HealthHistory({ store: core.store, clock: core.clock, log });
  history.start(() => runningStreams(core));
  return { core, history, media, playback };
}

async function closeRunning({ core, history, media }: Running): Promise<void> {
  await core.stopReceiving();
  await history.close();
  await media.close();
  await core.close();
}

/** An ingest process among several: it only receives, and tells the first process where. */
async function startWorker(
  config: Config,
  log: Log,
  running: Running,
  certificate: CertificatePaths,
  pair: Pair,
): Promise<RunningApp> {
  const ports = await running.core.ingest.listen(ingestOptions(config, pair));
  const watch = watchCertificate(
    certificate,
    (next) => running.core.ingest.replaceCertificate(texts(next)),
    (error) => log.warn({ error }, 'the changed certificate cannot be used; the one in use stays'),
  );
  tellCounts(running);
  tellStored(running.core.journal, RECORDS_STORED_MS);
  tellListening(ports, running.core.holder);
  return {
    addresses: { ...ports, httpPort: 0 },
    isWorker: true,
    async close() {
      watch.close();
      await closeRunning(running);
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

/** What was told to an encoder is read by the next GET, whichever process told it. */
function recordsStored({ journal }: Core, workers: Workers | undefined): NonNullable<ApiDeps['recordsStored']> {
  const own = (broadcastId: string) => journal.stored(broadcastId, RECORDS_STORED_MS);
  if (workers === undefined) return own;
  const others = new WorkerRecords(workerChannel<RecordsQuestion, RecordsAnswer>('recordsOf'), RECORDS_STORED_MS);
  return (broadcastId) => Promise.all([own(broadcastId), others.stored(broadcastId)]);
}

/** What this process receives now, for the charts. */
function* runningStreams({ ingest }: Core) {
  for (const publication of ingest.publications.all()) {
    yield { liveVideoId: publication.liveVideoId, health: publication.health() };
  }
}

function apiConfigOf(config: Config, publicHttpUrl: string): ApiConfig {
  return {
    publicHttpUrl,
    enforce: config.enforce,
    trustProxy: config.trustedProxies.networks,
    requireAppSecretProof: config.requireAppSecretProof,
    ...(config.appId === undefined ? {} : { appId: config.appId }),
    ...(config.appSecret === undefined ? {} : { appSecret: config.appSecret }),
    rateLimits: { perTokenPerMinute: config.rateLimitPerToken, perAddressPerMinute: config.rateLimitPerAddress },
  };
}

function webhookOf({ store, clock, serverKey, holder }: Core, url: string, log: Log): Webhook {
  return new Webhook({ store, clock, log, url, secret: webhookSecret(serverKey), holder, running: CONNECTED });
}
