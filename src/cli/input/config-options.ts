/** Settings as flags of a command. */
import { type Command, Option } from 'commander';
import { type ConfigSources, type LoadedConfig, loadConfig } from '../../config/load.js';
import { type ConfigKey, SETTINGS } from '../../config/settings/schema.js';
import type { CliIo } from '../console/io.js';
import { wrap } from '../console/text-table.js';

/** That of `--help`. */
const LINE_COLUMNS = 100;

/** Adds `--config` and the flags of `keys` (all when absent). */
export function addConfigOptions(command: Command, keys?: readonly ConfigKey[]): Command {
  command.optionsGroup('Settings (each also an environment variable and a key of the config file):');
  command.option('--config <FILE>', 'JSON file with settings [AIRLOCK_CONFIG]');
  for (const setting of SETTINGS) {
    if (keys !== undefined && !keys.includes(setting.key)) continue;
    const option = new Option(
      `--${setting.flag} <${setting.placeholder}>`,
      `${setting.summary} (${setting.shown}) [${setting.env}]`,
    );
    command.addOption(keys === undefined ? option : option.hideHelp());
  }
  // The settings are listed once, by `serve`.
  if (keys !== undefined) command.addHelpText('after', `\n${settingsLine(keys)}`);
  return command;
}

function settingsLine(keys: readonly ConfigKey[]): string {
  const flags = SETTINGS.filter(({ key }) => keys.includes(key)).map(({ flag }) => `--${flag}`);
  return wrap(
    `Settings that count here (npx airlock serve --help describes them): ${flags.join(', ')}.`,
    LINE_COLUMNS,
  ).join('\n');
}

/** @throws ConfigError */
export function loadCommandConfig(command: Command, io: CliIo): LoadedConfig {
  const given: Readonly<Record<string, unknown>> = command.optsWithGlobals();
  const flags: Partial<Record<ConfigKey, string>> = {};
  for (const setting of SETTINGS) {
    const value = given[attributeName(setting.flag)];
    if (typeof value === 'string') flags[setting.key] = value;
  }
  const file = given.config;
  const sources: ConfigSources = { env: io.env, cwd: io.cwd, flags, file: typeof file === 'string' ? file : undefined };
  return loadConfig(sources);
}

function attributeName(flag: string): string {
  return new Option(`--${flag} <value>`).attributeName();
}
