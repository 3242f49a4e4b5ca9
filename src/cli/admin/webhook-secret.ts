/** `airlock webhook-secret` */
import type { Command } from 'commander';
import { loadServerKey, webhookSecret } from '../../config/key-secret.js';
import { EXIT, type ExitCode } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';
import { addConfigOptions, loadCommandConfig } from '../input/config-options.js';

export function addWebhookSecret(program: Command, io: CliIo, finish: (code: ExitCode) => void): void {
  const command = program
    .command('webhook-secret')
    .description('print the key of the webhook’s signatures (X-Hub-Signature-256)');
  addConfigOptions(command, ['dataDir', 'keySecret']).action(() => {
    const { config } = loadCommandConfig(command, io);
    printLine(io.stdout, webhookSecret(loadServerKey(config)));
    finish(EXIT.ok);
  });
}
