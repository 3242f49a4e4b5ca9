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
  readonly analysis: 'on' | 'off';
}

const HELP = `
A folder expands to the media files in it and below it, by file extension.

Exit codes: 0 no errors or expectation met, 1 errors found or expectation not met, 2 wrong usage or a file that cannot be
read to its end.

Examples:
  airlock validate recording.flv
  airlock validate recordings/ --format junit --output streams.xml
  ffmpeg -v error -i talk.mov -c copy -f flv - | airlock validate -`;

/** Rules judged by arrival have no verdict for files, so they are not compared. */
const NOT_OFFLINE = new Set(CATALOGUE.filter((row) => row.judgedBy === 'arrival').map((row) => row.code));

export function addValidate(program: Command, io: CliIo, finish: Finish): void {
  program
    .command('validate <files...>')
    .description('check recordings against the rules: files, folders, patterns, or - for FLV on standard input')
    .addOption(
      new Option('--spec <SPEC>', 'specification: live streams or uploaded videos')
        .choices(['live', 'upload'])
        .default('live'),
    )
    .addOption(new Option('--format <FORMAT>', 'report format').choices(REPORT_FORMATS).default('text'))
    .option('--output <FILE>', 'write the report to a file instead of standard output')
    .option('--expect <FILE>', 'JSON file with the exact set of expected error codes')
    .addOption(
      new Option('--fail-on <SEVERITY>', 'lowest severity that exits with 1')
        .choices(['error', 'warning'])
        .default('error'),
    )
    .addOption(
      new Option('--analysis <ON>', 'rules beyond the published document, for live files')
        .choices(['on', 'off'])
        .default('on'),
    )
    .addHelpText('after', HELP)
    .action(async (files: string[], options: ValidateOptions) => finish(await validate(files, options, io)));
}

/** The command line with only this command: the entry point of the bundle of `scripts/bundle.mjs`. */
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
    const report = problem === undefined ? await check(file, options, io) : unreadable(file, options.spec, problem);
    reports.push(withExpectation(report, expected));
  }
  deliverReport(reports, options, io);
  return exitCodeFor(reports, options.failOn);
}

async function check(file: string, { spec, analysis }: ValidateOptions, io: CliIo): Promise<FileReport> {
  const progress = new Progress(io);
  const tools: CheckTools = {
    ...toolsOf(io),
    analysis: analysis === 'on',
    onProgress: (bytes, of) => progress.update(visible(file), bytes, of),
  };
  try {
    if (file === '-' && spec === 'upload')
      throw new CliError('--spec upload needs a file; standard input is checked as a live stream');
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
    return `${path} is needed for this container but does not run: install ffmpeg, or set FFMPEG_PATH and FFPROBE_PATH`;
  }
  return fileProblem(error);
}

function withExpectation(report: FileReport, expected: Expectation | undefined): FileReport {
  if (expected === undefined || report.outcome === 'unreadable') return report;
  const codes = report.errors.filter((record) => record.severity !== 'info').map((record) => record.error_code);
  const all = report.errors.map((record) => record.error_code);
  // Informational records are compared only when they are expected.
  const compared = all.filter((code) => codes.includes(code) || expected.codes.includes(code));
  return { ...report, expectation: compareCodes(compared, expected, NOT_OFFLINE) };
}
