/** The place of one process of a role: starts it, starts it again when it ends, and replaces it by one of the code on the disk. */
import type { Log } from '../../ports/index.js';
import type { Role } from './messages.js';
import type { RoleProcess } from './role-process.js';

export interface SlotOptions {
  readonly role: Role;
  readonly log: Log;
  readonly owner: SlotOwner;
}

/** The supervisor, as its slots see it. */
export interface SlotOwner {
  /** Forks a process, which only loads its code. */
  fork(role: Role): RoleProcess;
  /** Lets a forked process begin its work. */
  begin(child: RoleProcess): void;
  /** A process of this role was added, left, or is about to leave. */
  tellChange(role: Role): void;
}

export class Slot {
  readonly role: Role;
  readonly #options: SlotOptions;
  readonly #restarts = new Restarts();
  #current: RoleProcess | undefined;
  /** Loads its code, or opens its services. */
  #successor: RoleProcess | undefined;
  /** Was replaced, and ends when its connections have. */
  #retiring: RoleProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  /** Its process is ending, since nothing needs it. */
  #isResting = false;
  #isStopping = false;

  constructor(options: SlotOptions) {
    this.role = options.role;
    this.#options = options;
  }

  /** How often a process ended unexpectedly. */
  get restarts(): number {
    return this.#restarts.count;
  }

  /** The process that takes new work, when it is ready. */
  get ready(): RoleProcess | undefined {
    return this.#current?.isReady && !this.#isResting ? this.#current : undefined;
  }

  /** Without a process that takes work, since nothing needs one. */
  get isIdle(): boolean {
    return !this.#isRunning && (this.#current === undefined || this.#isResting);
  }

  get retiring(): RoleProcess | undefined {
    return this.#retiring?.isReady ? this.#retiring : undefined;
  }

  ping(): void {
    this.#current?.ping();
    this.#retiring?.ping();
  }

  /**
   * The first start. `after`: the process loads its code meanwhile. Rejects with the reason if it cannot start; a process that ends later
   * is started again.
   */
  async start(after?: Promise<unknown>): Promise<void> {
    await this.#run(this.#fork(), after);
    this.#isRunning = true;
  }

  async #run(child: RoleProcess, after?: Promise<unknown>): Promise<void> {
    this.#current = child;
    if (after === undefined) this.#options.owner.begin(child);
    // A store that does not open has failed the whole start.
    else
      void after.then(
        () => this.#options.owner.begin(child),
        () => undefined,
      );
    await child.ready;
    this.#options.owner.tellChange(this.role);
  }

  /** Starts a process where none runs, of a role that runs only while it is needed. */
  call(): void {
    if (this.#isRunning || this.#isStopping) return;
    this.#isRunning = true;
    if (this.#current === undefined && this.#successor === undefined) this.#startAgain(0);
    this.#options.owner.tellChange(this.role);
  }

  /** Ends the process, which says that nothing needs it, until another one is called for. */
  rest(process: RoleProcess, withinMs: number): void {
    if (this.#current !== process || this.#isResting) return;
    this.#isRunning = false;
    this.#isResting = true;
    this.#options.owner.tellChange(this.role);
    void process.stop(withinMs);
  }

  /**
   * Starts a successor; when it is ready it takes new work, and `retire` resolves when the other one may be stopped. If the
   * successor does not start, the other one goes on. @throws why it did not start
   */
  async replace(retire: (old: RoleProcess) => Promise<void>, withinMs: number): Promise<void> {
    const next = this.#fork();
    this.#successor = next;
    this.#options.owner.begin(next);
    try {
      await next.ready;
    } catch (error) {
      this.#giveUp(next);
      throw error;
    }
    const old = this.#current;
    this.#successor = undefined;
    this.#current = next;
    clearTimeout(this.#timer);
    this.#retiring = old;
    this.#options.owner.tellChange(this.role);
    if (old === undefined) return;
    await Promise.race([retire(old), old.exited]);
    await old.stop(withinMs);
  }

  /** Replaces a process of which there can be only one: the successor begins when the other one has ended. */
  async swap(withinMs: number): Promise<void> {
    const next = this.#fork();
    await next.loaded;
    const old = this.#current;
    this.#current = next;
    clearTimeout(this.#timer);
    this.#retiring = old;
    await old?.stop(withinMs);
    this.#options.owner.begin(next);
    await next.ready;
    this.#options.owner.tellChange(this.role);
  }

  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const all = [this.#current, this.#successor, this.#retiring];
    await Promise.all(all.map((process) => process?.stop(withinMs)));
  }

  #fork(): RoleProcess {
    const child = this.#options.owner.fork(this.role);
    void child.exited.then(() => this.#ended(child));
    return child;
  }

  #giveUp(next: RoleProcess): void {
    this.#successor = undefined;
    next.kill('SIGKILL');
    // The other one ended while the successor started.
    if (this.#current === undefined && this.#isRunning && !this.#isStopping) this.#startAgain(0);
  }

  #ended(child: RoleProcess): void {
    if (this.#retiring === child) this.#retiring = undefined;
    const wasCurrent = this.#current === child;
    if (wasCurrent) this.#current = undefined;
    this.#options.owner.tellChange(this.role);
    if (wasCurrent && this.#isResting) {
      this.#isResting = false;
      // It was called meanwhile.
      if (this.#isRunning && !this.#isStopping && this.#successor === undefined) this.#startAgain(0);
      return;
    }
    // A successor that is about to be ready takes its place.
    if (!wasCurrent || this.#isStopping || !this.#isRunning || this.#successor !== undefined) return;
    const pauseMs = this.#restarts.pauseAfter(child.livedMs);
    const { log } = this.#options;
    log.error({ role: this.role, pid: child.pid, pauseMs }, 'a role process ended; another one is started');
    this.#startAgain(pauseMs);
  }

  #startAgain(pauseMs: number): void {
    const { log } = this.#options;
    this.#timer = setTimeout(() => {
      try {
        this.#run(this.#fork()).catch((error: unknown) => {
          log.error({ role: this.role, error }, 'a role process did not start');
          this.#current?.kill('SIGKILL');
        });
      } catch (error) {
        // Without memory for it, for example.
        log.error({ role: this.role, error }, 'a role process could not be forked');
        this.#startAgain(this.#restarts.pauseAfter(0));
      }
    }, pauseMs);
  }
}

/** After a run of at least this long, the next process starts immediately. */
const SOUND_MS = 10_000;
const FIRST_MS = 50;
const LONGEST_MS = 10_000;

/** The delay before an ended role process is restarted. */
export class Restarts {
  #failures = 0;
  /** How often a process ended unexpectedly. */
  count = 0;

  /** The delay before the next start, in milliseconds. The first restart after a stable run is immediate. */
  pauseAfter(livedMs: number): number {
    this.count++;
    if (livedMs >= SOUND_MS) {
      this.#failures = 0;
      return 0;
    }
    this.#failures++;
    return Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.#failures - 1));
  }
}
