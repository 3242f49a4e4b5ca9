/** The command line, whole: commands, arguments, help. Each command loads what it needs when it runs. */
import { Command, CommanderError, Option } from 'commander';
import { addAdminCommands } from './admin/commands.js';
import { addConfigOptions, loadCommandConfig } from './config-options.js';
import { EXIT, type ExitCode, exitCodeOf, explain } from './exit.js';
import { addFixtures } from './fixtures/command.js';
import { type CliIo, printLine, processIo } from './io.js';
import { addReplay } from './replay/command.js';
import { renderSpec, SPEC_FORMATS, type SpecFormat } from './spec/render.js';
import { addValidate } from './validate/command.js';
import { toolVersion } from './version.js';

/** Runs one command line (without node and script). Resolves with the exit code; never throws. */
export async function run(args: readonly string[], io: CliIo): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  const program = buildProgram(io, (code) => {
    exitCode = code;
  });
  try {
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
export function commandNames(): string[] {
  const names = (command: Command, prefix: string): string[] =>
    command.commands.flatMap((child) => [`${prefix}${child.name()}`, ...names(child, `${prefix}${child.name()} `)]);
  return names(
    buildProgram(processIo(), () => undefined),
    '',
  );
}

export type Finish = (code: ExitCode) => void;

function buildProgram(io: CliIo, finish: Finish): Command {
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
  addServe(program, io, finish);
  addValidate(program, io, finish);
  addReplay(program, io, finish);
  addFixtures(program, io, finish, async () => (await import('../app.js')).startApp);
  addSpec(program, io);
  addAdminCommands(program, io, finish, async (config) => (await import('../direct-admin.js')).openAdmin(config));
  addDoctor(program, io, finish);
  return program;
}

function addServe(program: Command, io: CliIo, finish: Finish): void {
  const command = program.command('serve').description('run the server');
  addConfigOptions(command).action(async () => {
    const loaded = loadCommandConfig(command, io);
    const [{ serve }, { startApp }] = await Promise.all([import('./serve.js'), import('../app.js')]);
    finish(await serve(loaded, io, startApp));
  });
}

function addDoctor(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('doctor')
    .description('check certificate, ports, programs, store, clock and disk of this machine');
  addConfigOptions(command).action(async () => {
    const loaded = loadCommandConfig(command, io);
    const [{ doctor }, { tryStore }, { isServing }] = await Promise.all([
      import('./doctor/doctor.js'),
      import('../direct-admin.js'),
      import('./admin/client.js'),
    ]);
    finish(await doctor(loaded, io, { isServing, tryStore }));
  });
}

function addSpec(program: Command, io: CliIo): void {
  const format = new Option('--format <FORMAT>', 'how to print it').choices(SPEC_FORMATS).default('text');
  program
    .command('spec')
    .description('print the specification and the error catalogue that are in force')
    .addOption(format)
    .action((options: { format: SpecFormat }) => {
      io.stdout.write(renderSpec(options.format, io.stdout.columns));
    });
}
