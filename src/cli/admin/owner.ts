/** `airlock owner` */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Finish } from '../console/commands.js';
import type { CliIo } from '../console/io.js';
import { type Add, adder, asObject, asRows, count } from './action.js';

export function addOwnerCommands(program: Command, io: CliIo, finish: Finish): void {
  const owner = program.command('owner').description('Pages, groups and users');
  const add = adder(io, finish);
  addAdd(owner, add);
  addListAndShow(owner, add);
  addSet(owner, add);
}

function addAdd(owner: Command, add: Add): void {
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
}

function addListAndShow(owner: Command, add: Add): void {
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
}

function addSet(owner: Command, add: Add): void {
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

function limit(value: string): number | string {
  if (value !== 'default' && !/^\d{1,15}$/.test(value))
    throw new InvalidArgumentError('It must be a whole number, or default.');
  return value === 'default' ? value : Number(value);
}
