/** The server of `airlock serve`: a supervisor in this process, and one process per role. */
import { renewCertificate } from '../config/certificates/certificate-watch.js';
import { ensureCertificate, makeInThread, readPair } from '../config/certificates/certificates.js';
import { requireDataFolder } from '../config/folders.js';
import { type PublicPorts, portsOf } from '../config/listeners.js';
import { sentSettings } from '../config/sent-settings.js';
import type { Config } from '../config/settings/schema.js';
import { isEmbedded } from '../store/open.js';
import { Supervisor } from './supervisor/supervisor.js';
import { Closers } from './system/closers.js';
import type { ProcessLog } from './system/log.js';

const UNWIND_MS = 12_500;

export interface RunningServer {
  readonly addresses: PublicPorts;
  /** Names of the services that are not closed yet. */
  readonly open: readonly string[];
  close(): Promise<void>;
}

/** Starts the roles, each as a process of `script`; resolves when all are ready. A failed start closes what it opened before it throws. */
export async function startServer(
  config: Config,
  deps: { readonly log: ProcessLog; readonly signal?: AbortSignal; readonly script: string },
): Promise<RunningServer> {
  const { log, signal = new AbortController().signal, script } = deps;
  process.title = 'airlock-supervisor';
  const closers = new Closers(log);
  const supervisor = new Supervisor({
    script,
    settings: sentSettings(config),
    isProxy: (address) => config.trustedProxies.includes(address),
    host: config.host,
    ports: portsOf(config),
    probe: config.probePort === undefined ? undefined : { host: config.probeHost, port: config.probePort },
    https: config.https,
    processes: {
      store: isEmbedded(config) ? 1 : 0,
      ingest: config.workers,
      media: 1,
      web: 1,
      forward: Number(config.forwards),
    },
    onDemand: new Set(config.mediaIdleS === 0 ? ['forward'] : ['forward', 'media']),
    log,
  });
  const start = async () => {
    requireDataFolder(config);
    const paths = await ensureCertificate(config, { make: makeInThread });
    for (const warning of paths.warnings) log.warn({}, warning);
    // Also read here: an invalid certificate fails the start with its own message before any process starts.
    readPair(paths);
    const addresses = await supervisor.start(closers, signal);
    const drain = () => supervisor.obey('drain');
    process.on('SIGUSR2', drain);
    closers.add('drain signal', () => void process.off('SIGUSR2', drain));
    const renewal = renewCertificate(async () => {
      try {
        const { made, warnings } = await ensureCertificate(config, { make: makeInThread });
        if (made !== 'nothing') for (const warning of warnings) log.warn({}, warning);
      } catch (error) {
        log.warn({ error }, 'the certificate could not be made again');
      }
    });
    closers.add('certificate renewal', () => renewal.close());
    return addresses;
  };
  const addresses = await start().catch(async (error: unknown) => {
    await closers.closeWithin(UNWIND_MS);
    throw error;
  });
  // Nothing brings this process back, and every stream ends with it. Each handler handles its own errors; Node itself throws
  // one for a message of a role that is no JSON. A role that answers no pings any more is replaced.
  process.on('uncaughtException', (error, origin) =>
    log.error({ error, origin }, 'the supervisor goes on after an error'),
  );
  return {
    addresses,
    get open() {
      return closers.open;
    },
    close: () => closers.close(),
  };
}
