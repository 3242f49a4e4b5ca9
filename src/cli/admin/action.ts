/** Administration commands: each calls one admin action and prints the answer as text or JSON. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { defined } from '../../lib/objects.js';
import type { Finish } from '../console/commands.js';
import { EXIT, type ExitCode } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';
import { textTable } from '../console/text-table.js';
import { addConfigOptions, loadCommandConfig } from '../input/config-options.js';
import { type AdminInput, callAdmin, type OpenDirect } from './client.js';

export type Answer = Readonly<Record<string, unknown>>;
export type Options = Readonly<Record<string, unknown>>;

export interface AdminCall {
  readonly action: string;
  readonly input: AdminInput;
  /** Formats the answer for `--format text`. */
  readonly text: (answer: Answer, width: number | undefined) => string;
  readonly exitCode?: (answer: Answer) => ExitCode;
}

/** Adds one command; `toCall` builds the admin call from its options and arguments. */
export type Add = (
  parent: Command,
  usage: string,
  description: string,
  toCall: (options: Options, ...args: string[]) => AdminCall,
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

export const openDirect: OpenDirect = async (config) =>
  (await import('../../server/admin/direct.js')).openAdmin(config);

export function commandAdder(io: CliIo, finish: Finish): Add {
  return (parent, usage, description, toCall) => {
    const command = parent.command(usage).description(description);
    command.addOption(new Option('--format <FORMAT>', 'output format').choices(['text', 'json']).default('text'));
    command.action(async () => {
      const options: Options = command.opts();
      const { action, input, text, exitCode } = toCall(options, ...command.processedArgs.map(String));
      const { config } = loadCommandConfig(command, io);
      const answer = (await callAdmin(config, action, defined(input), openDirect)) as Answer;
      printLine(
        io.stdout,
        options.format === 'json' ? JSON.stringify(answer, null, 2) : text(answer, io.stdout.columns),
      );
      finish(exitCode?.(answer) ?? EXIT.ok);
    });
    return addConfigOptions(command, STORE_SETTINGS);
  };
}

/** One object, a line per field. */
export function formatObject(row: Answer): string {
  const entries = Object.entries(row).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${show(name, value)}`).join('\n');
}

/** A list as a table; `none` when the list is empty. */
export const formatTable =
  (member: string, columns: readonly string[], none: string) =>
  (answer: Answer, width?: number): string => {
    const rows = answer[member] as readonly Answer[];
    if (rows.length === 0) return none;
    return textTable(
      columns,
      rows.map((row) => columns.map((column) => show(column, row[column]))),
      width,
    );
  };

function show(name: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (name.endsWith('_ms') && typeof value === 'number' && value > 1e12) return new Date(value).toISOString();
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Parses the value of a counting option. */
export function count(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('It must be a whole number of at least 0.');
  return Number(value);
}
