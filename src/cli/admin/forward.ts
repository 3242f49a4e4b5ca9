/** `airlock forward`: targets to which broadcasts are passed on. */
import type { Readable } from 'node:stream';
import { type Command, Option } from 'commander';
import type { Finish } from '../console/commands.js';
import { CliError } from '../console/exit.js';
import type { CliIo } from '../console/io.js';
import { commandAdder, formatObject, formatTable } from './action.js';

/** Longer input is no key. */
const KEY_BYTES = 4_096;

export function addForwardCommands(program: Command, io: CliIo, finish: Finish): void {
  const forward = program.command('forward').description('targets to which broadcasts are passed on');
  const add = commandAdder(io, finish);
  add(
    forward,
    'add <id>',
    'pass a live video, or every broadcast of an owner, on to a target; the stream key is read from standard input or AIRLOCK_FORWARD_KEY',
    async (options, id = '') => ({
      action: 'forward.add',
      input: { id, url: options.url, name: options.name, when: options.when, key: await keyFrom(io) },
      text: formatObject,
    }),
  )
    .optionsGroup('Options:')
    .requiredOption('--url <URL>', 'rtmps://host[:port]/app, without the stream key')
    .addOption(
      new Option('--when <WHEN>', 'healthy: only while the stream has no open error')
        .choices(['always', 'healthy'])
        .default('always'),
    )
    .option('--name <TEXT>', 'name of the target');
  add(
    forward,
    'list <id>',
    'list the forwards of a live video or an owner, with their states',
    (_options, id = '') => ({
      action: 'forward.list',
      input: { id },
      text: formatTable(
        'forwards',
        ['id', 'name', 'url', 'when', 'state', 'text'],
        'No forwards. Add one: npx airlock forward add ID --url URL',
      ),
    }),
  );
  add(forward, 'remove <id>', 'remove a forward', (_options, id = '') => ({
    action: 'forward.remove',
    input: { id },
    text: formatObject,
  }));
}

/** Never an argument: those are shown by `ps`. @throws CliError */
async function keyFrom({ env, stdin }: CliIo): Promise<string> {
  const key = env.AIRLOCK_FORWARD_KEY ?? (await firstLine(stdin));
  if (key.trim() === '') throw new CliError('no stream key: write it to standard input, or set AIRLOCK_FORWARD_KEY');
  return key.trim();
}

async function firstLine(stdin: Readable): Promise<string> {
  let text = '';
  for await (const part of stdin) {
    text += String(part);
    if (text.includes('\n') || text.length > KEY_BYTES) break;
  }
  return text.slice(0, KEY_BYTES).split('\n', 1)[0] ?? '';
}
