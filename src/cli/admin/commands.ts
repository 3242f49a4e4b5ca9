/** `airlock owner`, `airlock token`, `airlock live`. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CliError, EXIT, type ExitCode } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';
import { addConfigOptions, loadCommandConfig } from '../input/config-options.js';
import { type AdminInput, callAdmin, type OpenDirect } from './client.js';
import { printObject, printTable } from './print.js';

type Finish = (code: ExitCode) => void;
type Answer = Readonly<Record<string, unknown>>;
type Options = Readonly<Record<string, unknown>>;

interface Ask {
  readonly action: string;
  readonly input: AdminInput;
  /** What to print of the answer when it is not JSON that is asked for. */
  readonly text: (answer: Answer, width: number | undefined) => string;
  readonly exitCode?: (answer: Answer) => ExitCode;
}

const STORE_SETTINGS = [
  'dataDir',
  'redisUrl',
  'keySecret',
  'publicHost',
  'publicRtmpsUrl',
  'rtmpsPort',
  'logLevel',
] as const;

export function addOwnerCommands(program: Command, io: CliIo, finish: Finish): void {
  addOwner(program.command('owner').description('Pages, groups and users'), adder(io, finish));
}

export function addTokenCommands(program: Command, io: CliIo, finish: Finish): void {
  addToken(program.command('token').description('access tokens'), adder(io, finish));
}

export function addLiveCommands(program: Command, io: CliIo, finish: Finish): void {
  addLive(program.command('live').description('live videos'), adder(io, finish));
}

const openDirect: OpenDirect = async (config) => (await import('../../server/admin/direct.js')).openAdmin(config);

function adder(io: CliIo, finish: Finish): Add {
  return (parent, usage, what, ask) => {
    const command = parent.command(usage).description(what);
    command.addOption(new Option('--format <FORMAT>', 'how to print it').choices(['text', 'json']).default('text'));
    command.action(async () => {
      const options: Options = command.opts();
      const { action, input, text, exitCode } = ask(options, ...command.processedArgs.map(String));
      const { config } = loadCommandConfig(command, io);
      const answer = (await callAdmin(config, action, dropAbsent(input), openDirect)) as Answer;
      printLine(
        io.stdout,
        options.format === 'json' ? JSON.stringify(answer, null, 2) : text(answer, io.stdout.columns),
      );
      finish(exitCode?.(answer) ?? EXIT.ok);
    });
    return addConfigOptions(command, STORE_SETTINGS);
  };
}

type Add = (parent: Command, usage: string, what: string, ask: (options: Options, ...args: string[]) => Ask) => Command;

const asObject = (answer: Answer): string => printObject(answer);

const asRows = (member: string, columns: readonly string[], none: string) => (answer: Answer, width?: number) =>
  printTable(answer[member] as readonly Answer[], columns, none, width);

function addOwner(owner: Command, add: Add): void {
  add(owner, 'add <kind> <name>', 'make an owner: page, group or user', (options, kind = '', name = '') => ({
    action: 'owner.add',
    input: {
      kind,
      name,
      username: options.username,
      manager: options.manager,
      followers: options.followers,
      profile_age_days: options.profileAgeDays,
      privacy: options.privacy,
    },
    text: asObject,
  }))
    .optionsGroup('Options:')
    .option('--username <NAME>', 'unique name, beside the id')
    .option('--manager <USER-ID>', 'Pages and groups: a user who may do everything on it')
    .option('--followers <N>', 'users: followers (100 are needed to go live)', count)
    .option('--profile-age-days <DAYS>', 'users: age of the profile (60 days are needed to go live)', count)
    .addOption(
      new Option(
        '--privacy <WHO>',
        'groups: OPEN for all, CLOSED for members, SECRET unknown to others (OPEN)',
      ).choices(['OPEN', 'CLOSED', 'SECRET']),
    );
  add(owner, 'list', 'list all owners', () => ({
    action: 'owner.list',
    input: {},
    text: asRows('owners', ['id', 'kind', 'name', 'created_ms'], 'No owner yet: airlock owner add page "My Page"'),
  }));
  const show = 'show one owner: its limits and what it uses of them, and the persistent stream key of a Page';
  add(owner, 'show <id>', show, (_options, id = '') => ({
    action: 'owner.show',
    input: { id },
    text: asObject,
  }));
  add(owner, 'set <id>', 'set the limits of one owner: a number, 0 for no bound, or default', (options, id = '') => ({
    action: 'owner.set',
    input: {
      id,
      max_publishers: options.maxPublishers,
      max_objects: options.maxObjects,
      max_bytes: options.maxBytes,
    },
    text: asObject,
  }))
    .optionsGroup('Options:')
    .option('--max-publishers <N>', 'streams at one time, previews and preflights among them', limit)
    .option('--max-objects <N>', 'live videos and videos', limit)
    .option('--max-bytes <N>', 'bytes of uploads and recordings', limit);
}

function addToken(token: Command, add: Add): void {
  add(token, 'issue <owner-id>', 'issue an access token; it is shown this once', (options, owner = '') => ({
    action: 'token.issue',
    input: { owner, scopes: options.scopes, days: options.days, label: options.label },
    text: asObject,
  }))
    .optionsGroup('Options:')
    .option('--scopes <SCOPE,…>', 'what it may do (everything)', (value) =>
      value.split(',').map((scope) => scope.trim()),
    )
    .option('--days <DAYS>', 'days until it expires (never)', count)
    .option('--label <TEXT>', 'what it is for');
  add(token, 'list', 'list all tokens, newest first', () => ({
    action: 'token.list',
    input: {},
    text: asRows(
      'tokens',
      ['id', 'owner_id', 'owner_kind', 'state', 'created_ms', 'expires_ms', 'label'],
      'No token yet: airlock token issue OWNER-ID',
    ),
  }));
  add(token, 'revoke <id-or-token>', 'end a token at once', (_options, id = '') => ({
    action: 'token.revoke',
    input: { token: id },
    text: () => 'revoked',
  }));
}

function addLive(live: Command, add: Add): void {
  add(live, 'create', 'make a live video and print where to stream to', (options) => ({
    action: 'live.create',
    input: {
      owner: options.owner,
      title: options.title,
      description: options.description,
      status: options.status,
      privacy: options.privacy,
      planned_start_ms: options.plannedStart,
    },
    text: asObject,
  }))
    .optionsGroup('Options:')
    .requiredOption('--owner <ID>', 'Page, group or user that it belongs to')
    .option('--title <TEXT>', 'title')
    .option('--description <TEXT>', 'description')
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
    .option('--planned-start <TIME>', 'when a scheduled one begins, such as 2030-01-31T18:00Z', instant);
  add(live, 'list', 'list live videos, newest first', (options) => ({
    action: 'live.list',
    input: { owner: options.owner },
    text: asRows(
      'live_videos',
      ['id', 'owner_id', 'status', 'stream', 'open_errors', 'errors', 'created_ms', 'title'],
      'No live video yet: airlock live create --owner ID',
    ),
  }))
    .optionsGroup('Options:')
    .option('--owner <ID>', 'only of this owner');
  add(live, 'show <id>', 'show one, with its stream URL and what the stream is like now', (_options, id = '') => ({
    action: 'live.show',
    input: { id },
    text: asObject,
  }));
  add(live, 'end <id>', 'end the broadcast', (_options, id = '') => ({
    action: 'live.end',
    input: { id },
    text: asObject,
  }));
  add(live, 'stop <id>', 'stop the broadcast for a violation', (options, id = '') => {
    if (options.copyright !== true) throw new CliError('say what it is stopped for: --copyright');
    return { action: 'live.stop', input: { id, page: options.page }, text: asObject };
  })
    .optionsGroup('Options:')
    .option('--copyright', 'it contains what belongs to a different Page')
    .requiredOption('--page <ID>', 'the Page that it belongs to');
  add(
    live,
    'errors <id>',
    'list what it broke, newest first; by the id of the live video or of its video',
    (options, id = '') => ({
      action: 'live.errors',
      input: { id, limit: options.limit, severity: options.severity, open: options.open },
      text: (answer) => errorLines(answer),
      exitCode: (answer) =>
        severities(answer).has('error') || (options.failOn === 'warning' && severities(answer).has('warning'))
          ? EXIT.errorsFound
          : EXIT.ok,
    }),
  )
    .optionsGroup('Options:')
    .option('--limit <N>', 'at most so many (100)', count)
    .addOption(new Option('--severity <SEVERITY>', 'only these').choices(['error', 'warning', 'info']))
    .option('--open', 'only those not cleared')
    .addOption(
      new Option('--fail-on <SEVERITY>', 'exit code 1 from here on').choices(['error', 'warning']).default('error'),
    );
}

function severities(answer: Answer): Set<unknown> {
  return new Set((answer.errors as readonly Answer[]).map((record) => record.severity));
}

/** Each record in three lines: when and how badly, what, and what to do. */
function errorLines(answer: Answer): string {
  const records = answer.errors as readonly Answer[];
  if (records.length === 0) return 'No errors.';
  return records
    .map((record) => {
      const state = record.cleared_time === undefined ? 'open' : `cleared ${record.cleared_time}`;
      return `${record.timestamp}  ${record.severity}  ${state}  count ${record.count}\n  ${record.description}\n  ${record.remediation}`;
    })
    .join('\n\n');
}

function dropAbsent(input: AdminInput): AdminInput {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

function count(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('It must be a whole number, not below 0.');
  return Number(value);
}

function limit(value: string): number | string {
  if (value !== 'default' && !/^\d{1,15}$/.test(value))
    throw new InvalidArgumentError('It must be a whole number, or default.');
  return value === 'default' ? value : Number(value);
}

function instant(value: string): number {
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It must be a time such as 2030-01-31T18:00Z.');
  return ms;
}
