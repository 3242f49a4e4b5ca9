/** `airlock live` */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { defined } from '../../lib/objects.js';
import { visible } from '../../lib/visible.js';
import type { Finish } from '../console/commands.js';
import { CliError, EXIT, type ExitCode } from '../console/exit.js';
import type { CliIo } from '../console/io.js';
import { hanging } from '../console/text-table.js';
import {
  type Add,
  type AdminCall,
  type Answer,
  commandAdder,
  count,
  formatObject,
  formatTable,
  type Options,
} from './action.js';
import { followErrors } from './follow.js';
import { htmlReport, textReport } from './live-report.js';

export function addLiveCommands(program: Command, io: CliIo, finish: Finish): void {
  const live = program.command('live').description('live videos');
  const add = commandAdder(io, finish);
  addCreate(live, add);
  addListAndShow(live, add);
  addInput(live, add);
  addEndAndStop(live, add);
  addErrors(live, add, io);
  addReport(live, add);
}

function addCreate(live: Command, add: Add): void {
  add(live, 'create', 'create a live video and print its stream URL', (options) => ({
    action: scheduledAction(options),
    input: {
      owner: options.owner,
      title: options.title,
      description: options.description,
      status: options.status,
      privacy: options.privacy,
      backup: options.backup,
      planned_start_ms: options.plannedStart,
    },
    text: formatObject,
  }))
    .optionsGroup('Options:')
    .requiredOption('--owner <ID>', 'Page, group or user that owns it')
    .option('--title <TEXT>', 'title')
    .option('--description <TEXT>', 'description')
    .option('--backup', 'with a second input stream, for a backup encoder')
    .addOption(
      new Option('--status <STATUS>', 'LIVE_NOW goes live when a stream arrives')
        .choices(['LIVE_NOW', 'UNPUBLISHED', 'SCHEDULED_UNPUBLISHED', 'SCHEDULED_LIVE'])
        .default('LIVE_NOW'),
    )
    .addOption(
      new Option('--privacy <AUDIENCE>', 'who may see it')
        .choices(['EVERYONE', 'ALL_FRIENDS', 'FRIENDS_OF_FRIENDS', 'SELF'])
        .default('EVERYONE'),
    )
    .option('--planned-start <TIME>', 'scheduled start, such as 2030-01-31T18:00Z', instant);
}

function scheduledAction({ status, plannedStart }: Options): string {
  if (String(status).startsWith('SCHEDULED') && plannedStart === undefined)
    throw new CliError(`--status ${status} needs --planned-start TIME`);
  return 'live.create';
}

function addListAndShow(live: Command, add: Add): void {
  add(live, 'list', 'list live videos, newest first', (options) => ({
    action: 'live.list',
    input: { owner: options.owner },
    text: formatTable(
      'live_videos',
      ['id', 'owner_id', 'status', 'stream', 'open_errors', 'errors', 'created_ms', 'title'],
      'No live videos. Create one: npx airlock live create --owner ID',
    ),
  }))
    .optionsGroup('Options:')
    .option('--owner <ID>', 'only those of this owner');
  add(live, 'show <id>', 'show a live video, its stream URL and its current stream health', (_options, id = '') => ({
    action: 'live.show',
    input: { id },
    text: formatObject,
  }));
}

function addInput(live: Command, add: Add): void {
  add(live, 'input <id>', 'list the input streams of a live video, or put one on air', (options, id = '') => {
    if (options.onAir === true) return { action: 'live.put-on-air', input: { id }, text: formatObject };
    return {
      action: 'live.inputs',
      input: { id },
      text: formatTable(
        'input_streams',
        ['id', 'input', 'on_air', 'connected', 'open_errors', 'encoder', 'secure_stream_url'],
        'No input streams: a cross-posted copy shows the stream of its original.',
      ),
    };
  })
    .optionsGroup('Options:')
    .option('--on-air', 'put this input stream on air with its next key frame; <id> is its own');
}

function addEndAndStop(live: Command, add: Add): void {
  add(live, 'end <id>', 'end the broadcast', (_options, id = '') => ({
    action: 'live.end',
    input: { id },
    text: formatObject,
  }));
  add(live, 'stop <id>', 'stop the broadcast for a violation', (options, id = '') => {
    if (options.copyright !== true) throw new CliError('a reason is required: --copyright');
    return { action: 'live.stop', input: { id, page: options.page }, text: formatObject };
  })
    .optionsGroup('Options:')
    .option('--copyright', 'the stream contains content that belongs to another Page')
    .requiredOption('--page <ID>', 'Page that owns the content');
}

function addErrors(live: Command, add: Add, io: CliIo): void {
  add(live, 'errors <id>', 'list the error records, newest first, by live video ID or video ID', (options, id = '') => {
    const input = defined({ id, limit: options.limit, severity: options.severity, open: options.open });
    const exitCode = (answer: Answer) => errorsExit(answer, options.failOn);
    return {
      action: 'live.errors',
      input,
      text: errorLines,
      exitCode,
      ...(options.follow === true
        ? { follow: (config) => followErrors(config, io, { input, format: options.format, exitCode }) }
        : {}),
    };
  })
    .optionsGroup('Options:')
    .option('--limit <N>', 'maximum number of records (100)', count)
    .addOption(new Option('--severity <SEVERITY>', 'only this severity').choices(['error', 'warning', 'info']))
    .option('--open', 'only open errors')
    .option('--follow', 'print errors of a running server as they are raised and cleared, until Ctrl-C')
    .addOption(
      new Option('--fail-on <SEVERITY>', 'lowest severity that exits with 1')
        .choices(['error', 'warning'])
        .default('error'),
    );
}

function addReport(live: Command, add: Add): void {
  add(
    live,
    'report <id>',
    'report on a broadcast: averages, how long each rule was broken, causes, what to change',
    (options, id = '') => {
      if (options.links === true) return reportLinksCall(options, id);
      const input = { id, picture: options.format === 'html' };
      return { action: 'live.report', input, text: textReport, formats: { html: htmlReport } };
    },
    ['text', 'json', 'html'],
  )
    .optionsGroup('Options:')
    .option('--links', 'list the links to the report instead; npx airlock token revoke ID ends one');
}

function reportLinksCall({ format }: Options, id: string): AdminCall {
  if (format === 'html') throw new CliError('--links has no --format html');
  const columns = ['id', 'made_by', 'created_ms', 'expires_ms'];
  return {
    action: 'live.report_links',
    input: { id },
    text: formatTable('links', columns, 'No links to this report.'),
  };
}

function errorsExit(answer: Answer, failOn: unknown): ExitCode {
  const found = severities(answer);
  return found.has('error') || (failOn === 'warning' && found.has('warning')) ? EXIT.errorsFound : EXIT.ok;
}

function severities(answer: Answer): Set<unknown> {
  return new Set((answer.errors as readonly Answer[]).map((record) => record.severity));
}

/** Time, severity and state of each record, then its description; a remedy stands below the first record that has it. */
function errorLines(answer: Answer, columns: number): string {
  const records = answer.errors as readonly Answer[];
  if (records.length === 0) return 'No errors.';
  const told = new Set<string>();
  return records
    .map((record) => {
      const state = record.cleared_time === undefined ? 'open' : `cleared ${record.cleared_time}`;
      const [description, remedy] = [String(record.description), String(record.remediation ?? '')];
      const isRepeated = remedy === '' || told.has(remedy);
      told.add(remedy);
      const finding = description.endsWith(remedy)
        ? description.slice(0, description.length - remedy.length)
        : description;
      const head = `${record.timestamp}  ${record.severity}  ${state}  count ${record.count}`;
      const lines = [head, `  ${visible(finding.trimEnd())}`, ...(isRepeated ? [] : [`  ${visible(remedy)}`])];
      return lines.flatMap((line) => hanging(line, columns)).join('\n');
    })
    .join('\n\n');
}

function instant(value: string): number {
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It must be a time such as 2030-01-31T18:00Z.');
  return ms;
}
