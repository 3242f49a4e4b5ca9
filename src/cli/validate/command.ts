/** `airlock validate FILE…` */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { unreadable } from '../../check/file-report.js';
import { compareProfile } from '../../check/profile.js';
import { fileProblem } from '../../lib/errors.js';
import { visible } from '../../lib/visible.js';
import { decodePictureNow } from '../../probe/sample-decoder.js';
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import type { Finish } from '../console/commands.js';
import { CliError, type ExitCode, isCliError } from '../console/exit.js';
import type { CliIo } from '../console/io.js';
import { Progress } from '../console/progress.js';
import { type FoundFile, findFiles, toolsOf } from '../input/files.js';
import { checkOutput, deliverReport, deliverSum, deliverWatched } from '../reports/deliver.js';
import { compareCodes, type Expectation } from '../reports/expectation.js';
import { unjudged } from '../reports/not-judged.js';
import type { FileReport } from '../reports/report.js';
import { exitCodeFor } from '../reports/report.js';
import { withoutKnown } from './baseline.js';
import type { CheckTools } from './check-tools.js';
import { checkLiveFile, checkLiveStream } from './live-check.js';
import { addOptions, optionsOf, type ValidateOptions } from './options.js';

const HELP = `
A folder expands to the media files in it and below it, by file extension.
airlock.config.json in this folder or one above it sets options ("failOn": "warning").

Examples:
  npx airlock validate recording.flv
  npx airlock validate recordings/ --format junit --output streams.xml
  npx airlock validate recordings/ --profile 720p30 --require-judged all --fail-on recommended
  ffmpeg -v error -i talk.mov -c copy -f flv - | npx airlock validate -`;

/** Rules judged by arrival have no verdict for files, so they are not compared. */
const NOT_OFFLINE = new Set(CATALOGUE.filter((row) => row.judgedBy === 'arrival').map((row) => row.code));

export function addValidate(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('validate <files...>')
    .description('check recordings against the rules: files, folders, patterns, or - for FLV on stdin')
    .addHelpText('after', HELP)
    .action(async (files: string[]) => finish(await validate(files, optionsOf(command, io), io)));
  addOptions(command);
}

async function validate(args: readonly string[], options: ValidateOptions, io: CliIo): Promise<ExitCode> {
  checkOutput(options, io);
  const judge = (file: FoundFile) => reportOn(file, options, io);
  if (options.watch) {
    const { watchFiles } = await import('./watch.js');
    const deliver = (report: FileReport) => (options.quiet ? undefined : deliverWatched(report, options, io));
    const reports = await watchFiles(args, io, { judge, deliver });
    if (!options.quiet) deliverSum(reports, options, io);
    return exitCodeFor(reports, options.failOn);
  }
  const reports: FileReport[] = [];
  for (const file of findFiles(args, io.cwd)) reports.push(await judge(file));
  if (!options.quiet || options.output !== undefined) deliverReport(reports, options, io);
  return exitCodeFor(reports, options.failOn);
}

async function reportOn({ file, problem }: FoundFile, options: ValidateOptions, io: CliIo): Promise<FileReport> {
  if (problem !== undefined) return unreadable(file, options.spec, problem);
  const report = await check(file, options, io);
  const { baseline, expected, profile, required } = options;
  const isJudged = report.outcome !== 'unreadable';
  const judged: FileReport = {
    ...report,
    ...(isJudged && profile !== undefined ? { profile: compareProfile(profile, report.stream) } : {}),
    ...(isJudged && required !== undefined ? { requirement: { missing: unjudged(report.rules, required) } } : {}),
  };
  const compared = withExpectation(judged, expected);
  return baseline === undefined ? compared : withoutKnown(compared, baseline);
}

async function check(file: string, options: ValidateOptions, io: CliIo): Promise<FileReport> {
  const { spec, analysis, quiet, isLoudnessFull } = options;
  const progress = new Progress(io);
  const paths = toolsOf(io);
  const tools: CheckTools = {
    ...paths,
    analysis,
    decode: (flv) => decodePictureNow(paths.ffmpeg, flv),
    onProgress: (bytes, of) => (quiet ? undefined : progress.update(visible(file), bytes, of)),
  };
  try {
    if (file === '-' && spec === 'upload')
      throw new CliError('--spec upload needs a file; standard input is checked as a live stream');
    if (file === '-' && isLoudnessFull) throw new CliError('--loudness full needs a file, not standard input');
    if (file === '-') return await checkLiveStream(io.stdin, file, tools);
    if (spec === 'upload') {
      const [{ checkUpload }, { createLog }] = await Promise.all([
        import('./upload-check.js'),
        import('../../server/system/log.js'),
      ]);
      return await checkUpload(resolve(io.cwd, file), file, tools, createLog({ level: 'error' }));
    }
    const path = resolve(io.cwd, file);
    const report = await checkLiveFile(path, file, tools);
    if (!isLoudnessFull || report.stream?.audioCodec === undefined) return report;
    const { fullLoudness, withFullLoudness } = await import('./full-loudness.js');
    return withFullLoudness(report, await fullLoudness(tools.ffmpeg, path));
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
