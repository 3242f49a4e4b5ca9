/**
 * Builds the command line that runs ffmpeg or ffprobe on untrusted media with as little access as the system allows.
 *
 * Strong: bubblewrap with namespaces of its own. It has no network, sees the programs and libraries of the system, one
 * input and one output folder, and no other process. Weak: limits and an empty environment; as root also a user of its
 * own. Arguments are passed through `sh -c SCRIPT sh ARGUMENT…` and never become part of a script.
 */
import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, lchownSync, lstatSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename } from 'node:path';
import { defined } from '../../lib/objects.js';
import { endMarked, endUser, killed, MARK } from './end-run.js';
import { CAGE, type CageLimits } from './limits.js';
import { realPath, systemMounts, toolMounts } from './system-folders.js';

export type CageKind = 'strong' | 'weak' | 'off';

export interface CageDesign {
  readonly kind: CageKind;
  /** Path of bwrap; required by the strong cage. */
  readonly bwrap?: string | undefined;
  /** Path of setpriv, if the server is root: each run gets a user of its own. */
  readonly setpriv?: string | undefined;
  /** A shell that can name descriptors above 9. Without it, a run keeps what the server's libraries leave open. */
  readonly shell?: string | undefined;
  /** Path of setsid: each run is a process group of its own, so that all of it can be killed. */
  readonly setsid?: string | undefined;
  /** Names the runs of this process among all processes of the system. */
  readonly label?: string | undefined;
  /** The kernel counts the processes of a run apart from those of the server. */
  readonly countsProcesses: boolean;
}

export interface CageJob {
  readonly tool: string;
  readonly limits: CageLimits;
  /** The one file that it may read; without it, the input is a pipe. */
  readonly input?: string;
  /** The one folder that it may write to. Its outputs are named relative to it. */
  readonly output?: string;
}

export interface CagedCommand {
  readonly program: string;
  /** Precede the tool's own arguments. */
  readonly args: readonly string[];
  readonly cwd?: string;
  /** The path by which the tool opens the input. */
  readonly input: string;
}

/** A run, from before its start until `end`. */
export interface CagedRun extends CagedCommand {
  /** The user that owns what it writes; undefined where the system has no users. */
  readonly user: number | undefined;
  /**
   * Kills it with all that belongs to it. Resolves once nothing of it runs: only then may its outputs be opened. False:
   * something could not be ended. Must be called once for each run.
   */
  end(child: ChildProcess | undefined): Promise<boolean>;
}

/** A user that no other run of this machine has, if `isOwn`. */
interface UserClaim {
  readonly user: number;
  readonly isOwn: boolean;
  release(): void;
}

const SHELL = '/bin/sh';
/**
 * lmdb opens the store's file without close-on-exec, so that a run would inherit it. `/proc` lists what is open, which the
 * strong cage cannot see; hence before it.
 */
const CLOSE_INHERITED =
  'for fd in $(cd /proc/self/fd && echo *); do [ "$fd" -gt 2 ] && eval "exec $fd>&-"; done; exec "$@"';
const ENVIRONMENT = { PATH: '/usr/bin:/bin', HOME: '/nonexistent', LC_ALL: 'C' } as const;
/** Inside the strong cage. */
const INPUT = '/input';
const OUTPUT = '/output';
/** In the weak cage with a user of its own, which cannot traverse the data folder. */
const TOOL_FD = '/proc/self/fd/3';
const INPUT_FD = '/proc/self/fd/4';
const OPEN_TOOL = 'exec 3<"$1" || exit 127; shift';
const OPEN_INPUT = 'exec 4<"$1"; shift';

export class Cage {
  readonly kind: CageKind;
  readonly #design: CageDesign;
  readonly #system: readonly string[];
  /** Starts anywhere, so that the processes of a machine seldom try the same users. */
  #users = randomInt(CAGE.users);
  #runs = 0;

  constructor(design: CageDesign) {
    this.#design = design;
    this.kind = design.kind;
    this.#system = design.kind === 'strong' ? systemMounts() : [];
  }

  /** Whether each run has a user of its own. */
  get hasOwnUser(): boolean {
    return this.#design.setpriv !== undefined;
  }

  /** Whether all that belongs to a run can be ended, also what leaves its session and clears its environment. */
  get endsAll(): boolean {
    if (this.kind !== 'weak') return this.kind === 'strong';
    const claim = this.hasOwnUser ? this.#claim() : undefined;
    claim?.release();
    return claim?.isOwn === true;
  }

  /** Gives the run's user access to input and output, if this process is root. @throws the system's error */
  enter(job: CageJob): CagedRun {
    const user = process.getuid?.();
    if (this.kind === 'off') {
      const end = async (child?: ChildProcess) => {
        if (child !== undefined) await killed(child);
        return true;
      };
      return { ...located(job), program: job.tool, args: [], user, end };
    }
    const claim = this.hasOwnUser ? this.#claim() : undefined;
    try {
      if (claim !== undefined) admit(job, claim.user);
      return this.#run(job, claim, user);
    } catch (error) {
      claim?.release();
      throw error;
    }
  }

  #run(job: CageJob, claim: UserClaim | undefined, serverUser: number | undefined): CagedRun {
    const { setpriv, label } = this.#design;
    const mark = label === undefined ? undefined : `${label}-${this.#runs++}`;
    const user = claim?.user ?? serverUser;
    const isStrong = this.kind === 'strong';
    const command = isStrong ? this.#strong(job, claim?.user) : this.#weak(job, claim?.user, mark);
    const ended = async (pid: number | undefined): Promise<boolean> => {
      if (isStrong || pid === undefined) return true;
      if (setpriv !== undefined && claim?.isOwn === true) return endUser(setpriv, claim.user);
      return mark === undefined || endMarked(mark, pid);
    };
    const end = async (child: ChildProcess | undefined): Promise<boolean> => {
      try {
        if (child !== undefined) await killed(child);
        return await ended(child?.pid);
      } finally {
        claim?.release();
      }
    };
    return { ...this.#apart(command), user, end };
  }

  /** Kills what runs of processes that are gone have left with a user of its own. */
  async endLeftUsers(users: Iterable<number>): Promise<void> {
    const { setpriv } = this.#design;
    for (const user of users) {
      const claim = claimUser(user);
      if (setpriv !== undefined && claim !== undefined) await endUser(setpriv, user);
      claim?.();
    }
  }

  /** Where all users that are tried are taken, the last one, which is not the run's own. */
  #claim(): UserClaim {
    let user: number = CAGE.firstUser;
    for (let tries = 0; tries < CAGE.userTries; tries++) {
      user = CAGE.firstUser + (this.#users++ % CAGE.users);
      const release = claimUser(user);
      if (release !== undefined) return { user, isOwn: true, release };
    }
    return { user, isOwn: false, release: () => undefined };
  }

  #strong({ tool, limits, input, output }: CageJob, user: number | undefined): CagedCommand {
    const { bwrap = 'bwrap', setsid, label = 'airlock-run' } = this.#design;
    const { path, mounts } = toolMounts(tool);
    const args = [
      // With root's own rights, mounts need no user namespace, and the run gets a user that is not root outside either.
      ...(this.hasOwnUser
        ? ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']
        : ['--unshare-user']),
      ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
      // bwrap's own first process would outlive the tool for a moment, with what the tool started. The shell below does
      // not: the kernel ends a namespace with its first process, and reports its end after that of all others.
      '--as-pid-1',
      ...['--hostname', label, '--die-with-parent', '--clearenv'],
      // A second session would be outside of the run's process group.
      ...(setsid === undefined ? ['--new-session'] : []),
      ...Object.entries(ENVIRONMENT).flatMap(([name, value]) => ['--setenv', name, value]),
      ...this.#system,
      ...mounts,
      ...(input === undefined ? [] : ['--ro-bind', input, INPUT]),
      ...(output === undefined ? ['--dir', OUTPUT] : ['--bind', output, OUTPUT]),
      ...['--remount-ro', '/', '--chdir', OUTPUT, '--'],
      ...[SHELL, '-c', '"$@"; exit $?', label, ...this.#become(user)],
      // Limits come after the user: root's processes would count where root is not the machine's own.
      ...[SHELL, '-c', `${this.#limits(limits)}; exec "$@"`, SHELL, path],
    ];
    return { program: bwrap, args, input: INPUT };
  }

  #weak(job: CageJob, user: number | undefined, mark: string | undefined): CagedCommand {
    const { tool, limits, input } = job;
    const path = realPath(tool);
    const clear = ['env', '-i', ...Object.entries(ENVIRONMENT).map(([name, value]) => `${name}=${value}`)];
    const enter = `${this.#limits(limits)}; exec "$@"`;
    if (user === undefined) {
      // Without a user of its own, what belongs to it is found by this.
      const marked = mark === undefined ? [] : [`${MARK}=${mark}`];
      const args = ['-c', enter, SHELL, ...clear, ...marked, ...this.#become(user), path];
      return { ...located(job), program: SHELL, args };
    }
    const opened = input === undefined ? [] : [input];
    const script = [OPEN_TOOL, ...(input === undefined ? [] : [OPEN_INPUT]), enter].join('; ');
    const args = ['-c', script, SHELL, path, ...opened, ...clear, ...this.#become(user), TOOL_FD];
    return { ...located(job), program: SHELL, args, input: INPUT_FD };
  }

  /** Without descriptors of the server, in a process group of its own. */
  #apart(command: CagedCommand): CagedCommand {
    const { shell, setsid } = this.#design;
    const run = [...(setsid === undefined ? [] : [setsid]), command.program, ...command.args];
    if (shell === undefined) return { ...command, program: run[0] ?? command.program, args: run.slice(1) };
    // With a socket as its input, bash takes itself for a remote shell and reads .bashrc.
    const plain = basename(shell) === 'bash' ? ['--norc'] : [];
    return { ...command, program: shell, args: [...plain, '-c', CLOSE_INHERITED, shell, ...run] };
  }

  #become(user: number | undefined): string[] {
    const { setpriv } = this.#design;
    const nice = ['nice', '-n', '10'];
    if (setpriv === undefined || user === undefined) return nice;
    const ids = [`--reuid=${user}`, `--regid=${CAGE.firstUser}`, '--clear-groups'];
    return [...nice, setpriv, ...ids, '--inh-caps=-all', '--no-new-privs'];
  }

  /** A limit that the system does not know is skipped. dash calls the number of processes `-p`, bash `-u`. */
  #limits({ memoryKib, processorSeconds, fileMib }: CageLimits): string {
    const { processes, openFiles } = CAGE;
    const set = [`-c 0`, `-v ${memoryKib}`, `-t ${processorSeconds}`, `-f ${fileMib * 2048}`, `-n ${openFiles}`];
    const lines = set.map((limit) => `ulimit ${limit} 2>&-`);
    if (this.#design.countsProcesses) lines.push(`{ ulimit -u ${processes} || ulimit -p ${processes}; } 2>&-`);
    return lines.join('; ');
  }
}

const located = ({ input = '', output }: CageJob) => ({ input, ...defined({ cwd: output }) });

/**
 * Holds a user for a run by listening on an abstract socket of its name: the system gives it to one process of the machine,
 * and takes it back when that process ends. Undefined if it is taken; else call it to release the user.
 */
function claimUser(user: number): (() => void) | undefined {
  const holder = createServer().unref();
  // Without a cluster, Node binds before `listen` returns; the event of a failure comes later.
  holder.on('error', () => undefined).listen(`\0airlock-run-user-${user}`);
  return holder.listening ? () => void holder.close() : undefined;
}

/** The input by group, the output folder as owner. */
function admit({ input, output }: CageJob, user: number): void {
  if (input !== undefined) {
    const { uid, mode } = lstatSync(input);
    lchownSync(input, uid, CAGE.firstUser);
    chmodSync(input, mode | 0o040);
  }
  if (output === undefined) return;
  // The group lets root's shell enter it without root's capabilities.
  lchownSync(output, user, process.getgid?.() ?? 0);
  chmodSync(output, 0o710);
}
