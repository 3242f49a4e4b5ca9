/** `airlock validate FILE…` */
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import { type Finish, runCommands } from '../console/commands.js';
import { CliError, type ExitCode, fileProblem, isCliError } from '../console/exit.js';
import type { CliIo } from '../console/io.js';
import { Progress } from '../console/progress.js';
import { visible } from '../console/text.js';
import { findFiles, toolsOf } from '../input/files.js';
import { checkOutput, deliverReport, REPORT_FORMATS, type ReportFormat } from '../reports/deliver.js';
import { compareCodes, type Expectation, readExpectation } from '../reports/expectation.js';
import { exitCodeFor, type FailOn, type FileReport, unreadable } from '../reports/report.js';
import type { CheckTools } from './check-tools.js';
import { checkLiveFile, checkLiveStream } from './live-check.js';
import { onDemand } from './on-demand.js';

interface ValidateOptions {
  readonly spec: 'live' | 'upload';
  readonly format: ReportFormat;
  readonly output?: string;
  readonly expect?: string;
  readonly failOn: FailOn;
}

const HELP = `
A folder means the files in it and below it with the extension of a recording.

Exit codes: 0 all well or as expected, 1 errors found or an expectation not met, 2 wrong usage or a file that cannot be
read to its end.

Examples:
  airlock validate recording.flv
  airlock validate recordings/ --format junit --output streams.xml
  ffmpeg -v error -i talk.mov -c copy -f flv - | airlock validate -`;

/** Rules that need the clock are not judged over files, so they are not compared either. */
const NOT_OFFLINE = new Set(CATALOGUE.filter((row) => row.judgedBy === 'arrival').map((row) => row.code));

export function addValidate(program: Command, io: CliIo, finish: Finish): void {
  program
    .command('validate <files...>')
    .description('hold recordings against the rules: names, folders, patterns, or - for FLV on standard input')
    .addOption(
      new Option('--spec <SPEC>', 'the rules of live streams, or of uploaded videos')
        .choices(['live', 'upload'])
        .default('live'),
    )
    .addOption(new Option('--format <FORMAT>', 'form of the report').choices(REPORT_FORMATS).default('text'))
    .option('--output <FILE>', 'write the report there instead of to standard output')
    .option('--expect <FILE>', 'JSON with the codes that must be given, no fewer and no more')
    .addOption(
      new Option('--fail-on <SEVERITY>', 'least severity that ends with 1')
        .choices(['error', 'warning'])
        .default('error'),
    )
    .addHelpText('after', HELP)
    .action(async (files: string[], options: ValidateOptions) => finish(await validate(files, options, io)));
}

/** The command line with this command alone: what `scripts/bundle.mjs` makes one file of. */
export function run(args: readonly string[], io: CliIo): Promise<ExitCode> {
  return runCommands({ validate: () => Promise.resolve(addValidate) }, args, io);
}

async function validate(args: readonly string[], options: ValidateOptions, io: CliIo): Promise<ExitCode> {
  checkOutput(options, io);
  const files = findFiles(args, io.cwd);
  const expected =
    options.expect === undefined ? undefined : readExpectation(resolve(io.cwd, options.expect), options.expect);
  const reports: FileReport[] = [];
  for (const { file, problem } of files) {
    const report =
      problem === undefined ? await check(file, options.spec, io) : unreadable(file, options.spec, problem);
    reports.push(withExpectation(report, expected));
  }
  deliverReport(reports, options, io);
  return exitCodeFor(reports, options.failOn);
}

async function check(file: string, spec: 'live' | 'upload', io: CliIo): Promise<FileReport> {
  const progress = new Progress(io);
  const tools: CheckTools = {
    ...toolsOf(io),
    onProgress: (bytes, of) => progress.update(visible(file), bytes, of),
  };
  try {
    if (file === '-' && spec === 'upload')
      throw new CliError('--spec upload needs a file: standard input is read as a live stream');
    if (file === '-') return await checkLiveStream(io.stdin, file, tools);
    if (spec === 'upload') {
      const [{ checkUpload }, { createLog }] = await Promise.all([onDemand.uploadCheck(), onDemand.log()]);
      return await checkUpload(resolve(io.cwd, file), file, tools, createLog({ level: 'error' }));
    }
    return await checkLiveFile(resolve(io.cwd, file), file, tools);
  } catch (error) {
    return unreadable(file, spec, problemOf(error));
  } finally {
    progress.clear();
  }
}

function problemOf(error: unknown): string {
  const { code, path } = error as NodeJS.ErrnoException;
  if (isCliError(error)) throw error;
  if (code === 'ENOENT' && path !== undefined && /ff(mpeg|probe)/.test(path)) {
    return `${path} is needed for this container and does not run: install ffmpeg, or set FFMPEG_PATH and FFPROBE_PATH`;
  }
  return fileProblem(error);
}

function withExpectation(report: FileReport, expected: Expectation | undefined): FileReport {
  if (expected === undefined || report.outcome === 'unreadable') return report;
  const codes = report.errors.filter((record) => record.severity !== 'info').map((record) => record.error_code);
  const all = report.errors.map((record) => record.error_code);
  // Informational records count only where they are expected.
  const told = all.filter((code) => codes.includes(code) || expected.codes.includes(code));
  return { ...report, expectation: compareCodes(told, expected, NOT_OFFLINE) };
}
