/** `airlock doctor`: checks whether a server with these settings could run here, one line per check. Changes nothing. */

import { existsSync } from 'node:fs';
import { storeFolder } from '../../config/data-folder.js';
import type { LoadedConfig } from '../../config/load.js';
import { servesOthers } from '../../config/public-urls.js';
import type { Config } from '../../config/settings/schema.js';
import { findTools, missingTools } from '../../probe/tool-paths.js';
import type { ServerSetup } from '../../server/admin/context.js';
import { EXIT, type ExitCode, messageOf } from '../console/exit.js';
import { type CliIo, printLine, terminalOf } from '../console/io.js';
import { hanging } from '../console/text-table.js';
import { checkAcme } from './acme-check.js';
import {
  type CheckResult,
  checkCertificate,
  checkChromaprint,
  checkClock,
  checkDataFolder,
  checkFfmpeg,
  checkFfprobe,
  checkPorts,
  checkSandbox,
  checkTraces,
  checkValidate,
  fail,
  ok,
  warn,
} from './machine-checks.js';

export interface DoctorDeps {
  /** Where the server on this data folder listens and keeps its files; undefined when none is running. */
  running(config: Config): Promise<ServerSetup | undefined>;
  /** Opens the store and writes and reads a test entry. Rejects with the problem. */
  tryStore(config: Config): Promise<string>;
  /** Loads the embedded store without opening it. Rejects with the problem. */
  loadStore(): Promise<unknown>;
}

export async function doctor(loaded: LoadedConfig, io: CliIo, deps: DoctorDeps): Promise<ExitCode> {
  const { warnings } = loaded;
  const running = await deps.running(loaded.config);
  const config = running === undefined ? loaded.config : { ...loaded.config, ...foldersOf(running) };
  const settings = { ...config, servesOthers: servesOthers(config) };
  const tools = findTools(settings, io.env.PATH);
  const missing = missingTools(settings, io.env.PATH);
  const results: CheckResult[] = [
    ok('node', process.version),
    ...warnings.map((text) => warn('settings', text)),
    ...checkCertificate(config),
    ...(await checkAcme(config)),
    ...(await checkPorts(config, running)),
    ...(missing === undefined
      ? [checkFfmpeg(tools.ffmpeg), checkFfprobe(tools.ffprobe), checkChromaprint(tools.ffmpeg)]
      : [fail('media tools', `uploads are refused: ${missing}`)]),
    checkValidate(missing),
    await checkSandbox(config.sandbox),
    ...checkDataFolder(config, running !== undefined),
    await checkStore(config, running !== undefined, deps),
    checkClock(),
    ...checkTraces(io.env),
  ];
  const width = Math.max(...results.map((result) => result.what.length));
  const { columns } = terminalOf(io);
  for (const { level, what, finding } of results)
    for (const line of hanging(`${level.padEnd(4)}  ${what.padEnd(width)}  ${finding}`, columns))
      printLine(io.stdout, line);
  return results.some((result) => result.level === 'fail') ? EXIT.errorsFound : EXIT.ok;
}

const foldersOf = ({ dataDir, certsDir }: ServerSetup) => ({ dataDir, certsDir });

async function checkStore(config: Config, isServing: boolean, deps: DoctorDeps): Promise<CheckResult> {
  if (isServing && config.redisUrl === undefined) return ok('store', 'embedded, open in the running server');
  try {
    if (config.redisUrl === undefined && !existsSync(storeFolder(config))) {
      await deps.loadStore();
      return ok('store', 'embedded, will be created by the first start');
    }
    return ok('store', await deps.tryStore(config));
  } catch (error) {
    return fail('store', messageOf(error));
  }
}
