/** `airlock doctor`: checks whether a server with these settings could run here, one line per check. Changes nothing. */

import { existsSync } from 'node:fs';
import { storeFolder } from '../../config/data-folder.js';
import type { LoadedConfig } from '../../config/load.js';
import { servesOthers } from '../../config/public-urls.js';
import type { Config } from '../../config/settings/schema.js';
import { findTools, missingTools } from '../../probe/tool-paths.js';
import { EXIT, type ExitCode, messageOf } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';
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
  /** Whether a server is running on this data folder. */
  isServing(config: Config): Promise<boolean>;
  /** Opens the store and writes and reads a test entry. Rejects with the problem. */
  tryStore(config: Config): Promise<string>;
  /** Loads the embedded store without opening it. Rejects with the problem. */
  loadStore(): Promise<unknown>;
}

export async function doctor(loaded: LoadedConfig, io: CliIo, deps: DoctorDeps): Promise<ExitCode> {
  const { config, warnings } = loaded;
  const isServing = await deps.isServing(config);
  const settings = { ...config, servesOthers: servesOthers(config) };
  const tools = findTools(settings, io.env.PATH);
  const missing = missingTools(settings, io.env.PATH);
  const results: CheckResult[] = [
    ok('node', process.version),
    ...warnings.map((text) => warn('settings', text)),
    ...checkCertificate(config),
    ...(await checkAcme(config)),
    ...(await checkPorts(config, isServing)),
    ...(missing === undefined
      ? [checkFfmpeg(tools.ffmpeg), checkFfprobe(tools.ffprobe), checkChromaprint(tools.ffmpeg)]
      : [fail('media tools', `uploads are refused: ${missing}`)]),
    checkValidate(missing),
    await checkSandbox(config.sandbox),
    ...checkDataFolder(config),
    await checkStore(config, isServing, deps),
    checkClock(),
    ...checkTraces(io.env),
  ];
  const width = Math.max(...results.map((result) => result.what.length));
  for (const { level, what, finding } of results)
    printLine(io.stdout, `${level.padEnd(4)}  ${what.padEnd(width)}  ${finding}`);
  return results.some((result) => result.level === 'fail') ? EXIT.errorsFound : EXIT.ok;
}

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
