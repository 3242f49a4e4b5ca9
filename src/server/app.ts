/** The composition root: starts the parts of this process in order, and closes them in reverse. */
import { renewCertificate } from '../config/certificate-watch.js';
import { ensureCertificate, readPair } from '../config/certificates.js';
import { requireDataFolder } from '../config/folders.js';
import { publicUrls } from '../config/public-urls.js';
import type { Config } from '../config/schema.js';
import type { Log } from '../ports/index.js';
import { announceServer } from './cluster/server-registry.js';
import { isWorker, leaveFailed, leaveWorkers, Workers } from './cluster/workers.js';
import { HttpListener } from './http/listener.js';
import { runQuickstart } from './quickstart/run.js';
import { listenForStreams, pemTexts, startIngestWorker, watchPair } from './roles/ingest.js';
import { type Certificate, openRunning, type Running, type Starting } from './roles/running.js';
import { openAdminSocket, openWebhook, serveHttp } from './roles/web.js';
import { Closers } from './system/closers.js';

/** A start that failed gives its parts this long to close. */
const UNWIND_MS = 1_500;

export interface RunningApp {
  readonly addresses: { readonly rtmpsPort: number; readonly rtmpPort: number | undefined; readonly httpPort: number };
  /** One of several ingest processes; the first one speaks for all. */
  readonly isWorker: boolean;
  /** The parts that are not closed yet, by name. */
  readonly open: readonly string[];
  close(): Promise<void>;
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
  const addresses = await openAll({ config, log, closers, signal }).catch(async (error: unknown) => {
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
  const paths = await ensureCertificate(config);
  for (const warning of paths.warnings) log.warn({}, warning);
  const certificate = { paths, pair: readPair(paths) };
  // Of all processes first, so that the channel to the first one stays to the end.
  if (isWorker()) closers.add('worker', leaveWorkers);
  const running = await openRunning(starting);
  signal.throwIfAborted();
  if (!isWorker()) return startFirst(starting, running, certificate);
  return { ...(await startIngestWorker(starting, running, certificate)), httpPort: 0 };
}

/** The process that serves HTTP; alone, it receives as well. */
async function startFirst(
  starting: Starting,
  running: Running,
  certificate: Certificate,
): Promise<RunningApp['addresses']> {
  const { config, log, closers, signal } = starting;
  const { core } = running;
  const { http, httpPort } = await listenForHttp(starting, running, certificate);
  const workers = config.workers > 1 ? new Workers(log) : undefined;
  if (workers !== undefined) closers.add('workers', () => workers.stop());
  const ports = await listenForStreams(starting, running, certificate, workers);
  signal.throwIfAborted();
  keepCertificateCurrent(starting, running, certificate, http);
  const inUse = { rtmpsPort: ports.rtmpsPort, httpPort };
  core.usePorts(inUse);
  const urls = publicUrls(config, inUse);
  const holders = () => workers?.holders ?? [core.holder];
  closers.add('announcement', announceServer({ store: core.store, log, url: config.internalHttpUrl }, holders));

  const feedAccess = serveHttp(starting, running, { http, workers, httpUrl: urls.httpUrl });
  await openAdminSocket(starting, core);
  openWebhook(starting, core);
  if (config.quickstart) {
    const { dataDir } = config;
    closers.add('quickstart', await runQuickstart({ core, feedAccess, dataDir, urls, ports: inUse, log }));
  }
  signal.throwIfAborted();
  return { ...ports, httpPort };
}

/** The port is taken before streams are received, so that a start that finds it in use receives none. */
async function listenForHttp({ config, closers }: Starting, { playback }: Running, { pair }: Certificate) {
  const http = new HttpListener(config.https ? pair : undefined, {
    isProxy: (address) => config.trustedProxies.includes(address),
  });
  closers.add('http', () => http.close());
  // Players and feeds go before the listener, which else waits for them.
  if (playback !== undefined) closers.add('playback', () => playback.close());
  return { http, httpPort: await http.listen(config.httpPort, config.host) };
}

function keepCertificateCurrent(
  starting: Starting,
  { core }: Running,
  certificate: Certificate,
  http: HttpListener,
): void {
  const { config, log, closers } = starting;
  watchPair(starting, certificate, (next) => {
    core.ingest.replaceCertificate(pemTexts(next));
    http.replaceCertificate(next);
    log.info({}, 'the certificate was replaced');
  });
  const renewal = renewCertificate(config, (error) => log.warn({ error }, 'the certificate could not be made again'));
  closers.add('certificate renewal', () => renewal.close());
}
