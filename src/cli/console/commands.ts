/** Runs command lines. The module of a command is loaded on demand, so that short commands start fast. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { visibleLines } from '../../lib/visible.js';
import { EXIT, type ExitCode, exitCodeOf, exitRows, explain } from './exit.js';
import { type CliIo, printLine } from './io.js';
import { hanging } from './text-table.js';

/** Longer lines are hard to read on a wide terminal. */
const HELP_COLUMNS = 100;

export type Finish = (code: ExitCode) => void;
export type AddCommands = (program: Command, io: CliIo, finish: Finish) => void;
/** Command name → loader of the function that adds it. */
export type Commands = Readonly<Record<string, () => Promise<AddCommands>>>;

/** The command that describes all others. */
const ABOUT_ALL = 'completion';

/** Resolves with the exit code; never throws. */
export async function runCommands(commands: Commands, args: readonly string[], io: CliIo): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  try {
    const [name] = args;
    const isOne = name !== undefined && Object.hasOwn(commands, name) && name !== ABOUT_ALL;
    const named = isOne ? [name] : Object.keys(commands);
    const program = await buildProgram(commands, named, io, (code) => {
      exitCode = code;
    });
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already printed its message; help and version exit with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    printLine(io.stderr, `airlock: ${explain(error)}`);
    return exitCodeOf(error);
  }
}

async function buildProgram(commands: Commands, names: readonly string[], io: CliIo, finish: Finish): Promise<Command> {
  const program = new Command('airlock')
    .description('RTMPS live ingest server that checks every stream against the live specification.')
    .version(toolVersion(), '-V, --version', 'print the version')
    .addOption(
      new Option('--color <WHEN>', 'colors; auto: on a terminal, or by FORCE_COLOR and NO_COLOR')
        .choices(['auto', 'always', 'never'])
        .default('auto'),
    )
    .hook('preAction', (of) => setColors(of.opts<{ color: Colors }>().color, io.env))
    .helpCommand(true)
    .showSuggestionAfterError()
    .configureHelp({ helpWidth: Math.min(HELP_COLUMNS, io.stdout.columns || HELP_COLUMNS), showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(visibleLines(text)),
    });
  for (const name of names) {
    const add = await commands[name]?.();
    add?.(program, io, finish);
  }
  nameHelp(program, program.name());
  return program;
}

type Colors = 'auto' | 'always' | 'never';

function setColors(when: Colors, env: CliIo['env']): void {
  if (when === 'auto') return;
  env.FORCE_COLOR = when === 'always' ? '1' : '0';
}

function exitHelp(name: string): string {
  const lines = exitRows(name).map(([code, meaning]) => hanging(`  ${code}  ${meaning}`, HELP_COLUMNS).join('\n'));
  return ['Exit codes:', ...lines].join('\n');
}

/** Ends errors of usage with the help of the command that was used, and help with its exit codes. */
function nameHelp(command: Command, path: string): void {
  command.showHelpAfterError(`(see ${path} --help)`);
  const [, ...names] = path.split(' ');
  if (names.length > 0 && command.commands.length === 0) command.addHelpText('after', `\n${exitHelp(names.join(' '))}`);
  for (const child of command.commands) nameHelp(child, `${path} ${child.name()}`);
}

/** Version of the package. The relative path also holds for the bundle of `validate`, at the same depth in `dist`. */
export function toolVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(text) as { version: unknown }).version);
}
