/** The command line, whole. A command's module is loaded when the command is named, so that a short one starts at once. */
import { Command, CommanderError } from 'commander';
import { EXIT, type ExitCode, exitCodeOf, explain } from './exit.js';
import { type CliIo, printLine, processIo } from './io.js';
import { toolVersion } from './version.js';

export type Finish = (code: ExitCode) => void;
export type AddCommands = (program: Command, io: CliIo, finish: Finish) => void;

/** First word → what adds the command. In the order of the help. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommands>>> = {
  serve: async () => (await import('./serve-command.js')).addServe,
  validate: async () => (await import('./validate/command.js')).addValidate,
  replay: async () => (await import('./replay/command.js')).addReplay,
  fixtures: async () => (await import('./fixtures/command.js')).addFixtures,
  spec: async () => (await import('./spec/command.js')).addSpec,
  owner: async () => (await import('./admin/commands.js')).addOwnerCommands,
  token: async () => (await import('./admin/commands.js')).addTokenCommands,
  live: async () => (await import('./admin/commands.js')).addLiveCommands,
  'webhook-secret': async () => (await import('./webhook-secret.js')).addWebhookSecret,
  doctor: async () => (await import('./doctor/command.js')).addDoctor,
};

/** Runs one command line (without node and script). Resolves with the exit code; never throws. */
export async function run(args: readonly string[], io: CliIo): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  try {
    const named = args[0] !== undefined && Object.hasOwn(COMMANDS, args[0]) ? [args[0]] : Object.keys(COMMANDS);
    const program = await buildProgram(named, io, (code) => {
      exitCode = code;
    });
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed its own message already; help and version end with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    printLine(io.stderr, `airlock: ${explain(error)}`);
    return exitCodeOf(error);
  }
}

/** Every command, subcommands as `owner add`: for tests that hold documents against it. */
export async function commandNames(): Promise<string[]> {
  const names = (command: Command, prefix: string): string[] =>
    command.commands.flatMap((child) => [`${prefix}${child.name()}`, ...names(child, `${prefix}${child.name()} `)]);
  return names(await buildProgram(Object.keys(COMMANDS), processIo(), () => undefined), '');
}

async function buildProgram(names: readonly string[], io: CliIo, finish: Finish): Promise<Command> {
  const program = new Command('airlock')
    .description('RTMPS live ingest that holds every stream against the live specification.')
    .version(toolVersion(), '-V, --version', 'print the version')
    .helpCommand(true)
    .showSuggestionAfterError()
    .showHelpAfterError('(airlock help COMMAND shows what it takes)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    });
  for (const name of names) {
    const add = await COMMANDS[name]?.();
    add?.(program, io, finish);
  }
  return program;
}
