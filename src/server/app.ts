/** The composition root: the only place where the modules meet. */
import { fileURLToPath } from 'node:url';
import { FeedAccess } from '../api/access/feed-access.js';
import type { ApiConfig, ApiDeps } from '../api/context/config.js';
import { createApi } from '../api/create.js';
import { CONNECTED } from '../broadcasts/state-writer.js';
import { type CertificateChange as Pair, renewCertificate, watchCertificate } from '../config/certificate-watch.js';
import { type CertificatePaths, ensureCertificate, readPair } from '../config/certificates.js';
import { adminSocketPath } from '../config/data-folder.js';
import { requireDataFolder } from '../config/folders.js';
import { webhookSecret } from '../config/key-secret.js';
import { publicUrls } from '../config/public-urls.js';
import type { Config } from '../config/schema.js';
import { isLoopback } from '../config/values.js';
import { createDashboard } from '../dashboard/dashboard.js';
import { HealthHistory } from '../dashboard/history.js';
import type { RtmpServer, RtmpServerOptions } from '../ingest/rtmp/server.js';
import type { Playback } from '../playback/playback.js';
import type { Log } from '../ports/index.js';
import { Webhook } from '../webhook/webhook.js';
import { adminActions } from './admin/actions.js';
import { adminHandler } from './admin/handler.js';
import { announceServer } from './cluster/server-registry.js';
import {
  answerStoredQueries,
  type RecordsAnswer,
  type RecordsQuestion,
  WorkerRecords,
} from './cluster/worker-records.js';
import { isWorker, leaveFailed, leaveWorkers, tellListening, Workers, workerChannel } from './cluster/workers.js';
import { serverCounts, tellCounts } from './counts.js';
import { AdminSocketError, HttpListener } from './http/listener.js';
import { readiness } from './http/readiness.js';
import { createMetrics } from './metrics/metrics.js';
import { runQuickstart } from './quickstart/run.js';
import { type Core, openCore } from './services/core.js';
import { type MediaServices, openMediaServices } from './services/media.js';
import { openPlayback, openRelayHost } from './services/playback.js';
import { Closers } from './system/closers.js';

/** A start that failed gives its parts this long to close. */
const UNWIND_MS = 1_500;
/** So long a GET of errors waits at most for records that the encoder was told a moment ago. */
const RECORDS_STORED_MS = 1_000;

export interface RunningApp {
  readonly addresses: { readonly rtmpsPort: number; readonly rtmpPort: number | undefined; readonly httpPort: number };
  /** One of several ingest processes; the first one speaks for all. */
  readonly isWorker: boolean;
  /** The parts that are not closed yet, by name. */
  readonly open: readonly string[];
  close(): Promise<void>;
}

/** What each step of the start is given. */
interface Starting {
  readonly config: Config;
  readonly log: Log;
  /** Each part registers here as soon as it is open: the one list for the end and for a start that fails. */
  readonly closers: Closers;
  /** Aborted when the process is told to stop before the start is through. */
  readonly signal: AbortSignal;
}

/**
 * Starts everything that the configuration asks for; resolves when it can be used. A start that fails, or that `signal`
 * aborts, closes what it had opened before it throws.
 */
export async function startApp(
  config: Config,
  deps: { readonly log: Log; readonly signal?: AbortSignal },
): Promise<RunningApp> {
  const { log, signal = new AbortController().signal } = deps;
  const closers = new Closers(log);
  const starting: Starting = { config, log, closers, signal };
  const addresses = await openAll(starting).catch(async (error: unknown) => {
    await closers.closeWithin(UNWIND_MS);
    if (isWorker()) await leaveFailed(error);
    throw error;
  });
  return {
    addresses,
    isWorker: isWorker(),
    get open() {
      return closers.open;
    },
    close: () => closers.close(),
  };
}

async function openAll(starting: Starting): Promise<RunningApp['addresses']> {
  const { config, log, closers, signal } = starting;
  requireDataFolder(config);
  const certificate = await ensureCertificate(config);
  for (const warning of certificate.warnings) log.warn({}, warning);
  const pair = readPair(certificate);
  // Of all processes first, so that the channel to the first one stays to the end.
  if (isWorker()) closers.add('worker', leaveWorkers);
  const running = await openRunning(starting);
  signal.throwIfAborted();
  return isWorker()
    ? startWorker(starting, running, certificate, pair)
    : startFirst(starting, running, certificate, pair);
}

/** The process that serves HTTP; alone, it receives as well. */
async function startFirst(
  starting: Starting,
  running: Running,
  certificate: CertificatePaths,
  pair: Pair,
): Promise<RunningApp['addresses']> {
  const { config, log, closers, signal } = starting;
  const { core, playback } = running;
  const { ingest, store } = core;
  const http = new HttpListener(config.https ? pair : undefined, {
    isProxy: (address) => config.trustedProxies.includes(address),
  });
  closers.add('http', () => http.close());
  // Players and feeds go before the listener, which else waits for them.
  if (playback !== undefined) closers.add('playback', () => playback.close());
  const httpPort = await http.listen(config.httpPort, config.host);
  const workers = config.workers > 1 ? new Workers(log) : undefined;
  if (workers !== undefined) closers.add('workers', () => workers.stop());
  const ports = workers ? await workers.start(config.workers, signal) : await receive(core, config, pair);
  signal.throwIfAborted();
  watchPair(starting, certificate, (next) => {
    ingest.replaceCertificate(texts(next));
    http.replaceCertificate(next);
    log.info({}, 'the certificate was replaced');
  });
  const renewal = renewCertificate(config, (error) => log.warn({ error }, 'the certificate could not be made again'));
  closers.add('certificate renewal', () => renewal.close());
  const inUse = { rtmpsPort: ports.rtmpsPort, httpPort };
  core.usePorts(inUse);
  const urls = publicUrls(config, inUse);
  const holders = () => workers?.holders ?? [core.holder];
  closers.add('announcement', announceServer({ store, log, url: config.internalHttpUrl }, holders));

  const feedAccess = serveHttp(starting, running, { http, workers, httpUrl: urls.httpUrl });
  await openAdminSocket(starting, core);
  if (config.webhookUrl !== undefined) {
    const webhook = webhookOf(core, config.webhookUrl, log);
    closers.add('webhook', () => webhook.close());
  }
  if (config.quickstart) {
    const { dataDir } = config;
    closers.add('quickstart', await runQuickstart({ core, feedAccess, dataDir, urls, ports: inUse, log }));
  }
  signal.throwIfAborted();
  return { ...ports, httpPort };
}

/** Everything that answers on the HTTP port. */
function serveHttp(
  { config, log, closers }: Starting,
  running: Running,
  { http, workers, httpUrl }: { http: HttpListener; workers: Workers | undefined; httpUrl: string },
): FeedAccess {
  const { core, history, media, playback } = running;
  const { engine, store, clock, ids, quota } = core;
  const apiConfig = apiConfigOf(config, httpUrl);
  const feedAccess = new FeedAccess({ store, clock, ids, config: apiConfig });
  closers.add('access of feeds', () => feedAccess.close());
  const dashboard = createDashboard({
    store,
    running: CONNECTED,
    broadcasts: engine.service,
    authenticate: (token) => feedAccess.authenticate(token),
    links: feedAccess,
    history,
    root: fileURLToPath(new URL('../dashboard/web/', import.meta.url)),
    clock,
    log,
  });
  const metrics = createMetrics({
    snapshot: serverCounts(running, workers, () => dashboard.sockets),
    shared: {
      spoolBytes: () => media.vod.spoolBytes(),
      disk: () => media.vod.disk(),
      jobs: () => media.vod.jobs.depths(),
    },
    store,
    authorize: async (token) => (await feedAccess.authenticate(token)) !== undefined,
    clock,
    log,
  });
  const api = createApi({
    store,
    broadcasts: engine.service,
    clock,
    ids,
    quota,
    log,
    config: apiConfig,
    readiness: () => readiness({ store, receiving: () => workers?.holders.length ?? 1 }),
    recordsStored: recordsStored(core, workers),
    blobs: media.vod.blobs,
    links: media.vod.links,
    uploads: media.vod.uploads,
    ...(playback === undefined ? {} : { playbackLinks: (id: string) => playback.links(id) }),
    mounts: [
      { path: '/metrics', handler: metrics.handler, counts: 'call' },
      { path: '/files', handler: media.vod.files },
      ...(playback?.mounts ?? []),
      ...dashboard.mounts,
    ],
  });
  closers.add('interface', () => api.close());
  closers.add('dashboard', () => dashboard.close());
  const upgrade = api.limitUpgrades((request, socket, head) => {
    if (playback?.upgrade(request, socket, head) || dashboard.upgrade(request, socket, head)) return;
    socket.destroy();
  });
  http.serve(metrics.watch(api.app), upgrade);
  return feedAccess;
}

async function openAdminSocket({ config, log, closers }: Starting, core: Core): Promise<void> {
  const { store, clock, ids, quota, engine } = core;
  const admin = new HttpListener();
  admin.serve(adminHandler(adminActions({ store, broadcasts: engine.service, clock, ids, quota }), log));
  closers.add('administration', () => admin.close());
  const path = adminSocketPath(config);
  await admin.listenOnFile(path).catch((error: unknown) => {
    throw new AdminSocketError(path, error);
  });
}

function watchPair({ log, closers }: Starting, certificate: CertificatePaths, use: (next: Pair) => void): void {
  const watch = watchCertificate(certificate, use, (error) =>
    log.warn({ error }, 'the changed certificate cannot be used; the one in use stays'),
  );
  closers.add('certificate watch', () => watch.close());
}

/** What every process of the server runs. */
interface Running {
  readonly core: Core;
  readonly history: HealthHistory;
  readonly media: MediaServices;
  /** Of the process that serves HTTP. */
  readonly playback: Playback | undefined;
}

async function openRunning({ config, log, closers, signal }: Starting): Promise<Running> {
  const opened: { history?: HealthHistory; media?: MediaServices; playback?: Playback | undefined } = {};
  const core = await openCore(config, log, closers, async (base) => {
    signal.throwIfAborted();
    const media = await openMediaServices(base, { runsJobs: !isWorker(), signal });
    closers.add('media', () => media.close());
    // Closed after the ingest side, which is not there yet: it saves what the last packets showed.
    const history = new HealthHistory({ store: base.store, clock: base.clock, log });
    closers.add('history', () => history.close());
    const playback = isWorker() ? undefined : openPlayback(base);
    Object.assign(opened, { history, media, playback });
    const relays = playback?.tapSource ?? openRelayHost(base);
    return { ...media.hooks, taps: [...(media.hooks.taps ?? []), relays] };
  });
  const { history, media, playback } = opened;
  if (media === undefined || history === undefined) throw new Error('the media services were not opened');
  history.start(() => runningStreams(core));
  return { core, history, media, playback };
}

/** An ingest process among several: it only receives, and tells the first process where. */
async function startWorker(
  starting: Starting,
  running: Running,
  certificate: CertificatePaths,
  pair: Pair,
): Promise<RunningApp['addresses']> {
  const { core } = running;
  const ports = await receive(core, starting.config, pair);
  watchPair(starting, certificate, (next) => core.ingest.replaceCertificate(texts(next)));
  tellCounts(running);
  answerStoredQueries(core.journal, RECORDS_STORED_MS);
  tellListening(ports, core.holder);
  return { ...ports, httpPort: 0 };
}

const texts = ({ cert, key }: Pair) => ({ cert: cert.toString(), key: key.toString() });

/** Resolves with the ports in use. */
async function receive({ engine, ingest }: Core, config: Config, pair: Pair): ReturnType<RtmpServer['listen']> {
  await engine.run();
  return ingest.listen(rtmpOptions(config, pair));
}

function rtmpOptions(config: Config, pair: Pair): RtmpServerOptions {
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
function* runningStreams({ engine }: Core) {
  for (const publication of engine.publications.all()) {
    yield { liveVideoId: publication.liveVideoId, health: publication.health() };
  }
}

function apiConfigOf(config: Config, publicHttpUrl: string): ApiConfig {
  return {
    publicHttpUrl,
    enforce: config.enforce,
    trustProxy: config.trustedProxies.networks,
    isProxy: (address) => config.trustedProxies.includes(address),
    requireAppSecretProof: config.requireAppSecretProof,
    ...(config.appId === undefined ? {} : { appId: config.appId }),
    ...(config.appSecret === undefined ? {} : { appSecret: config.appSecret }),
    rateLimits: {
      perTokenPerMinute: config.rateLimitPerToken,
      perAddressPerMinute: config.rateLimitPerAddress,
      countLoopback: !isLoopback(config.host) || !isLoopback(new URL(publicHttpUrl).hostname.replace(/^\[|\]$/g, '')),
    },
  };
}

function webhookOf({ store, clock, serverKey, holder }: Core, url: string, log: Log): Webhook {
  return new Webhook({ store, clock, log, url, secret: webhookSecret(serverKey), holder, running: CONNECTED });
}
