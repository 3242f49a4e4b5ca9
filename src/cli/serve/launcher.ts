/**
 * Starts the server in a process with the flags of V8 that it needs. Node 20 cannot replace a running process, so this one
 * stays: it passes signals on and ends as the server does. When it is killed, the server ends at once.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { missingV8Flags, V8_FLAGS } from '../../server/system/v8-flags.js';
import type { ExitCode } from '../console/exit.js';

/** In the environment of the launched process; gone once that has read it. */
const LAUNCHED = 'LAUNCHED_BY_AIRLOCK';
const PASSED_ON = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** The flags that `serve` is to be started again with; none for other commands, which are over before they matter. */
export function flagsToAdd(args: readonly string[]): string[] {
  return args[0] === 'serve' ? missingV8Flags(V8_FLAGS.ingest, process.execArgv, process.env.NODE_OPTIONS) : [];
}

/** Resolves with the exit code of the process with the flags. */
export async function launch(flags: readonly string[], script: string, args: readonly string[]): Promise<ExitCode> {
  const child = spawn(process.execPath, [...process.execArgv, ...flags, script, ...args], {
    // In a group of its own: else it would get Ctrl-C from the terminal and from here, and a second signal ends at once.
    detached: true,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [LAUNCHED]: '1' },
  });
  for (const signal of PASSED_ON) process.on(signal, () => child.kill(signal));
  const [code, signal] = (await once(child, 'exit')) as [ExitCode | null, NodeJS.Signals | null];
  if (signal !== null) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  return code ?? 1;
}

/** In the launched process: it does not outlive the launcher, whose end would else leave the ports and the store taken. */
export function endWithLauncher(): void {
  if (process.env[LAUNCHED] === undefined) return;
  delete process.env[LAUNCHED];
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel?.unref();
}
