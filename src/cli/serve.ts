/** `airlock serve`: the server, until it is told to stop. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { quickstartPath } from '../config/data-folder.js';
import type { LoadedConfig } from '../config/load.js';
import { maskedSettings } from '../config/mask.js';
import { publicUrls } from '../config/public-urls.js';
import { readQuickstart } from '../config/quickstart-file.js';
import type { Config } from '../config/schema.js';
import { createLog } from '../log.js';
import type { Log } from '../ports.js';
import { type BannerFacts, banner } from './banner.js';
import { EXIT, type ExitCode } from './exit.js';
import { type CliIo, printLine } from './io.js';

/** What the command needs of a started server. */
export interface RunningServer {
  readonly addresses: { readonly rtmpsPort: number; readonly httpPort: number };
  /** One of several ingest processes: it has nothing to say on the terminal. */
  readonly isWorker: boolean;
  close(): Promise<void>;
}

export type StartServer = (config: Config, deps: { readonly log: Log }) => Promise<RunningServer>;

export async function serve(loaded: LoadedConfig, io: CliIo, start: StartServer): Promise<ExitCode> {
  const { config, warnings } = loaded;
  const log = createLog({ level: config.logLevel });
  const stopped = io.untilStopped();
  try {
    log.info({ settings: maskedSettings(config) }, 'settings');
    for (const warning of warnings) log.warn({}, warning);
    const server = await start(config, { log });
    if (!server.isWorker) printLine(io.stdout, banner(bannerFacts(config, server)));
    log.info({ signal: await stopped }, 'stopping');
    await server.close();
    log.info({}, 'stopped');
    return EXIT.ok;
  } finally {
    await log.flush();
  }
}

function bannerFacts(config: Config, server: RunningServer): BannerFacts {
  const authority = join(config.certsDir, 'ca.crt');
  return {
    ...publicUrls(config, server.addresses),
    quickstart: readQuickstart(config),
    quickstartPath: quickstartPath(config),
    authorityFile: config.tlsCert === undefined && existsSync(authority) ? authority : undefined,
  };
}
