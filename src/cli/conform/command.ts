/** `airlock conform URL`: holds an ingest against the conformance cases. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Case, GROUPS, type Group, LEVELS, type Level, type Result } from '../../conform/case.js';
import { CASES } from '../../conform/cases/index.js';
import { CONFORM_LIMITS } from '../../conform/limits.js';
import { UnreachableError } from '../../conform/peer.js';
import { runCases } from '../../conform/runner.js';
import { pause, SocketPeer } from '../../conform/socket-peer.js';
import { Trial } from '../../conform/trial.js';
import { KeyBusy, Undecided, Unmet } from '../../conform/verdicts.js';
import type { Finish } from '../console/commands.js';
import { CliError, EXIT, EXIT_OF_SIGNAL, type ExitCode, type StopSignal } from '../console/exit.js';
import { type CliIo, printLine, terminalOf } from '../console/io.js';
import { hanging } from '../console/text-table.js';
import { authoritiesOf } from '../replay/connect.js';
import { collect } from '../replay/options.js';
import { stopOf } from '../replay/publish.js';
import { parseTarget, type Target } from '../replay/target.js';
import { groupText, listJson, listText, runJson, runJunit, summaryText } from './render.js';

interface ConformOptions {
  readonly key?: readonly string[];
  readonly only?: readonly string[];
  readonly level: Level;
  readonly timeout: number;
  readonly insecure?: boolean;
  readonly ca?: string;
  readonly remote?: boolean;
  readonly list?: boolean;
  readonly format: 'text' | 'json' | 'junit';
}

const HELP = `
The cases send what faulty and hostile clients send, within bounds. Hold only a server of your own
against them, with a stream key that no encoder uses. A second key, which --key names, lets two
publishers run at once; without it those cases are skipped.

Examples:
  npx airlock conform rtmp://localhost:1935/live --key "$KEY"
  npx airlock conform rtmps://localhost:1936/live --key "$KEY" --key "$SECOND_KEY" --level should
  npx airlock conform rtmp://localhost:1935/live/KEY --only chunks --only amf/deep-nesting`;

export function addConform(program: Command, io: CliIo, finish: Finish): void {
  program
    .command('conform [URL]')
    .description('hold an RTMP or RTMPS ingest against cases of the standards and of known encoders')
    .option('--key <KEY>', 'stream key; again for a second publisher', collect)
    .option('--only <ID>', 'a case, or a group of them; may be repeated', collect)
    .addOption(new Option('--level <LEVEL>', 'lowest level of the cases').choices([...LEVELS]).default('practice'))
    .option('--timeout <MS>', 'wait for each answer', milliseconds, CONFORM_LIMITS.timeoutMs)
    .option('--insecure', 'do not verify the certificate')
    .option('--ca <FILE>', 'additional trusted authority (ca.crt in AIRLOCK_CERTS_DIR or certs/, if it exists)')
    .option('--remote', 'allow a server on another machine')
    .option('--list', 'list the cases and exit')
    .addOption(new Option('--format <FORMAT>', 'output format').choices(['text', 'json', 'junit']).default('text'))
    .addHelpText('after', HELP)
    .action(async (url: string | undefined, options: ConformOptions) => finish(await conform(url, options, io)));
}

async function conform(url: string | undefined, options: ConformOptions, io: CliIo): Promise<ExitCode> {
  const cases = chosen(options);
  const { columns } = terminalOf(io);
  if (options.list === true) {
    io.stdout.write(options.format === 'json' ? listJson(cases) : `${listText(cases, columns)}\n`);
    return EXIT.ok;
  }
  if (url === undefined)
    throw new CliError('name the server: npx airlock conform rtmp://localhost:1935/live --key KEY');
  const keys = options.key ?? [];
  const target = parseTarget(url, keys, Math.max(1, keys.length), 'the URL');
  if (!isLoopback(target.host) && options.remote !== true) {
    throw new CliError(
      `${target.host} is another machine: hold only a server of your own against the cases, with --remote`,
    );
  }
  const { host, port, app, tcUrl, secure: isSecure } = target;
  const authorities = authoritiesOf(options, io);
  const peer = new SocketPeer({ host, port, isSecure, app, tcUrl, authorities, insecure: options.insecure === true });
  const stop = stopOf(io);
  await firstPublish(peer, target, options);
  const isText = options.format === 'text';
  if (isText) printLine(io.stdout, `${tcUrl}: ${cases.length} cases\n`);
  const groups = new GroupedOutput(cases, (text) =>
    isText ? printLine(io.stdout, `${wrapped(text, columns)}\n`) : undefined,
  );
  const startMs = performance.now();
  const { results, died } = await runCases(cases, {
    peer,
    keys: target.keys,
    timeoutMs: options.timeout,
    pause,
    stop,
    took: (result) => {
      groups.take(result);
      if (io.stderr.isTTY === true) io.stderr.write(`\r\u001b[K${groups.count}/${cases.length}\r`);
    },
  }).catch((error: unknown) => {
    throw error instanceof KeyBusy ? busy(error) : error;
  });
  if (io.stderr.isTTY === true) io.stderr.write('\r\u001b[K');
  const outcome = { target: tcUrl, results, died, seconds: (performance.now() - startMs) / 1000 };
  if (isText) printLine(io.stdout, wrapped(summaryText(outcome), columns));
  else io.stdout.write(options.format === 'json' ? runJson(outcome) : runJunit(outcome));
  if (stop.aborted) return EXIT_OF_SIGNAL[stop.reason as StopSignal];
  if (results.some(({ verdict }) => verdict === 'fail')) return EXIT.errorsFound;
  return died === undefined ? EXIT.ok : EXIT.unreachable;
}

const wrapped = (text: string, columns: number): string =>
  text
    .split('\n')
    .flatMap((line) => hanging(line, columns))
    .join('\n');

/** Prints a group when its last case has ended. */
class GroupedOutput {
  readonly #left: Map<Group, number>;
  readonly #order: ReadonlyMap<string, number>;
  readonly #results: Result[] = [];
  readonly #print: (text: string) => void;

  constructor(cases: readonly Case[], print: (text: string) => void) {
    this.#print = print;
    this.#order = new Map(cases.map(({ id }, at) => [id, at]));
    this.#left = new Map(GROUPS.map((group) => [group, cases.filter((each) => each.group === group).length]));
  }

  get count(): number {
    return this.#results.length;
  }

  take(result: Result): void {
    this.#results.push(result);
    const { group } = result.case;
    const left = (this.#left.get(group) ?? 0) - 1;
    this.#left.set(group, left);
    if (left > 0) return;
    const order = ({ case: { id } }: Result) => this.#order.get(id) ?? 0;
    const own = this.#results.filter(({ case: of }) => of.group === group).sort((a, b) => order(a) - order(b));
    this.#print(groupText(group, own));
  }
}

/** The first publish tells whether the run would disturb another encoder, and whether the key is right. @throws CliError */
async function firstPublish(peer: SocketPeer, { tcUrl, keys }: Target, { timeout }: ConformOptions): Promise<void> {
  const trial = new Trial({ peer, keys, timeoutMs: timeout, pause });
  try {
    const dialogue = await trial.created();
    const refusal = await trial.publish(dialogue, trial.key());
    if (refusal !== undefined) {
      const { code, description } = refusal.info;
      throw new CliError(`the server refuses a plain publish: ${code} (${description})`, EXIT.usage);
    }
    await dialogue.expectServed();
  } catch (error) {
    if (error instanceof UnreachableError) {
      const hint = /SELF_SIGNED|UNABLE_TO_VERIFY/.test(error.code)
        ? ' (name its authority with --ca FILE, or use --insecure)'
        : '';
      throw new CliError(`cannot connect to ${tcUrl}: ${error.message}${hint}`, EXIT.unreachable);
    }
    // The cases say what is wrong with a server that cannot be published to.
    if (!(error instanceof Unmet || error instanceof Undecided)) throw error;
  } finally {
    await trial.end();
  }
}

function busy({ message }: KeyBusy): CliError {
  return new CliError(`another encoder publishes with the key, so the run stopped: ${message}`, EXIT.usage);
}

function chosen({ only, level }: ConformOptions): readonly Case[] {
  const unknown = (only ?? []).filter((name) => !CASES.some(({ id, group }) => id === name || group === name));
  if (unknown.length > 0)
    throw new CliError(`no such case or group: ${unknown.join(', ')} (see npx airlock conform --list)`);
  return CASES.filter(
    (each) =>
      LEVELS.indexOf(each.level) <= LEVELS.indexOf(level) &&
      (only === undefined || only.includes(each.id) || only.includes(each.group)),
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function milliseconds(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 100 || number > 60_000) {
    throw new InvalidArgumentError('It must be a whole number of milliseconds from 100 to 60000.');
  }
  return number;
}
