/** `airlock owner` */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Finish } from '../console/commands.js';
import type { CliIo } from '../console/io.js';
import { type Add, commandAdder, count, formatObject, formatTable } from './action.js';

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
      ).choices(['OPEN', 'CLOSED', 'SECRET']),
    );
}

function addListAndShow(owner: Command, add: Add): void {
  add(owner, 'list', 'list all owners', () => ({
    action: 'owner.list',
    input: {},
    text: formatTable(
      'owners',
      ['id', 'kind', 'name', 'created_ms'],
      'No owners. Create one: airlock owner add page "My Page"',
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
  add(owner, 'set <id>', 'set the limits of an owner: a number, 0 for no limit, or default', (options, id = '') => ({
    action: 'owner.set',
    input: {
      id,
      max_publishers: options.maxPublishers,
      max_objects: options.maxObjects,
      max_bytes: options.maxBytes,
    },
    text: formatObject,
  }))
    .optionsGroup('Options:')
    .option('--max-publishers <N>', 'concurrent streams, including previews and preflights', limit)
    .option('--max-objects <N>', 'live videos and videos', limit)
    .option('--max-bytes <N>', 'bytes of uploads and recordings', limit);
}

function limit(value: string): number | string {
  if (value !== 'default' && !/^\d{1,15}$/.test(value))
    throw new InvalidArgumentError('It must be a whole number, or default.');
  return value === 'default' ? value : Number(value);
}
