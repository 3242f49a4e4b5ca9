/** Calls between the processes of a server, typed by `Contract`. They travel over the supervisor, which forwards them. */
import { PendingCalls } from '../../lib/pending-calls.js';
import { withTimeout } from '../../lib/timeout.js';
import type { Log } from '../../ports/index.js';
import type { OnDemand, Peer, Role } from '../supervisor/messages.js';
import {
  type Answer,
  type Args,
  type Asked,
  CALL_LIMITS,
  type CallLimit,
  type Handlers,
  type Told,
} from './contract.js';

/** Without a number nothing is answered. */
export interface CallBody {
  readonly number?: number;
  readonly name: string;
  readonly args: readonly unknown[];
}
/** Without a value the call failed in the process that was called, which logs why. */
export interface AnswerBody {
  readonly number: number;
  readonly value?: unknown;
}

/** The way to the other processes. */
export interface Wire {
  peers(role: Role): readonly Peer[];
  send(to: number, subject: 'call' | 'answer', body: object): void;
  /** Has a process of the role started, unless one runs. */
  demand(role: OnDemand, isNeeded: true): void;
  /** From now on the receiver takes what other processes send. */
  receive(receiver: WireReceiver): void;
}

export interface WireReceiver {
  takeCall(from: number, body: CallBody): void;
  takeAnswer(body: AnswerBody): void;
  /** This process has ended. */
  forget(id: number): void;
  /** Another process may be reachable now. */
  meet(): void;
}

/** For the start of a process that is called: a second, five on a busy machine. */
const CALLED_MS = 15_000;

/** Both sides are the same program, so arguments have the declared types. */
type Handler = (...args: never[]) => unknown;

export class Calls implements WireReceiver {
  readonly #wire: Wire;
  readonly #log: Log;
  readonly #handlers = new Map<string, Handler>();
  readonly #pending = new PendingCalls({ late: () => new Error('the process did not respond in time') });
  readonly #taken = new Map<CallLimit, number>();
  readonly #goneListeners: ((id: number) => void)[] = [];
  /** Wait for a process that was called. */
  readonly #waiting = new Set<() => void>();
  #answering = 0;
  /** Calls that this process was asked, without those for metrics. */
  received = 0;

  constructor(wire: Wire, log: Log) {
    this.#wire = wire;
    this.#log = log;
    wire.receive(this);
  }

  takeCall(from: number, body: CallBody): void {
    void this.#answer(from, body);
  }

  takeAnswer({ number, value }: AnswerBody): void {
    this.#pending.answered(number, value);
  }

  meet(): void {
    for (const look of this.#waiting) look();
  }

  /** This process answers a call. */
  get isAnswering(): boolean {
    return this.#answering > 0;
  }

  forget(id: number): void {
    this.#pending.failAll(new Error('the process is gone'), id);
    for (const listener of this.#goneListeners) listener(id);
  }

  /** Answers calls to this process, whose role it is. */
  serve<R extends Role>(_role: R, handlers: Partial<Handlers<R>>): void {
    for (const [name, handler] of Object.entries<Handler | undefined>(handlers)) {
      if (handler !== undefined) this.#handlers.set(name, handler);
    }
  }

  /** The processes of the role that are reachable now. */
  ids(role: Role): readonly number[] {
    return this.#wire.peers(role).map(({ id }) => id);
  }

  /** Fewer of these calls are under way than may be. */
  hasPlace<R extends OnDemand>(role: R, name: Asked<R>): boolean {
    const limit: CallLimit = CALL_LIMITS[role][name];
    return (this.#taken.get(limit) ?? 0) < (limit.places ?? Number.POSITIVE_INFINITY);
  }

  /** Takes a place for a call that takes time to prepare. Returns what leaves it; undefined: there is none. */
  takePlace<R extends OnDemand>(role: R, name: Asked<R>): (() => void) | undefined {
    if (!this.hasPlace(role, name)) return undefined;
    const limit: CallLimit = CALL_LIMITS[role][name];
    this.#taken.set(limit, (this.#taken.get(limit) ?? 0) + 1);
    return () => void this.#taken.set(limit, (this.#taken.get(limit) ?? 0) - 1);
  }

  /** Resolves with undefined if the process ends, fails, or does not answer in time. */
  ask<R extends Role, Name extends Asked<R>>(
    role: R,
    id: number,
    name: Name,
    ...args: Args<R, Name>
  ): Promise<Answer<R, Name> | undefined> {
    const number = this.#pending.nextNumber();
    const answer = this.#pending.answerTo<Answer<R, Name>>(number, CALL_LIMITS[role][name].withinMs, id);
    this.#wire.send(id, 'call', { number, name: String(name), args } satisfies CallBody);
    return answer.catch(() => undefined);
  }

  /** The answers of all processes of the role that give one. */
  async askAll<R extends Role, Name extends Asked<R>>(
    role: R,
    name: Name,
    ...args: Args<R, Name>
  ): Promise<readonly Answer<R, Name>[]> {
    const answers = await Promise.all(this.ids(role).map((id) => this.ask(role, id, name, ...args)));
    return answers.filter((answer) => answer !== undefined);
  }

  /**
   * Asks the process of a role that runs on demand: has it started, and waits for it. One that ends before it answers, perhaps since it
   * had nothing to do when the call was on its way, is followed by another one, which is asked as well. Resolves with undefined if none answers.
   */
  async askOne<R extends OnDemand, Name extends Asked<R>>(
    role: R,
    name: Name,
    ...args: Args<R, Name>
  ): Promise<Answer<R, Name> | undefined> {
    for (let left = 2; left > 0; left--) {
      const id = this.ids(role)[0] ?? (await this.#called(role, CALL_LIMITS[role][name]));
      if (id === undefined) return undefined;
      const answer = await this.ask(role, id, name, ...args);
      if (answer !== undefined || this.ids(role).includes(id)) return answer;
    }
    return undefined;
  }

  /** A process of the role, once it is ready; undefined: none is in time. */
  async #called(role: OnDemand, { withinMs }: CallLimit): Promise<number | undefined> {
    let look: () => void = () => undefined;
    const ready = new Promise<number>((resolve) => {
      look = () => {
        const [id] = this.ids(role);
        if (id !== undefined) resolve(id);
      };
    });
    this.#waiting.add(look);
    this.#wire.demand(role, true);
    return withTimeout(ready, Math.min(withinMs, CALLED_MS), () => undefined).finally(() => this.#waiting.delete(look));
  }

  /** A process that has ended hears nothing. */
  tell<R extends Role, Name extends Told<R>>(_role: R, id: number, name: Name, ...args: Args<R, Name>): void {
    this.#wire.send(id, 'call', { name: String(name), args } satisfies CallBody);
  }

  tellAll<R extends Role, Name extends Told<R>>(role: R, name: Name, ...args: Args<R, Name>): void {
    for (const id of this.ids(role)) this.tell(role, id, name, ...args);
  }

  /** A process that this one knew has ended. */
  onGone(listener: (id: number) => void): void {
    this.#goneListeners.push(listener);
  }

  async #answer(from: number, { number, name, args }: CallBody): Promise<void> {
    let value: unknown;
    this.#answering++;
    if (name !== 'metrics') this.received++;
    try {
      value = await this.#handlers.get(name)?.(...([...args, from] as never[]));
    } catch (error) {
      this.#log.error({ error, name }, 'a call of another process failed');
    } finally {
      this.#answering--;
    }
    if (number !== undefined) this.#wire.send(from, 'answer', { number, value } satisfies AnswerBody);
  }
}
