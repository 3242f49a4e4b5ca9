/** Administration commands: each calls one admin action and prints the answer as text or JSON. */
import { existsSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { storeFolder } from '../../config/data-folder.js';
import type { Config } from '../../config/settings/schema.js';
import { defined } from '../../lib/objects.js';
import { visible, visibleJson } from '../../lib/visible.js';
import type { Finish } from '../console/commands.js';
import { CliError, EXIT, type ExitCode } from '../console/exit.js';
import { type CliIo, printLine, terminalOf } from '../console/io.js';
import { textTable } from '../console/text-table.js';
import { addConfigOptions, loadCommandConfig } from '../input/config-options.js';
import { type AdminInput, callAdmin, type OpenDirect } from './client.js';

export type Answer = Readonly<Record<string, unknown>>;
export type Options = Readonly<Record<string, unknown>>;

export interface AdminCall {
  readonly action: string;
  readonly input: AdminInput;
  /** Formats the answer for `--format text`. */
  readonly text: (answer: Answer, width: number) => string;
  readonly exitCode?: (answer: Answer) => ExitCode;
  /** Other formats than text and json, by the value of `--format`. */
  readonly formats?: Readonly<Record<string, (answer: Answer) => string>>;
  /** In place of one answer: runs until it is stopped. */
  readonly follow?: (config: Config) => Promise<ExitCode>;
}

/** Adds one command; `toCall` builds the admin call from its options and arguments. */
export type Add = (
  parent: Command,
  usage: string,
  description: string,
  toCall: (options: Options, ...args: string[]) => AdminCall | Promise<AdminCall>,
  formats?: readonly string[],
) => Command;

export const STORE_SETTINGS = [
  'dataDir',
  'redisUrl',
  'keySecret',
  'keySecretPrevious',
  'publicHost',
  'publicRtmpsUrl',
  'rtmpsPort',
  'logLevel',
] as const;

/** Actions that make sense on an empty store, and create it. */
const CREATING = new Set(['owner.add']);

/** Commands that read leave no folder behind. */
function requireStore({ dataDir, redisUrl }: Config, action: string): void {
  if (redisUrl !== undefined || CREATING.has(action) || existsSync(storeFolder({ dataDir }))) return;
  throw new CliError(`no store in ${dataDir}: start a server there (npx airlock serve), or set AIRLOCK_DATA_DIR`);
}

export const openDirect: OpenDirect = async (config, action) => {
  requireStore(config, action);
  return (await import('../../server/admin/direct.js')).openAdmin(config);
};

export function commandAdder(io: CliIo, finish: Finish): Add {
  return (parent, usage, description, toCall, formats = ['text', 'json']) => {
    const command = parent.command(usage).description(description);
    command.addOption(new Option('--format <FORMAT>', 'output format').choices(formats).default('text'));
    command.action(async () => {
      const options: Options = command.opts();
      const { action, input, text, exitCode, formats, follow } = await toCall(
        options,
        ...command.processedArgs.map(String),
      );
      const { config } = loadCommandConfig(command, io);
      if (follow !== undefined) return finish(await follow(config));
      const answer = (await callAdmin(config, action, defined(input), openDirect)) as Answer;
      const format = String(options.format);
      const asJson = () => visibleJson(JSON.stringify(answer, null, 2));
      const write =
        format === 'json' ? asJson : (formats?.[format] ?? ((row: Answer) => text(row, terminalOf(io).columns)));
      printLine(io.stdout, write(answer));
      finish(exitCode?.(answer) ?? EXIT.ok);
    });
    return addConfigOptions(command, STORE_SETTINGS);
  };
}

/** One object, a line per field. */
export function formatObject(row: Answer): string {
  const entries = Object.entries(row).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${shownName(name, value).padEnd(width)}  ${show(name, value)}`).join('\n');
}

/** A list as a table; `none` when the list is empty. */
export const formatTable =
  (member: string, columns: readonly string[], none: string) =>
  (answer: Answer, width?: number): string => {
    const rows = answer[member] as readonly Answer[];
    if (rows.length === 0) return none;
    return textTable(
      columns.map((column) => shownName(column, rows[0]?.[column])),
      rows.map((row) => columns.map((column) => show(column, row[column]))),
      width,
    );
  };

/** Times are shown as ISO, not in milliseconds. */
function shownName(name: string, value: unknown): string {
  return isTime(name, value) ? name.slice(0, -'_ms'.length) : name;
}

function isTime(name: string, value: unknown): value is number {
  return name.endsWith('_ms') && typeof value === 'number' && value > 1e12;
}

function show(name: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (isTime(name, value)) return new Date(value).toISOString();
  if (Array.isArray(value)) return visible(value.join(', '));
  return typeof value === 'object' ? visibleJson(JSON.stringify(value)) : visible(String(value));
}

/** Parses the value of a counting option. */
export function count(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('It must be a whole number of at least 0.');
  return Number(value);
}
