/** `airlock key` and `airlock webhook-secret` */
import type { Command } from 'commander';
import { presentServerKeys, standardSecret, webhookSecret } from '../../config/key-secret.js';
import { asOwnerOf } from '../../lib/folder-owner.js';
import type { Finish } from '../console/commands.js';
import { CliError, EXIT } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';
import { addConfigOptions, loadCommandConfig } from '../input/config-options.js';
import { count, STORE_SETTINGS } from './action.js';

/** A week: encoders and receivers are changed within it. */
const OVERLAP_HOURS = 168;

export function addKeyCommands(program: Command, io: CliIo, finish: Finish): void {
  const key = program
    .command('key')
    .description('the server key that stream keys, links and signatures are derived from');
  const rotate = key
    .command('rotate')
    .description('replace the server key; what was derived from the old one stays valid for a while')
    .option('--overlap-hours <HOURS>', 'hours for which the old key is accepted (168)', count, OVERLAP_HOURS);
  addConfigOptions(rotate, ['dataDir', 'keySecret']).action(async () => {
    const { config } = loadCommandConfig(rotate, io);
    const { rotate: run } = await import('../../server/admin/server-key.js');
    const { overlapHours } = rotate.opts<{ overlapHours: number }>();
    const { fingerprint, previous, untilMs } = await asOwnerOf(config.dataDir, () =>
      keyFault(() => run(config, overlapHours)),
    );
    printLine(
      io.stdout,
      `New server key ${fingerprint}. The old one, ${previous}, is accepted until ${new Date(untilMs).toISOString()}.`,
    );
    printLine(io.stdout, 'Copy key-secret to every machine and restart all servers; until then they use the old key.');
    finish(EXIT.ok);
  });
  const adopt = key
    .command('adopt')
    .description('make the server key of this machine the one of the store, when the earlier key is lost');
  addConfigOptions(adopt, STORE_SETTINGS).action(async () => {
    const { config } = loadCommandConfig(adopt, io);
    const { adopt: run } = await import('../../server/admin/server-key.js');
    const fingerprint = await asOwnerOf(config.dataDir, () => run(config));
    printLine(io.stdout, `The key of the store is ${fingerprint}. All stream keys and links have changed.`);
    finish(EXIT.ok);
  });
}

/** The message names the file or the setting. */
function keyFault<Value>(run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    throw new CliError(error instanceof Error ? error.message : String(error), EXIT.usage, { cause: error });
  }
}

export function addWebhookSecret(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('webhook-secret')
    .description('print the signing key of the webhook (X-Hub-Signature-256), and the next one during a rotation')
    .option('--standard', 'print it as whsec_…, for libraries of Standard Webhooks (webhook-signature)');
  addConfigOptions(command, ['dataDir', 'keySecret', 'keySecretPrevious']).action(() => {
    const { config } = loadCommandConfig(command, io);
    const { current, previous } = keyFault(() => presentServerKeys(config));
    const isOverlap = previous !== undefined && previous.untilMs > Date.now();
    const isStandard = command.opts<{ standard?: true }>().standard === true;
    for (const key of isOverlap ? [previous.key, current] : [current]) {
      const secret = webhookSecret(key);
      printLine(io.stdout, isStandard ? standardSecret(secret) : secret);
    }
    finish(EXIT.ok);
  });
}
