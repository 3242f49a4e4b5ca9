/** Calls between the processes of a server, typed by `Contract`. They travel over the supervisor, which forwards them. */
import { PendingCalls } from '../../lib/pending-calls.js';
import type { Log } from '../../ports/index.js';
import type { Peer, Role } from '../supervisor/messages.js';
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
  /** From now on the receiver takes what other processes send. */
  receive(receiver: WireReceiver): void;
}

export interface WireReceiver {
  takeCall(from: number, body: CallBody): void;
  takeAnswer(body: AnswerBody): void;
  /** This process has ended. */
  forget(id: number): void;
}

/** Both sides are the same program, so arguments have the declared types. */
type Handler = (...args: never[]) => unknown;

export class Calls implements WireReceiver {
  readonly #wire: Wire;
  readonly #log: Log;
  readonly #handlers = new Map<string, Handler>();
  readonly #pending = new PendingCalls({ late: () => new Error('the process did not respond in time') });
  readonly #taken = new Map<CallLimit, number>();
  readonly #goneListeners: ((id: number) => void)[] = [];

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

  /** A process of the role is reachable, and fewer of these calls are under way than may be. */
  hasPlace<R extends Role>(role: R, name: Asked<R>): boolean {
    const limit = CALL_LIMITS[role][name];
    return (this.#taken.get(limit) ?? 0) < (limit.places ?? Number.POSITIVE_INFINITY) && this.ids(role).length > 0;
  }

  /** Takes a place for a call that takes time to prepare. Returns what leaves it; undefined: there is none. */
  takePlace<R extends Role>(role: R, name: Asked<R>): (() => void) | undefined {
    if (!this.hasPlace(role, name)) return undefined;
    const limit = CALL_LIMITS[role][name];
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
    try {
      value = await this.#handlers.get(name)?.(...([...args, from] as never[]));
    } catch (error) {
      this.#log.error({ error, name }, 'a call of another process failed');
    }
    if (number !== undefined) this.#wire.send(from, 'answer', { number, value } satisfies AnswerBody);
  }
}
