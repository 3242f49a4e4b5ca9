/** `airlock replay FILE… --to URL` */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { unreadable } from '../../check/file-report.js';
import { quickstartPath } from '../../config/data-folder.js';
import { readQuickstart } from '../../config/quickstart-file.js';
import { defined } from '../../lib/objects.js';
import { visible } from '../../lib/visible.js';
import type { ClientStatus } from '../../rtmp/session/client-session.js';
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import type { Finish } from '../console/commands.js';
import { CliError, EXIT, EXIT_OF_SIGNAL, type ExitCode, isCliError, type StopSignal } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';
import { expandFiles, toolsOf } from '../input/files.js';
import { checkOutput, deliverReport, REPORT_FORMATS, type ReportFormat } from '../reports/deliver.js';
import { compareCodes, type Expectation, readExpectation } from '../reports/expectation.js';
import { exitCodeFor, FAIL_ON, type FileReport } from '../reports/report.js';
import { authoritiesOf } from './connect.js';
import { collect, seconds, speed, whole } from './options.js';
import { publish, stopOf } from './publish.js';
import { isSample, makeSample, SAMPLES } from './sample.js';
import { Recording } from './source.js';
import { parseTarget, type Target } from './target.js';
import { publishReport } from './verdict.js';

interface ReplayOptions {
  readonly to?: string;
  readonly key?: readonly string[];
  readonly speed: number;
  readonly insecure?: boolean;
  readonly ca?: string;
  readonly expect?: string;
  readonly failOn: keyof typeof FAIL_ON;
  readonly format: ReportFormat;
  readonly output?: string;
  readonly connections: number;
  readonly loop: number;
  readonly dropAfter?: number;
  readonly jitter?: number;
  readonly chunkSize?: number;
  readonly csid?: number;
  readonly timestampOffset?: number;
}

const HELP = `
Examples:
  npx airlock replay sample:broken
  npx airlock replay recording.flv --to rtmps://localhost:1936/live/ --key "$KEY"
  npx airlock replay recording.flv --to "$SECURE_STREAM_URL" --speed max --output replay.txt`;

export function addReplay(program: Command, io: CliIo, finish: Finish): void {
  program
    .command('replay')
    .description('publish recordings like an encoder and report the status messages of the server')
    .argument('<files...>', `recordings; ${Object.keys(SAMPLES).join(' and ')} are made here`)
    .option('--to <URL>', 'rtmps://host[:port]/app[/key] (the stream URL in quickstart.json of this folder)')
    .option('--key <KEY>', 'stream key; repeat it for each connection, or use {n} for the connection number', collect)
    .option('--speed <N|max>', 'media seconds per second, or max', speed, 1)
    .option('--insecure', 'do not verify the certificate')
    .option('--ca <FILE>', 'additional trusted authority (ca.crt in AIRLOCK_CERTS_DIR or certs/, if it exists)')
    .option('--expect <FILE>', 'JSON file with the exact set of expected error codes')
    .addOption(
      new Option('--fail-on <SEVERITY>', 'lowest severity that exits with 1')
        .choices(Object.keys(FAIL_ON))
        .default('error'),
    )
    .addOption(new Option('--format <FORMAT>', 'report format').choices(REPORT_FORMATS).default('text'))
    .option('--output <FILE>', 'write the report to a file instead of standard output')
    .option('--connections <N>', 'number of concurrent encoders', whole(1, 10_000), 1)
    .option('--loop <N>', 'repeat each recording with continuous timestamps', whole(1, 1_000_000), 1)
    .optionsGroup('Fault injection:')
    .option('--drop-after <SECONDS>', 'drop the connection without unpublishing after this much media', seconds)
    .option('--jitter <MS>', 'maximum random delay of each message', whole(0, 60_000))
    .option('--chunk-size <BYTES>', 'RTMP chunk size (4096)', whole(1, 0x7f_ffff))
    .option('--csid <ID>', 'chunk stream of audio, video and data (4)', whole(3, 65_599))
    .option('--timestamp-offset <MS>', 'offset added to all timestamps, modulo 2^32', whole(0, 0xffff_ffff))
    .addHelpText('after', HELP)
    .action(async (files: string[], options: ReplayOptions) => finish(await replay(files, options, io)));
}

async function replay(args: readonly string[], options: ReplayOptions, io: CliIo): Promise<ExitCode> {
  const target = parseTarget(options.to ?? quickstartUrl(io), options.key ?? [], options.connections);
  checkOutput(options, io);
  const samples = args.filter(isSample);
  const named = args.filter((arg) => !isSample(arg));
  const files = expandFiles(named, io.cwd);
  if (files.includes('-')) throw new CliError('standard input cannot be replayed: name a file');
  const expected =
    options.expect === undefined ? undefined : readExpectation(resolve(io.cwd, options.expect), options.expect);
  const authorities = authoritiesOf(options, io);
  const tools = toolsOf(io);
  const timesSent = options.connections * options.loop;
  const made = mkdtempSync(join(tmpdir(), 'airlock-samples-'));
  try {
    const recordings = [
      ...(await Promise.all(samples.map((name) => makeSample(name, tools.ffmpeg, made)))),
      ...files.map((file) => [file, resolve(io.cwd, file)] as const),
    ].map(([name, path]) => [name, new Recording(path, name, tools, timesSent)] as const);
    return await publishAll(recordings, expected, { target, options, io, authorities, stop: stopOf(io) });
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

async function publishAll(
  recordings: readonly (readonly [string, Recording])[],
  expected: Expectation | undefined,
  setting: Setting,
): Promise<ExitCode> {
  const { target, options, io, stop } = setting;
  const problems = await problemsOf(recordings);
  const encoders = target.keys.map(async (key, at) => {
    const reports: FileReport[] = [];
    for (const [file, recording] of recordings) {
      const problem = problems.get(recording);
      reports.push(
        problem === undefined
          ? await one(file, recording, key, at + 1, setting)
          : unreadable(nameOf(file, at + 1, options), 'live', problem),
      );
    }
    return reports;
  });
  const results = await Promise.allSettled(encoders);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  const ignored = notCompared(options.speed);
  const reports = results
    .flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    .map((report) =>
      expected === undefined || stop.aborted
        ? report
        : {
            ...report,
            expectation: compareCodes(
              report.errors.map((record) => record.error_code),
              expected,
              ignored,
            ),
          },
    );
  const failOn = FAIL_ON[options.failOn];
  const exitCode = stop.aborted ? EXIT_OF_SIGNAL[stop.reason as StopSignal] : exitCodeFor(reports, failOn);
  deliverReport(reports, { ...options, failOn, exitCode }, io);
  return exitCode;
}

/** Without `--to`: the stream URL of the quickstart in this folder. */
function quickstartUrl(io: CliIo): string {
  const dataDir = resolve(io.cwd, io.env.AIRLOCK_DATA_DIR || 'data');
  const quickstart = readQuickstart({ dataDir, quickstart: true });
  if (quickstart === undefined) {
    throw new CliError(`no --to, and no ${quickstartPath({ dataDir })}: give the URL, or start the server here first`);
  }
  return quickstart.secure_stream_url;
}

/** All files are looked at before the first one is published. */
async function problemsOf(
  recordings: readonly (readonly [string, Recording])[],
): Promise<ReadonlyMap<Recording, string>> {
  const problems = new Map<Recording, string>();
  for (const [, recording] of recordings) {
    const problem = await recording.problem();
    if (problem !== undefined) problems.set(recording, problem);
  }
  return problems;
}

function nameOf(file: string, connection: number, { connections }: ReplayOptions): string {
  return connections > 1 ? `${file} [${connection}]` : file;
}

interface Setting {
  readonly target: Target;
  readonly options: ReplayOptions;
  readonly io: CliIo;
  readonly authorities: readonly string[] | undefined;
  readonly stop: AbortSignal;
}

async function one(
  file: string,
  recording: Recording,
  key: string,
  connection: number,
  setting: Setting,
): Promise<FileReport> {
  const { target, options, io, authorities, stop } = setting;
  const startMs = performance.now();
  const live = options.format === 'text' && options.output === undefined ? io.stdout : io.stderr;
  const name = nameOf(file, connection, options);
  const published = await publish({
    file: name,
    connection,
    target,
    key,
    insecure: options.insecure === true,
    ...defined({
      authorities,
      chunkSize: options.chunkSize,
      chunkStreamId: options.csid,
      timestampOffsetMs: options.timestampOffset,
      dropAfterMs: options.dropAfter === undefined ? undefined : options.dropAfter * 1000,
      jitterMs: options.jitter,
    }),
    speed: options.speed,
    random: Math.random,
    stop,
    source: recording.tags(options.loop),
    showStatus: (status) => printLine(live, statusLine(name, status, performance.now() - startMs)),
  }).catch((error: unknown) => {
    // A recording that cannot be sent is one row of the report; an unreachable server ends the run.
    if (!isCliError(error) || error.exitCode !== EXIT.usage) throw error;
    return error.message.replace(`${file}: `, '');
  });
  return typeof published === 'string' ? unreadable(name, 'live', published) : publishReport(published);
}

/** One status message: `  4.1 s  clip.flv  warning NetStream.Publish.Violation  [6208 …] …` */
function statusLine(file: string, status: ClientStatus, afterMs: number): string {
  const time = `${(afterMs / 1000).toFixed(1)} s`.padStart(9);
  return visible(`${time}  ${file}  ${status.level} ${status.code}  ${status.description}`);
}

/** Rules judged by arrival are compared only at speed 1; rules that are not pushed to encoders are never compared. */
function notCompared(speed: number): Set<number> {
  return new Set(
    CATALOGUE.filter((row) => !row.pushed || (row.judgedBy === 'arrival' && speed !== 1)).map((row) => row.code),
  );
}
