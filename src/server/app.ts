/** The whole server in one process. `serve.ts` runs each role in a process of its own. */
import { renewCertificate } from '../config/certificates/certificate-watch.js';
import { ensureCertificate, readPair } from '../config/certificates/certificates.js';
import { requireDataFolder } from '../config/folders.js';
import type { Config } from '../config/settings/schema.js';
import { listenForStreams, pemTexts, watchPair } from './roles/ingest.js';
import { type Certificate, openRunning, type Running, type Starting } from './roles/running.js';
import { openHttp, startWeb } from './roles/web-process.js';
import type { PublicPorts } from './supervisor/messages.js';
import { ProbePort } from './supervisor/probe-port.js';
import { Closers } from './system/closers.js';
import type { ProcessLog } from './system/log.js';

/** After a failed start, open services have this long to close. */
const UNWIND_MS = 1_500;

export interface RunningApp {
  readonly addresses: PublicPorts;
  /** Names of the services that are not closed yet. */
  readonly open: readonly string[];
  close(): Promise<void>;
}

/**
 * Starts the server as configured; resolves when it is ready. A start that fails or is aborted by `signal` closes what it
 * opened before it throws.
 */
export async function startApp(
  config: Config,
  deps: { readonly log: ProcessLog; readonly signal?: AbortSignal },
): Promise<RunningApp> {
  const { log, signal = new AbortController().signal } = deps;
  const closers = new Closers(log);
  const addresses = await openAll({ config, log, closers, signal }).catch(async (error: unknown) => {
    await closers.closeWithin(UNWIND_MS);
    throw error;
  });
  return {
    addresses,
    get open() {
      return closers.open;
    },
    close: () => closers.close(),
  };
}

async function openAll(starting: Starting): Promise<PublicPorts> {
  const { config, log, signal } = starting;
  requireDataFolder(config);
  const paths = await ensureCertificate(config);
  for (const warning of paths.warnings) log.warn({}, warning);
  const certificate = { paths, pair: readPair(paths) };
  const running = await openRunning(starting);
  signal.throwIfAborted();
  // The HTTP port is opened before ingest, so that a start that fails because it is in use receives no streams.
  const http = openHttp(starting, running, certificate);
  const httpPort = await http.listen(config.httpPort, config.host);
  const ports = { ...(await listenForStreams(starting, running.core, certificate)), httpPort };
  signal.throwIfAborted();
  keepCertificateCurrent(starting, running, certificate);
  await openProbePort(starting, httpPort);
  await startWeb(starting, running, { http, ports, certificate, holders: () => [running.core.holder] });
  signal.throwIfAborted();
  return ports;
}

async function openProbePort({ config, log, closers }: Starting, httpPort: number): Promise<void> {
  const { probePort: port, probeHost, host: httpHost, https } = config;
  if (port === undefined) return;
  const probe = new ProbePort({ host: probeHost, port, log, isTls: https, httpHost, httpPort, ingest: () => 'ok' });
  closers.add('probe port', () => probe.close());
  await probe.listen();
}

function keepCertificateCurrent(starting: Starting, { core }: Running, certificate: Certificate): void {
  const { config, log, closers } = starting;
  watchPair(starting, certificate, (next) => core.ingest.replaceCertificate(pemTexts(next)));
  const renewal = renewCertificate(
    () => ensureCertificate(config),
    (error) => log.warn({ error }, 'the certificate could not be made again'),
  );
  closers.add('certificate renewal', () => renewal.close());
}
