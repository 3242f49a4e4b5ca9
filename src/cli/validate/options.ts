/** The options of `airlock validate`, from the command line and from `airlock.config.json`. */
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { PROFILE_NAMES } from '../../check/profile.js';
import { defined } from '../../lib/objects.js';
import { houseSpec } from '../../spec/house.js';
import { CliError } from '../console/exit.js';
import type { CliIo } from '../console/io.js';
import { REPORT_FORMATS, type ReportFormat } from '../reports/deliver.js';
import { type Expectation, readExpectation } from '../reports/expectation.js';
import { requiredCodes } from '../reports/not-judged.js';
import { FAIL_ON, type FailOn } from '../reports/report.js';
import { type Baseline, readBaseline } from './baseline.js';
import { readConfigFile } from './config-file.js';

interface Given {
  readonly spec: string;
  readonly format: ReportFormat;
  readonly output?: string;
  readonly expect?: string;
  readonly baseline?: string;
  readonly profile?: string;
  readonly requireJudged?: string;
  readonly failOn: keyof typeof FAIL_ON;
  readonly analysis: 'on' | 'off';
  readonly loudness: 'sampled' | 'full';
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly watch?: boolean;
}

export interface ValidateOptions {
  readonly spec: 'live' | 'upload';
  readonly format: ReportFormat;
  readonly layout: 'findings' | 'table';
  readonly output?: string;
  readonly failOn: FailOn;
  readonly analysis: boolean;
  /** Decode the whole sound for its loudness. */
  readonly isLoudnessFull: boolean;
  readonly quiet: boolean;
  readonly watch: boolean;
  readonly profile: string | undefined;
  readonly expected: Expectation | undefined;
  readonly baseline: Baseline | undefined;
  /** Codes of `--require-judged`. */
  readonly required: readonly number[] | undefined;
}

export function addOptions(command: Command): void {
  const choice = (flags: string, text: string, values: readonly string[]) => new Option(flags, text).choices(values);
  command
    .addOption(
      new Option('--spec <SPEC>', 'live, upload, or a JSON file of bounds over the published ones').default('live'),
    )
    .addOption(choice('--profile <NAME>', 'row of the profile table to which live files are held', PROFILE_NAMES))
    .addOption(choice('--format <FORMAT>', 'report format', REPORT_FORMATS).default('text'))
    .option('--output <FILE>', 'write the report to a file instead of standard output')
    .option('--verbose', 'print a table of all rules, not only findings')
    .option('--quiet', 'print nothing; the exit code is the result')
    .addOption(
      choice('--fail-on <SEVERITY>', 'lowest severity that exits with 1', Object.keys(FAIL_ON)).default('error'),
    )
    .option('--require-judged <CODES>', 'fail a file in which one of these rules has too little data; or "all"')
    .option('--expect <FILE>', 'JSON file with the exact set of expected error codes')
    .option('--baseline <FILE>', 'earlier JSON report; errors in it do not fail a file')
    .addOption(
      choice('--analysis <ON>', 'rules beyond the published document, for live files', ['on', 'off']).default('on'),
    )
    .addOption(
      choice('--loudness <HOW>', 'of samples, or decoded by ffmpeg, for live files', ['sampled', 'full']).default(
        'sampled',
      ),
    )
    .option('--watch', 'judge new and changed files until Ctrl-C');
}

/** @throws CliError */
export function optionsOf(command: Command, io: CliIo): ValidateOptions {
  const given = withConfigFile(command, io);
  if (given.spec !== 'live' && given.spec !== 'upload' && houseSpec() === undefined)
    throw new CliError(`--spec ${given.spec}: expected live, upload or a JSON file of bounds`);
  const spec = given.spec === 'upload' ? 'upload' : 'live';
  const { format, output, expect, baseline, profile, requireJudged } = given;
  if (profile !== undefined && spec === 'upload')
    throw new CliError('--profile is for live files: leave out --spec upload');
  if (given.loudness === 'full' && spec === 'upload')
    throw new CliError('--loudness full is for live files: leave out --spec upload');
  if (given.quiet && given.verbose) throw new CliError('--quiet and --verbose exclude each other');
  if (given.watch && (format !== 'text' || output !== undefined))
    throw new CliError('--watch prints text: leave out --format and --output');
  return {
    spec,
    format,
    layout: given.verbose ? 'table' : 'findings',
    ...defined({ output }),
    failOn: FAIL_ON[given.failOn],
    analysis: given.analysis === 'on',
    isLoudnessFull: given.loudness === 'full',
    quiet: given.quiet === true,
    watch: given.watch === true,
    profile,
    expected: expect === undefined ? undefined : readExpectation(resolve(io.cwd, expect), expect),
    baseline: baseline === undefined ? undefined : readBaseline(resolve(io.cwd, baseline), baseline),
    required: requireJudged === undefined ? undefined : requiredCodes(requireJudged, spec),
  };
}

/** Options of the command line win over those of the file. */
function withConfigFile(command: Command, io: CliIo): Given {
  const options = command.options.filter((option) => option.attributeName() !== 'watch');
  const file = readConfigFile(io.cwd, new Set(options.map((option) => option.attributeName())));
  for (const option of options) {
    const name = option.attributeName();
    const value = file[name];
    const source = command.getOptionValueSource(name);
    if (value === undefined || (source !== undefined && source !== 'default')) continue;
    if (typeof value === 'string' && option.argChoices !== undefined && !option.argChoices.includes(value))
      throw new CliError(`airlock.config.json: ${name} must be one of ${option.argChoices.join(', ')}`);
    command.setOptionValueWithSource(name, value, 'config');
  }
  return command.opts<Given>();
}
