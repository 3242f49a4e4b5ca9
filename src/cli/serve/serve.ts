/** `airlock serve`: runs the server until a signal stops it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { quickstartPath } from '../../config/data-folder.js';
import { LISTENERS } from '../../config/listeners.js';
import type { LoadedConfig } from '../../config/load.js';
import { maskedSettings } from '../../config/load.js';
import { isOutOfReach, publicUrls } from '../../config/public-urls.js';
import { readQuickstart } from '../../config/quickstart-file.js';
import { type Config, type ConfigKey, SETTINGS } from '../../config/settings/schema.js';
import { codeOf } from '../../lib/errors.js';
import { createLog, logPrinted, type ProcessLog } from '../../server/system/log.js';
import { toolVersion } from '../console/commands.js';
import { CliError, EXIT, type ExitCode, exitCodeOf, explain, isCliError } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';
import { type BannerFacts, banner } from './banner.js';

/** Parts of a started server that the command uses. */
export interface RunningServer {
  readonly addresses: { readonly rtmpsPort: number; readonly httpPort: number };
  /** The parts that are not closed yet, by name. */
  readonly open: readonly string[];
  close(): Promise<void>;
}

/** A start that fails, or that `signal` aborts, has closed what it had opened. */
export type StartServer = (
  config: Config,
  deps: { readonly log: ProcessLog; readonly signal?: AbortSignal },
) => Promise<RunningServer>;

/** The process ends within 15 s of the first signal; what has not closed a second before that never will. */
const STOP_MS = 14_000;
/** Once all is closed nothing is left to wait for. What keeps the process alive for longer is a fault, and is logged. */
const LINGER_MS = 1_000;

export async function serve(loaded: LoadedConfig, io: CliIo, start: StartServer): Promise<ExitCode> {
  const { config, warnings } = loaded;
  const log = createLog({ level: config.logLevel, format: config.logFormat });
  io.outputMayFail();
  logPrinted(log);
  const stopped = io.untilStopped();
  let server: RunningServer | undefined;
  const endAfter = (ms: number, code: ExitCode): void => {
    const end = async () => {
      log.error(
        { open: server?.open ?? [], resources: process.getActiveResourcesInfo() },
        'the process is ended: parts of it do not end',
      );
      await log.flush();
      io.exit(code);
    };
    setTimeout(() => void end(), ms).unref();
  };
  try {
    log.info({ version: toolVersion(), node: process.version, data: config.dataDir }, 'starting');
    log.debug({ settings: maskedSettings(config) }, 'settings');
    for (const warning of warnings) log.warn({}, warning);
    server = await startUnlessStopped(config, log, stopped, start);
    if (server === undefined) {
      endAfter(LINGER_MS, EXIT.errorsFound);
      return EXIT.ok;
    }
    printLine(io.stdout, banner(bannerFacts(config, server, io.stdout.isTTY === true)));
    log.info({ signal: await stopped }, 'stopping');
    endAfter(STOP_MS, EXIT.errorsFound);
    await server.close();
    log.info({}, 'stopped');
    if (io.stdout.writableLength > 0) {
      // A banner in a pipe that is not read would keep the process alive.
      await log.flush();
      io.exit(EXIT.ok);
    }
    endAfter(LINGER_MS, EXIT.errorsFound);
    return EXIT.ok;
  } catch (error) {
    const failed = server === undefined ? startFault(error, config) : error;
    endAfter(LINGER_MS, exitCodeOf(failed));
    throw failed;
  } finally {
    await log.flush();
  }
}

/** Undefined: a signal came first, and what the start had opened is closed. */
async function startUnlessStopped(
  config: Config,
  log: ProcessLog,
  stopped: Promise<string>,
  start: StartServer,
): Promise<RunningServer | undefined> {
  const abort = new AbortController();
  let running = false;
  stopped.then(
    (signal) => {
      if (running) return;
      log.info({ signal }, 'stopping before the start is through');
      abort.abort();
    },
    () => undefined,
  );
  try {
    const server = await start(config, { log, signal: abort.signal });
    running = true;
    return server;
  } catch (error) {
    if (abort.signal.aborted) return undefined;
    throw error;
  }
}

/** Settings that are wrong stay what they are (2); any other reason not to start is 3, in a message that names it. */
function startFault(error: unknown, config: Config): unknown {
  if (isCliError(error) || codeOf(error) === 'BAD_CONFIG') return error;
  const code = codeOf(error) === 'STORE_UNAVAILABLE' && !config.redisUrl ? 'STORE_IN_USE' : codeOf(error);
  const settings = SETTINGS_OF.get(code);
  const hint = settings === undefined ? '' : ` (settings: ${settings})`;
  const message = `${explain(error, (port) => settingOf(port, config))}${hint}`;
  return new CliError(message, EXIT.unreachable, { cause: error });
}

/** Where to look when the message itself names only the file or the address. */
const SETTINGS_OF: ReadonlyMap<string, string> = new Map([
  ['BAD_CERTIFICATE', 'AIRLOCK_TLS_CERT and AIRLOCK_TLS_KEY, or AIRLOCK_CERTS_DIR without them'],
  ['STORE_UNAVAILABLE', 'REDIS_URL'],
  ['STORE_IN_USE', 'AIRLOCK_DATA_DIR'],
  ['SANDBOX_UNAVAILABLE', 'AIRLOCK_SANDBOX'],
]);

function settingOf(port: unknown, config: Config): string | undefined {
  const keys: readonly ConfigKey[] = [...LISTENERS.map(({ setting }) => setting), 'probePort'];
  const named = SETTINGS.filter(({ key }) => port !== undefined && keys.includes(key) && config[key] === port).map(
    ({ env }) => env,
  );
  return named.length === 0 ? undefined : named.join(' or ');
}

function bannerFacts(config: Config, server: RunningServer, isTerminal: boolean): BannerFacts {
  const authority = join(config.certsDir, 'ca.crt');
  return {
    ...publicUrls(config, server.addresses),
    quickstart: readQuickstart(config),
    quickstartPath: quickstartPath(config),
    isTerminal,
    onlyOn: isOutOfReach(config) ? config.host : undefined,
    authorityFile: config.tlsCert === undefined && existsSync(authority) ? authority : undefined,
  };
}
