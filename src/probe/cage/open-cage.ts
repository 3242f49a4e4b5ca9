/** Chooses the strongest cage that runs here, by running a shell in it. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Cage, type CageDesign } from './cage.js';
import { CAGE, PROBE } from './limits.js';
import { executableOn, realPath } from './system-folders.js';

export type Sandbox = 'auto' | 'require' | 'off';

export interface OpenedCage {
  readonly cage: Cage;
  /** Why the strong cage does not run, if it was wanted. */
  readonly problem?: string;
}

/** AIRLOCK_SANDBOX=require, and the strong cage does not run. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly code = 'SANDBOX_UNAVAILABLE';
}

const BIN = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const found = (name: string): string | undefined => executableOn(`${process.env.PATH ?? ''}:${BIN}`, name);

/** Without a check: limits only, for files of the user who runs the command. */
export const limitsOnly = (): Cage => new Cage({ kind: 'weak', countsProcesses: false });

/** `folder` gets an empty folder for the check. @throws SandboxError */
export async function openCage(sandbox: Sandbox, folder: string, signal?: AbortSignal): Promise<OpenedCage> {
  if (sandbox === 'off') return { cage: new Cage({ kind: 'off', countsProcesses: false }) };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  const setpriv = isRoot ? found('setpriv') : undefined;
  const bwrap = found('bwrap');
  const countsProcesses = setpriv !== undefined || (!isRoot && countsPerNamespace(release()));
  const strong: CageDesign = { kind: 'strong', bwrap, setpriv, countsProcesses };
  const problem =
    bwrap === undefined ? 'bubblewrap (bwrap) is not installed' : await problemOf(new Cage(strong), folder, signal);
  if (problem === undefined) return { cage: new Cage(strong) };
  if (sandbox === 'require')
    throw new SandboxError(`AIRLOCK_SANDBOX=require, but the sandbox does not run: ${problem}`);
  const own = new Cage({ kind: 'weak', setpriv, countsProcesses: true });
  const hasOwnUser = setpriv !== undefined && (await problemOf(own, folder, signal)) === undefined;
  return { cage: hasOwnUser ? own : limitsOnly(), problem };
}

/** Since Linux 5.14, RLIMIT_NPROC set within a user namespace counts the processes of this namespace. */
export function countsPerNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  return process.platform === 'linux' && (major > 5 || (major === 5 && minor >= 14));
}

/** Writes a file from within the cage. Resolves with the last line of the fault. */
async function problemOf(cage: Cage, folder: string, signal?: AbortSignal): Promise<string | undefined> {
  const output = mkdtempSync(join(folder, 'check-'));
  try {
    const { program, args, cwd } = cage.enter({ tool: realPath('/bin/sh'), limits: PROBE, output });
    await promisify(execFile)(program, [...args, '-c', ': > written'], {
      ...(cwd === undefined ? {} : { cwd }),
      ...(signal === undefined ? {} : { signal }),
      env: {},
      timeout: CAGE.checkMs,
      killSignal: 'SIGKILL',
    });
    return undefined;
  } catch (error) {
    signal?.throwIfAborted();
    return lastLine(error);
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

function lastLine(error: unknown): string {
  const { stderr, message }: { stderr?: unknown; message?: unknown } = Object(error);
  const said = typeof stderr === 'string' ? stderr.trim().split('\n').at(-1) : undefined;
  return (said || String(message).split('\n')[0] || 'it failed').slice(0, 300);
}
