/** Chooses the strongest cage that runs here, by running a shell in it. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defined } from '../../lib/objects.js';
import { Cage, type CageDesign } from './cage.js';
import { killLeftRuns, killRun, labelOf, usersRunning } from './end-run.js';
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

const SHELL = '/bin/sh';
const CLOSES = 'exec 33</dev/null && exec 33<&- && ! [ -e /proc/self/fd/33 ]';
const BIN = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const found = (name: string): string | undefined => executableOn(`${process.env.PATH ?? ''}:${BIN}`, name);

/** Without a check: limits only, for files of the user who runs the command. */
export const limitsOnly = (): Cage => new Cage({ kind: 'weak', shell: found('bash'), countsProcesses: false });

export interface CageOptions {
  readonly signal?: AbortSignal | undefined;
  /** Shells that may close descriptors, in order of preference. */
  readonly shells?: readonly string[];
}

/** `folder` gets an empty folder for the check, and stands for the server. @throws SandboxError */
export async function openCage(sandbox: Sandbox, folder: string, options: CageOptions = {}): Promise<OpenedCage> {
  if (sandbox === 'off') return { cage: new Cage({ kind: 'off', countsProcesses: false }) };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  killLeftRuns(folder);
  const { signal, shells = [found('bash') ?? SHELL, SHELL] } = options;
  const shell = await closingShell(shells);
  const common = { shell, setsid: found('setsid'), label: labelOf(folder) };
  const isRoot = process.getuid?.() === 0;
  const setpriv = isRoot ? found('setpriv') : undefined;
  const bwrap = found('bwrap');
  const countsProcesses = setpriv !== undefined || (!isRoot && countsPerNamespace(release()));
  const strong: CageDesign = { ...common, kind: 'strong', bwrap, setpriv, countsProcesses };
  const problem = missing(bwrap, shell) ?? (await problemOf(new Cage(strong), folder, signal));
  if (problem === undefined) return { cage: new Cage(strong) };
  if (sandbox === 'require')
    throw new SandboxError(`AIRLOCK_SANDBOX=require, but the sandbox does not run: ${problem}`);
  const own = new Cage({ ...common, kind: 'weak', setpriv, countsProcesses: true });
  const hasOwnUser =
    setpriv !== undefined && shell !== undefined && (await problemOf(own, folder, signal)) === undefined;
  if (hasOwnUser) await own.endLeftUsers(usersRunning(CAGE.firstUser, CAGE.users));
  return { cage: hasOwnUser ? own : new Cage({ ...common, kind: 'weak', countsProcesses: false }), problem };
}

function missing(bwrap: string | undefined, shell: string | undefined): string | undefined {
  if (bwrap === undefined) return 'bubblewrap (bwrap) is not installed';
  // A run would inherit the open file of the store.
  return shell === undefined ? 'no shell closes descriptors above 9: install bash' : undefined;
}

/** The first shell that closes a descriptor above 9, which dash cannot name. */
export async function closingShell(shells: readonly string[]): Promise<string | undefined> {
  for (const shell of shells) {
    const checked = promisify(execFile)(shell, ['-c', CLOSES], { env: {}, timeout: CAGE.checkMs });
    const closes = await checked.then(
      () => true,
      () => false,
    );
    if (closes) return shell;
  }
  return undefined;
}

/** Since Linux 5.14, RLIMIT_NPROC set within a user namespace counts the processes of this namespace. */
export function countsPerNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  return process.platform === 'linux' && (major > 5 || (major === 5 && minor >= 14));
}

/** Writes a file from within the cage. Resolves with the last line of the fault. */
async function problemOf(cage: Cage, folder: string, signal?: AbortSignal): Promise<string | undefined> {
  signal?.throwIfAborted();
  const output = mkdtempSync(join(folder, 'check-'));
  try {
    await writeIn(cage, output, signal);
    return undefined;
  } catch (error) {
    signal?.throwIfAborted();
    return lastLine(error);
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

async function writeIn(cage: Cage, output: string, signal: AbortSignal | undefined): Promise<void> {
  const run = cage.enter({ tool: realPath(SHELL), limits: PROBE, output });
  const options = { ...defined({ cwd: run.cwd }), env: {} };
  const running = promisify(execFile)(run.program, [...run.args, '-c', ': > written'], options);
  const end = () => killRun(running.child);
  const timer = setTimeout(end, CAGE.checkMs);
  signal?.addEventListener('abort', end);
  try {
    await running;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    await run.end(running.child);
  }
}

function lastLine(error: unknown): string {
  const { stderr, message }: { stderr?: unknown; message?: unknown } = Object(error);
  const said = typeof stderr === 'string' ? stderr.trim().split('\n').at(-1) : undefined;
  return (said || String(message).split('\n')[0] || 'it failed').slice(0, 300);
}
