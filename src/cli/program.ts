/** The `airlock` command line. */
import { type Commands, runCommands } from './console/commands.js';
import type { ExitCode } from './console/exit.js';
import type { CliIo } from './console/io.js';

/** In the order of `airlock help`. */
const COMMANDS: Commands = {
  serve: async () => (await import('./serve/command.js')).addServe,
  validate: async () => (await import('./validate/command.js')).addValidate,
  replay: async () => (await import('./replay/command.js')).addReplay,
  conform: async () => (await import('./conform/command.js')).addConform,
  fixtures: async () => (await import('./fixtures/command.js')).addFixtures,
  spec: async () => (await import('./spec/command.js')).addSpec,
  explain: async () => (await import('./spec/explain.js')).addExplain,
  owner: async () => (await import('./admin/owner.js')).addOwnerCommands,
  audit: async () => (await import('./admin/audit.js')).addAudit,
  token: async () => (await import('./admin/token.js')).addTokenCommands,
  'sign-in': async () => (await import('./admin/sign-in.js')).addSignIn,
  live: async () => (await import('./admin/live.js')).addLiveCommands,
  reference: async () => (await import('./admin/reference.js')).addReferenceCommands,
  forward: async () => (await import('./admin/forward.js')).addForwardCommands,
  'obs-profile': async () => (await import('./admin/obs-profile.js')).addObsProfile,
  drain: async () => (await import('./admin/server.js')).addDrain,
  reload: async () => (await import('./admin/server.js')).addReload,
  backup: async () => (await import('./admin/backup.js')).addBackup,
  restore: async () => (await import('./admin/backup.js')).addRestore,
  key: async () => (await import('./admin/key.js')).addKeyCommands,
  'webhook-secret': async () => (await import('./admin/key.js')).addWebhookSecret,
  completion: async () => (await import('./completion/command.js')).addCompletion,
  doctor: async () => (await import('./doctor/command.js')).addDoctor,
};

/** Runs one command line (without node and script path). Resolves with the exit code; never throws. */
export function run(args: readonly string[], io: CliIo): Promise<ExitCode> {
  return runCommands(COMMANDS, args, io);
}

/** Loads the modules of the commands whose start counts: the build stores V8's code of them. */
export async function loadQuickCommands(): Promise<void> {
  await import('./validate/command.js');
  await (await import('./serve/command.js')).loadServe();
}
