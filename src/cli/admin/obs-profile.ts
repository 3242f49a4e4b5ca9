/** `airlock obs-profile`: writes an OBS profile for a live video into a folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import type { Command } from 'commander';
import { defined, isRecord } from '../../lib/objects.js';
import type { Finish } from '../console/commands.js';
import { CliError, EXIT } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';
import { addConfigOptions, loadCommandConfig } from '../input/config-options.js';
import { count, openDirect, STORE_SETTINGS } from './action.js';
import { callAdmin } from './client.js';

export function addObsProfile(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('obs-profile <id>')
    .description('write an OBS profile with address, key and settings of a live video')
    .option('--output <FOLDER>', 'folder to write to', '.')
    .option('--profile <NAME>', 'profile of the specification, such as 1080p60', '720p30')
    .option('--video-bitrate <KBPS>', 'bitrate within the range of the profile', count);
  command.action(async (id: string) => {
    const { output, profile, videoBitrate } = command.opts<{
      output: string;
      profile: string;
      videoBitrate?: number;
    }>();
    const { config } = loadCommandConfig(command, io);
    const input = { id, profile, ...defined({ video_bitrate: videoBitrate }) };
    const answer = await callAdmin(config, 'live.obs-profile', input, openDirect);
    const { name, files } = readProfile(answer);
    for (const { path, text } of files) writeInto(output, path, text);
    printLine(io.stdout, `${join(output, name)}: in OBS, Profile > Import, and select this folder`);
    finish(EXIT.ok);
  });
  addConfigOptions(command, [...STORE_SETTINGS, 'publicHttpUrl', 'httpPort', 'https']);
}

interface ProfileAnswer {
  readonly name: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

function readProfile(answer: unknown): ProfileAnswer {
  if (isRecord(answer) && typeof answer.name === 'string' && Array.isArray(answer.files)) {
    return { name: answer.name, files: answer.files.filter(isFile) };
  }
  throw new CliError('the server answered without a profile; update it');
}

function isFile(value: unknown): value is ProfileAnswer['files'][number] {
  return isRecord(value) && typeof value.path === 'string' && typeof value.text === 'string';
}

/** The files contain the stream key, so only their owner may read them. */
function writeInto(folder: string, path: string, text: string): void {
  const inside = normalize(path);
  if (isAbsolute(inside) || inside.startsWith('..')) throw new CliError(`the server named a file outside: ${path}`);
  const target = join(folder, inside);
  try {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text, { mode: 0o600 });
  } catch (error) {
    throw new CliError(`${target} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
