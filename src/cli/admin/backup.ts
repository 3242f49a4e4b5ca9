/** `airlock backup` and `airlock restore` */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { asOwnerOf } from '../../lib/folder-owner.js';
import { type Finish, toolVersion } from '../console/commands.js';
import { EXIT } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';
import { addConfigOptions, loadCommandConfig } from '../input/config-options.js';

type Counts = Readonly<Record<string, number>>;

const SETTINGS = ['dataDir', 'redisUrl', 'blobUrl', 'keySecret', 'keySecretPrevious'] as const;

export function addBackup(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('backup <file>')
    .description('write the store, the journal and a list of the video files to one file; the server may be running')
    .option(
      '--with-keys',
      'include the server key that stream keys are derived from; keep the file as secret as the key',
    )
    .option('--force', 'overwrite an existing file');
  addConfigOptions(command, SETTINGS).action(async (file: string) => {
    const { config } = loadCommandConfig(command, io);
    const { makeBackup } = await import('../../server/admin/backup.js');
    const { withKeys, force } = command.opts<{ withKeys?: true; force?: true }>();
    const path = resolve(io.cwd, file);
    const options = { withKeys: withKeys === true, replace: force === true, version: toolVersion() };
    const { counts, bytes } = await asOwnerOf(config.dataDir, () => makeBackup(config, path, options));
    printLine(io.stdout, `${path}: ${bytes} bytes, ${summary(counts)}`);
    if (withKeys !== true)
      printLine(io.stdout, 'The server key is not included: back it up separately, or use --with-keys.');
    finish(EXIT.ok);
  });
}

export function addRestore(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('restore <file>')
    .description('restore a backup into an empty data folder or Redis while no server uses it')
    .option('--force', 'overwrite existing data');
  addConfigOptions(command, SETTINGS).action(async (file: string) => {
    const { config } = loadCommandConfig(command, io);
    const { restoreBackup } = await import('../../server/admin/backup.js');
    const { force } = command.opts<{ force?: true }>();
    const path = resolve(io.cwd, file);
    const report = await asOwnerOf(config.dataDir, () => restoreBackup(config, path, force === true));
    printLine(io.stdout, `Restored ${summary(report.counts)}, as of ${report.createdAt}.`);
    if (!report.hasKeys) {
      printLine(
        io.stdout,
        'The backup contains no server key: stream keys change unless key-secret or AIRLOCK_KEY_SECRET is the same as before.',
      );
    }
    if (report.missing > 0) {
      printLine(io.stderr, `airlock: ${report.missing} video files listed in the backup are missing:`);
      for (const name of report.missingNames) printLine(io.stderr, `  ${name}`);
      if (report.missing > report.missingNames.length) printLine(io.stderr, '  …');
    }
    finish(EXIT.ok);
  });
}

function summary(counts: Counts): string {
  const count = (kind: string): number => counts[kind] ?? 0;
  return `${count('object')} objects, ${count('edge')} edges, ${count('record')} error records, ${count('blob')} video files listed`;
}
