/** A role's side of its IPC channel to the supervisor. If the supervisor ends, the process ends too. */
import type { Socket } from 'node:net';
import type { ListenerName, PublicPorts } from '../../config/listeners.js';
import type { SentSettings } from '../../config/sent-settings.js';
import {
  type DrainReason,
  type FromRole,
  type OnDemand,
  type Order,
  type Peer,
  PROTOCOL,
  type Role,
  type ServerState,
  type StartFailure,
  type ToRole,
} from '../supervisor/messages.js';
import type { ProcessUsage } from '../system/process-usage.js';
import type { AnswerBody, CallBody, Wire, WireReceiver } from './calls.js';

/**
 * After the supervisor has ended. The journal has everything that was pushed. Not `process.exit`, which waits for lmdb's
 * writing thread: with a transaction pending that thread waits for this one, and the lock on the store would be held for good.
 */
const endAtOnce = (): void => void process.kill(process.pid, 'SIGKILL');

/** An error of the channel: the supervisor has ended, and `disconnect` follows. Without a listener it would be thrown. */
const ignored = (): undefined => undefined;

export class RoleLink implements Wire {
  readonly role: Role;
  #peers: readonly Peer[] = [];
  #restarts: Readonly<Partial<Record<Role, number>>> = {};
  /** The server takes no new publisher. */
  isDraining = false;
  /** Roles without a process, since nothing needs one. */
  idle: readonly Role[] = [];
  /** What the supervisor used at the last ping; in the web process only. */
  supervisor: ProcessUsage | undefined;
  #receiver: WireReceiver | undefined;
  readonly #connections = new Map<ListenerName, (socket: Socket) => void>();
  readonly #draining: ((reason: DrainReason) => void)[] = [];
  readonly #orders = new Map<number, (state: ServerState) => void>();
  #lastOrder = 0;
  readonly #pinged: (() => void)[] = [];
  readonly #start: Promise<ToRole & { readonly type: 'start' }>;
  /** Resolves when the supervisor requests the shutdown. */
  readonly stopped: Promise<void>;

  constructor(role: Role) {
    this.role = role;
    let start: (message: ToRole & { readonly type: 'start' }) => void = () => undefined;
    let stop: () => void = () => undefined;
    this.#start = new Promise((resolve) => {
      start = resolve;
    });
    this.stopped = new Promise((resolve) => {
      stop = resolve;
    });
    process.on('message', (message: ToRole, handle: unknown) => {
      if (message.type === 'connection') this.#connection(message, handle as Socket | undefined);
      else if (message.type === 'message') this.#message(message);
      else if (message.type === 'ping') this.#pong(message);
      else if (message.type === 'peers') this.#usePeers(message);
      else if (message.type === 'start') start(message);
      else if (message.type === 'drain') for (const listener of this.#draining) listener(message.reason);
      else if (message.type === 'state') this.#stateCame(message);
      else stop();
    });
    process.once('disconnect', endAtOnce);
  }

  /** The code of a role may be newer than its supervisor's. @throws Error unless both mean the same by their messages */
  async requireProtocol(): Promise<void> {
    const { protocol } = await this.#start;
    if (protocol === PROTOCOL) return;
    throw new Error(
      'the running supervisor is of a version that cannot start this one. The step between them needs a restart of the whole server (stop it, then start it), not a reload',
    );
  }

  /** The public ports, which the supervisor listens on. */
  async ports(): Promise<PublicPorts> {
    return (await this.#start).ports;
  }

  /** Undefined: the supervisor requested the end before the start. */
  settings(): Promise<SentSettings | undefined> {
    return Promise.race([this.#start.then(({ settings }) => settings), this.stopped.then(() => undefined)]);
  }

  /** How often a process of the role ended unexpectedly. */
  restarts(role: Role): number {
    return this.#restarts[role] ?? 0;
  }

  /** The code of the process is loaded. */
  loaded(): void {
    this.#send({ type: 'loaded' });
  }

  ready(holder?: string): void {
    this.#send({ type: 'ready', holder });
  }

  /** Reports why the process cannot start; resolves when the message was sent. */
  failed(error: unknown): Promise<void> {
    const { message = String(error), code, port, address } = Object(error) as Partial<StartFailure>;
    const failure = JSON.parse(JSON.stringify({ message, code, port, address })) as StartFailure;
    return new Promise((resolve) => {
      if (process.send === undefined || !process.connected) resolve();
      else process.send({ type: 'failed', failure } satisfies FromRole, () => resolve());
    });
  }

  peers(role: Role): readonly Peer[] {
    return this.#peers.filter((peer) => peer.role === role);
  }

  onConnection(port: ListenerName, take: (socket: Socket) => void): void {
    this.#connections.set(port, take);
  }

  receive(receiver: WireReceiver): void {
    this.#receiver = receiver;
  }

  /** Publishers are to leave this process. */
  onDrain(listener: (reason: DrainReason) => void): void {
    this.#draining.push(listener);
  }

  /** The last connection of a process that drains is closed. */
  drained(): void {
    this.#send({ type: 'drained' });
  }

  /** Has a process of the role started, unless one runs; or this one ended, which is of the role. */
  demand(role: OnDemand, isNeeded: boolean): void {
    this.#send({ type: 'demand', role, isNeeded });
  }

  /** Asks the supervisor; resolves with what it answers. */
  order(order: Order): Promise<ServerState> {
    this.#lastOrder++;
    const number = this.#lastOrder;
    return new Promise((resolve) => {
      this.#orders.set(number, resolve);
      this.#send({ type: 'order', number, order });
    });
  }

  /** With each ping of the supervisor, every two seconds or so: work at rest that needs no timer of its own. */
  onPing(listener: () => void): void {
    this.#pinged.push(listener);
  }

  /** Sends to one process or to all of a role. Messages to an ended process are dropped. */
  send(to: number | Role, subject: string, body: object): void {
    this.#send({ type: 'message', to, subject, body });
  }

  /** Closes the channel, which would keep the process alive. */
  leave(): void {
    process.removeAllListeners('disconnect');
    if (process.connected) process.disconnect();
  }

  #stateCame({ number, state }: ToRole & { readonly type: 'state' }): void {
    this.#orders.get(number)?.(state);
    this.#orders.delete(number);
  }

  #pong({ supervisor }: ToRole & { readonly type: 'ping' }): void {
    this.supervisor = supervisor;
    this.#send({ type: 'pong' });
    for (const listener of this.#pinged) listener();
  }

  #send(message: FromRole): void {
    if (process.connected) process.send?.(message, ignored);
  }

  #connection({ port, number }: ToRole & { readonly type: 'connection' }, socket: Socket | undefined): void {
    this.#send({ type: 'taken', number });
    // The client disconnected before its socket arrived.
    if (socket === undefined) return;
    const take = this.#connections.get(port);
    if (take === undefined) socket.destroy();
    else take(socket);
  }

  #message({ from, subject, body }: ToRole & { readonly type: 'message' }): void {
    // Both sides are the same program, so a body is what its subject says.
    if (subject === 'call') this.#receiver?.takeCall(from, body as CallBody);
    else if (subject === 'answer') this.#receiver?.takeAnswer(body as AnswerBody);
  }

  #usePeers({ peers, restarts, isDraining = false, idle = [] }: ToRole & { readonly type: 'peers' }): void {
    this.#restarts = restarts;
    this.isDraining = isDraining;
    this.idle = idle;
    const gone = this.#peers.filter(({ id }) => !peers.some((peer) => peer.id === id));
    this.#peers = peers;
    for (const { id } of gone) this.#receiver?.forget(id);
    this.#receiver?.meet();
  }
}
