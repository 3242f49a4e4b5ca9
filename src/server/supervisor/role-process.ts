/** One process of a role: forked, watched by pings, and ended. */
import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import type { ListenerName } from '../../config/listeners.js';
import { isRecord } from '../../lib/objects.js';
import type { Log } from '../../ports/index.js';
import { HOUSE_VARIABLE, houseSpec } from '../../spec/house.js';
import type { ProcessUsage } from '../system/process-usage.js';
import { missingV8Flags, V8_FLAGS } from '../system/v8-flags.js';
import { WAITING_LIMITS } from './limits.js';
import {
  type FromRole,
  type OnDemand,
  type Order,
  ROLE_VARIABLE,
  type Role,
  type StartFailure,
  type ToRole,
} from './messages.js';
import { isStopped, Starvation } from './starvation.js';

/** A process answers a ping in its next event-loop turn. One that answers none for five seconds counts as hung. */
export const PING_EVERY_MS = 1_700;
const PINGS_UNANSWERED = 3;
/**
 * An ingest process that a signal has stopped is replaced sooner: its encoders wait. One ping is too few, since the supervisor
 * may be the first to run when the whole server continues.
 */
const PINGS_STOPPED = 2;
/** Opening a large store and reading the journal take seconds; a longer start has failed. */
const START_MS = 60_000;
/** glibc keeps an arena for each thread that allocates. Two suffice, and the others only hold memory. */
const MALLOC_ARENA_MAX = '2';
/**
 * glibc's first values. It raises them, up to 32 and 64 MB, when a large buffer is freed: later ones then come from its heap, and free memory at
 * the end of the heap is not given back. Measured after 830 to 950 sessions: 20 instead of 30 MB of heap in the ingest process, for no more CPU.
 */
const MALLOC_KEEPS_LITTLE = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };
/** The AWS SDK announces that versions to come need a newer Node.js. Its version here is one that does not. */
const AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

/** An accepted socket and the port that it came from. */
export interface Accepted {
  readonly port: ListenerName;
  readonly socket: Socket;
}

export interface RoleProcessOptions {
  readonly id: number;
  readonly role: Role;
  /** One program for every role. */
  readonly script: string;
  readonly log: Log;
  readonly owner: RoleOwner;
}

/** The supervisor, as its processes see it. */
export interface RoleOwner {
  /** A process of this role can take sockets again. */
  giveWaiting(role: Role): void;
  /** Passes a message on to one process, or to those of a role. */
  forward(from: RoleProcess, to: number | Role, subject: string, body: object): void;
  /** A process of a role is needed, or this one no longer. */
  demand(from: RoleProcess, role: OnDemand, isNeeded: boolean): void;
  /** Carries out an operator's order, and sends the state to the process that it came through; `number` is that of the order. */
  answer(order: Order, from: RoleProcess, number: number): void;
  /** Usage of the supervisor. */
  usage(): ProcessUsage;
}

/** The numbers that are in force here, since the file may change before a process is started again. */
function houseEnv(): Readonly<Record<string, string>> {
  const house = houseSpec();
  return house === undefined ? {} : { [HOUSE_VARIABLE]: JSON.stringify(house) };
}

export class RoleProcess {
  readonly id: number;
  readonly role: Role;
  readonly startedAtMs = performance.now();
  holder: string | undefined;
  isReady = false;
  /** Resolves when the process is ready. @throws the reason that the process reported if it cannot start */
  readonly ready: Promise<void>;
  /** Resolves when the process has loaded its code. */
  readonly loaded: Promise<void>;
  /** Resolves when the process was asked to drain and its last connection is closed. */
  readonly drained: Promise<void>;
  /** Resolves when the process has ended, with the sockets that it did not take over. */
  readonly exited: Promise<readonly Accepted[]>;
  readonly #child: ChildProcess;
  readonly #options: RoleProcessOptions;
  #unanswered = 0;
  #starvation: Starvation | undefined;
  /** Pings in a row at which the process was stopped. */
  #stoppedAt = 0;
  /** Sockets were refused while the process was stopped. */
  #hasRefused = false;
  /** Kept open here until the process has them: Node closes neither the socket nor the queue behind it when the process ends. */
  readonly #handedOver = new Map<number, Accepted>();
  #lastNumber = 0;

  constructor(options: RoleProcessOptions) {
    const { id, role, script } = options;
    this.id = id;
    this.role = role;
    this.#options = options;
    this.#child = fork(script, [], {
      execArgv: [...process.execArgv, ...missingV8Flags(V8_FLAGS[role], process.execArgv, process.env.NODE_OPTIONS)],
      env: {
        MALLOC_ARENA_MAX,
        ...MALLOC_KEEPS_LITTLE,
        AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED,
        ...process.env,
        [ROLE_VARIABLE]: role,
        ...houseEnv(),
      },
      // In its own process group: Ctrl-C in the terminal reaches only the supervisor, which ends the roles in order.
      detached: true,
    });
    this.ready = this.#untilReady();
    this.loaded = this.#until('loaded');
    this.drained = this.#until('drained');
    // Waited for by some processes only.
    for (const moment of [this.loaded, this.drained]) moment.catch(() => undefined);
    this.exited = new Promise((resolve) => {
      const end = (facts: object): void => {
        this.isReady = false;
        options.log.debug({ role, pid: this.pid, ...facts }, 'a role process ended');
        resolve([...this.#handedOver.values()]);
        this.#handedOver.clear();
      };
      this.#child.once('exit', (code, signal) => end({ code, signal }));
      this.#child.on('error', (error) => {
        options.log.error({ role, pid: this.pid, error }, 'a role process failed');
        // Without a free process or file descriptor nothing was forked, and no exit follows.
        if (this.#child.pid === undefined) end({ error });
      });
    });
  }

  /** Starts the work of the process. Until then it only loads its code. */
  start(message: ToRole & { readonly type: 'start' }): void {
    this.send(message);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get livedMs(): number {
    return performance.now() - this.startedAtMs;
  }

  #until(type: 'loaded' | 'drained'): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#child.on('message', (message: FromRole) => {
        if (isRecord(message) && message.type === type) resolve();
      });
      this.#child.once('exit', () => reject(new Error(`the ${this.role} process ended before it was ${type}`)));
    });
  }

  #untilReady(): Promise<void> {
    const { owner } = this.#options;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`the ${this.role} process did not start in time`)), START_MS);
      late.unref();
      this.#child.once('error', reject);
      this.#child.once('exit', (code, signal) =>
        reject(new Error(`the ${this.role} process ended with ${signal ?? code} before it was ready`)),
      );
      this.#child.on('message', (message: FromRole) => {
        if (!isRecord(message)) return;
        this.#unanswered = 0;
        this.#starvation?.answered();
        if (this.#hasRefused) this.#goesOn();
        if (message.type === 'failed') reject(failureOf(message.failure));
        else if (message.type === 'taken') this.#taken(message.number);
        else if (message.type === 'message') owner.forward(this, message.to, message.subject, message.body);
        else if (message.type === 'demand') owner.demand(this, message.role, message.isNeeded);
        else if (message.type === 'order') owner.answer(message.order, this, message.number);
        else if (message.type === 'ready') {
          clearTimeout(late);
          this.holder = message.holder;
          this.isReady = true;
          resolve();
        }
      });
    });
  }

  /** Call it every `PING_EVERY_MS`. */
  ping(): void {
    if (!this.isReady) return;
    // Counted in pings, not in time: after a pause of the supervisor itself, the roles must not count as hung.
    this.#starvation ??= new Starvation(this.pid);
    const isStarved = this.#unanswered > 0 && this.#starvation.missed();
    this.#stoppedAt = this.role === 'ingest' && this.isStopped ? this.#stoppedAt + 1 : 0;
    if ((this.#unanswered >= PINGS_UNANSWERED && !isStarved) || this.#stoppedAt >= PINGS_STOPPED) {
      this.#options.log.error({ role: this.role, pid: this.pid }, 'a role process does not answer and is replaced');
      this.kill('SIGKILL');
      return;
    }
    this.#unanswered++;
    this.send(this.role === 'web' ? { type: 'ping', supervisor: this.#options.owner.usage() } : { type: 'ping' });
  }

  send(message: ToRole): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** A signal has stopped the process. */
  get isStopped(): boolean {
    return isStopped(this.pid);
  }

  /** Hands an accepted socket over. False: the process is overloaded, stopped or has ended, and the caller keeps the socket. */
  take(accepted: Accepted): boolean {
    if (!this.#child.connected || this.#handedOver.size >= WAITING_LIMITS.handedOver) return false;
    if (this.isStopped) {
      this.#hasRefused = true;
      return false;
    }
    const message: ToRole = { type: 'connection', port: accepted.port, number: ++this.#lastNumber };
    this.#handedOver.set(message.number, accepted);
    this.#child.send(message, accepted.socket, { keepOpen: true }, () => undefined);
    return true;
  }

  /** The process runs again after a stop. */
  #goesOn(): void {
    this.#hasRefused = false;
    this.#options.owner.giveWaiting(this.role);
  }

  /** Closes the copy of the supervisor; the connection goes on in the process. */
  #taken(number: number): void {
    this.#handedOver.get(number)?.socket.destroy();
    this.#handedOver.delete(number);
    if (this.#handedOver.size === WAITING_LIMITS.handedOver / 2) this.#options.owner.giveWaiting(this.role);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Asks the process to end, and kills it after this time. */
  async stop(withinMs: number): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.send({ type: 'stop' });
    const timer = setTimeout(() => {
      this.#options.log.error({ role: this.role, pid: this.pid }, 'a role process does not end and is killed');
      this.kill('SIGKILL');
    }, withinMs);
    await this.exited;
    clearTimeout(timer);
  }
}

function failureOf(failure: StartFailure | undefined): Error {
  const { message, ...facts } = failure ?? { message: 'a role process did not start' };
  return Object.assign(new Error(message), facts);
}
