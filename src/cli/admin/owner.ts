/** `airlock owner` */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Finish } from '../console/commands.js';
import type { CliIo } from '../console/io.js';
import { type Add, commandAdder, count, formatObject, formatTable } from './action.js';

const PRIVACIES = ['OPEN', 'CLOSED', 'SECRET'];

export function addOwnerCommands(program: Command, io: CliIo, finish: Finish): void {
  const owner = program.command('owner').description('Pages, groups and users');
  const add = commandAdder(io, finish);
  addAdd(owner, add);
  addListAndShow(owner, add);
  addSet(owner, add);
}

function addAdd(owner: Command, add: Add): void {
  const command = add(
    owner,
    'add <kind> <name>',
    'create an owner: page, group or user',
    (options, kind = '', name = '') => ({
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
      text: formatObject,
    }),
  );
  command.registeredArguments[0]?.choices(['page', 'group', 'user']);
  command
    .optionsGroup('Options:')
    .option('--username <NAME>', 'unique name, usable in place of the ID')
    .option('--manager <USER-ID>', 'Pages and groups: user with full access')
    .option('--followers <N>', 'users: number of followers (100 are required to go live)', count)
    .option('--profile-age-days <DAYS>', 'users: age of the profile (60 days are required to go live)', count)
    .addOption(
      new Option(
        '--privacy <PRIVACY>',
        'groups: OPEN to all, CLOSED to non-members, SECRET: hidden from non-members (OPEN)',
      ).choices(PRIVACIES),
    );
}

function addListAndShow(owner: Command, add: Add): void {
  add(owner, 'list', 'list all owners', () => ({
    action: 'owner.list',
    input: {},
    text: formatTable(
      'owners',
      ['id', 'kind', 'name', 'created_ms'],
      'No owners. Create one: npx airlock owner add page "My Page"',
    ),
  }));
  const show = 'show an owner, its limits and usage, and the persistent stream key of a Page';
  add(owner, 'show <id>', show, (_options, id = '') => ({
    action: 'owner.show',
    input: { id },
    text: formatObject,
  }));
}

function addSet(owner: Command, add: Add): void {
  const about = 'change an owner, and its limits: a number, 0 for no limit, or default';
  const command = add(owner, 'set <id>', about, (options, id = '') => ({
    action: 'owner.set',
    input: {
      id,
      followers: options.followers,
      created_ms: options.created,
      privacy: options.privacy,
      add_manager: options.addManager,
      add_member: options.addMember,
      remove_member: options.removeMember,
      add_friend: options.addFriend,
      remove_friend: options.removeFriend,
      max_publishers: options.maxPublishers,
      max_objects: options.maxObjects,
      max_bytes: options.maxBytes,
    },
    text: formatObject,
  }));
  command
    .optionsGroup('Options:')
    .option('--followers <N>', 'users and Pages: number of followers', count)
    .option('--created <DATE>', 'users: when the profile was created, such as 2026-01-31', instant)
    .addOption(new Option('--privacy <PRIVACY>', 'groups: who reads its content').choices(PRIVACIES))
    .option('--add-manager <USER-ID>', 'Pages and groups: user with full access; may be repeated', gathered)
    .option('--add-member <USER-ID>', 'groups: user who reads its content; may be repeated', gathered)
    .option('--remove-member <USER-ID>', 'Pages and groups: user who has no role any more; may be repeated', gathered)
    .option('--add-friend <USER-ID>', 'users: friend, in both directions; may be repeated', gathered)
    .option('--remove-friend <USER-ID>', 'users: friend no more; may be repeated', gathered)
    .option('--max-publishers <N>', 'concurrent streams, including previews and preflights', limit)
    .option('--max-objects <N>', 'live videos and videos', limit)
    .option('--max-bytes <N>', 'bytes of uploads and recordings', limit);
}

const gathered = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function instant(value: string): number {
  const at = /^\d{4}-\d{2}-\d{2}/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError('It must be a date, such as 2026-01-31 or 2026-01-31T09:00:00Z.');
  return at;
}

function limit(value: string): number | string {
  if (value !== 'default' && !/^\d{1,15}$/.test(value))
    throw new InvalidArgumentError('It must be a whole number, or default.');
  return value === 'default' ? value : Number(value);
}
