/** `airlock reference` */
import { type Command, Option } from 'commander';
import type { Finish } from '../console/commands.js';
import type { CliIo } from '../console/io.js';
import { type Add, commandAdder, formatObject, formatTable } from './action.js';

export function addReferenceCommands(program: Command, io: CliIo, finish: Finish): void {
  const reference = program.command('reference').description('copyright references and matches with them');
  const add = commandAdder(io, finish);
  addReferences(reference, add);
  addMatches(reference, add);
}

function addReferences(reference: Command, add: Add): void {
  add(reference, 'add <video>', "monitor the content of a Page's video, or change how", (options, video = '') => ({
    action: 'reference.add',
    input: { video, policy: options.policy, allow: options.allow, exclude: options.exclude },
    text: formatObject,
  }))
    .optionsGroup('Options:')
    .addOption(
      new Option('--policy <POLICY>', 'what follows from a match').choices(['monitor', 'block']).default('monitor'),
    )
    .option('--allow <PAGE…>', 'Page that may use the content; repeat it for several', collect)
    .option('--exclude <FROM-TO…>', 'seconds that are not matched, as 0-12.5; repeat it for several', collect);
  add(reference, 'list', 'list the references, oldest first', (options) => ({
    action: 'reference.list',
    input: { page: options.page },
    text: formatTable(
      'references',
      ['id', 'owner_id', 'policy', 'print', 'added_ms', 'title'],
      'No references. Add one: npx airlock reference add VIDEO',
    ),
  }))
    .optionsGroup('Options:')
    .option('--page <ID>', 'only those of this Page');
  add(reference, 'remove <video>', 'stop monitoring the content of a video', (_options, video = '') => ({
    action: 'reference.remove',
    input: { video },
    text: formatObject,
  }));
  add(reference, 'rebuild', 'make the prints of all references again', () => ({
    action: 'reference.rebuild',
    input: {},
    text: formatObject,
  }));
}

function addMatches(reference: Command, add: Add): void {
  add(reference, 'matches', 'list matches of broadcasts and videos, newest first', (options) => ({
    action: 'match.list',
    input: { state: options.state },
    text: formatTable(
      'matches',
      ['id', 'state', 'page_id', 'policy', 'start_ms', 'offset_ms', 'length_ms', 'error_rate', 'found_ms'],
      'No matches.',
    ),
  }))
    .optionsGroup('Options:')
    .addOption(new Option('--state <STATE>', 'only these').choices(['open', 'disputed', 'confirmed', 'dismissed']));
  add(reference, 'confirm <match>', 'stop the broadcast, or withhold the video', (_options, id = '') => ({
    action: 'match.confirm',
    input: { id },
    text: formatObject,
  }));
  add(reference, 'dismiss <match>', 'release the broadcast or video, and keep it visible', (_options, id = '') => ({
    action: 'match.dismiss',
    input: { id },
    text: formatObject,
  }));
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];
