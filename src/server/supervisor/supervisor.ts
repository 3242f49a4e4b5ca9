/**
 * Runs the server as one process per role, so that untrusted input to one role cannot end, delay or lose a packet of
 * another. The supervisor holds the public ports, starts the roles, forwards their messages, replaces processes that end
 * or hang, and replaces all of them when an operator asks. It processes no untrusted input itself.
 */
import type { Socket } from 'node:net';
import {
  LISTENERS,
  type Listener,
  type ListenerName,
  type ListenerPorts,
  type PublicPorts,
} from '../../config/listeners.js';
import type { SentSettings } from '../../config/sent-settings.js';
import { isLoopback } from '../../config/settings/networks.js';
import type { Closers } from '../system/closers.js';
import type { ProcessLog } from '../system/log.js';
import { type ProcessUsage, UsageMeter } from '../system/process-usage.js';
import { WAITING_LIMITS } from './limits.js';
import { type OnDemand, type Order, type Peer, PROTOCOL, type Role } from './messages.js';
import { Operations } from './operations.js';
import { type IngestState, ProbePort } from './probe-port.js';
import { PublicPort } from './public-port.js';
import { PING_EVERY_MS, type RoleOwner, RoleProcess } from './role-process.js';
import { Slot, type SlotOwner } from './slot.js';

/** Shorter than the shutdown time of the whole server: the store closes last, after the others have written. */
const STOP_MS = 11_000;
const STOP_STORE_MS = 2_000;
/** A process without work has only its files and connections to close. Whatever calls it meanwhile waits. */
const STOP_IDLE_MS = 5_000;
/** Sent with each ping of the web process. A shorter interval would wake an idle machine. */
const USAGE_EVERY_MS = PING_EVERY_MS;

export interface SupervisorOptions {
  readonly host: string;
  readonly ports: ListenerPorts;
  readonly probe: { readonly host: string; readonly port: number } | undefined;
  /** The HTTP port speaks TLS. */
  readonly https: boolean;
  /** Processes of each role; zero for a role that this server does not run. */
  readonly processes: Readonly<Record<Role, number>>;
  /** Roles that start when they are called for, not with the server. */
  readonly onDemand: ReadonlySet<Role>;
  readonly script: string;
  readonly settings: SentSettings;
  /** Whether the address is a trusted proxy's. */
  readonly isProxy: (address: string) => boolean;
  readonly log: ProcessLog;
}

export class Supervisor implements RoleOwner, SlotOwner {
  readonly #options: SupervisorOptions;
  readonly #slots: readonly Slot[];
  readonly #ports = new Map<Listener, PublicPort>();
  readonly #usage: UsageMeter;
  #inUse: PublicPorts = { rtmpsPort: 0, httpPort: 0 };
  #lastId = 0;
  #lastGiven = 0;
  readonly #operations: Operations;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { processes, log } = options;
    this.#usage = new UsageMeter(log, USAGE_EVERY_MS);
    const roles: readonly Role[] = ['store', 'ingest', 'media', 'web', 'forward'];
    this.#slots = roles.flatMap((role) => Array.from({ length: processes[role] }, () => this.#slot(role)));
    this.#operations = new Operations({
      slots: this.#slots,
      drainS: options.settings.drainS,
      log,
      closeStreamPorts: () => {
        for (const [{ role }, port] of this.#ports) if (role === 'ingest') port.close();
      },
    });
  }

  /** Binds the ports, starts the roles and resolves when all are ready. Opened resources are registered with `closers`. */
  async start(closers: Closers, signal: AbortSignal): Promise<PublicPorts> {
    this.#inUse = await this.#listen(closers);
    signal.throwIfAborted();
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    aborted.catch(() => undefined);
    const slots = (isWanted: (role: Role) => boolean) => this.#slots.filter(({ role }) => isWanted(role));
    const stores = slots((role) => role === 'store');
    const { onDemand } = this.#options;
    const others = slots((role) => role !== 'store' && !onDemand.has(role));
    const called = slots((role) => onDemand.has(role));
    // One timer for all, so that an idle machine wakes up once.
    const pings = setInterval(() => this.#ping(), PING_EVERY_MS);
    closers.add('pings', () => clearInterval(pings));
    closers.add('store role', () => this.#stop(stores, STOP_STORE_MS));
    closers.add('roles', () => this.#stop([...others, ...called], STOP_MS));
    // The other roles read the files of the store and write through its process. They load their code while it opens.
    const store = Promise.all(stores.map((slot) => slot.start()));
    const all = Promise.all(others.map((slot) => slot.start(store)));
    await Promise.race([aborted, Promise.all([store, all])]);
    return this.#inUse;
  }

  /** An operator's order; what takes longer goes on after the call. */
  obey(order: Order): void {
    if (order === 'drain') {
      this.#operations.drain();
      this.#tellPeers();
    } else if (order === 'reload') this.#operations.reload();
  }

  #ping(): void {
    for (const slot of this.#slots) slot.ping();
  }

  async #listen(closers: Closers): Promise<PublicPorts> {
    const { ports, probe } = this.#options;
    const inUse: Record<string, number> = {};
    for (const listener of LISTENERS) {
      const number = ports[listener.name];
      if (number !== undefined) inUse[`${listener.name}Port`] = await this.#open(closers, listener, number);
    }
    const all: PublicPorts = { httpPort: 0, rtmpsPort: 0, ...inUse };
    if (probe !== undefined) await this.#openProbePort(closers, probe, all.httpPort);
    return all;
  }

  async #open(closers: Closers, listener: Listener, number: number): Promise<number> {
    const { host, log, isProxy, settings } = this.#options;
    const { name, protocol, role } = listener;
    const isOfEncoders = role === 'ingest';
    const port = new PublicPort({
      host,
      port: number,
      protocol,
      log,
      waiting: isOfEncoders ? settings.maxConnections : WAITING_LIMITS.waiting,
      isShared: (address) => isOfEncoders && (isLoopback(address) || isProxy(address)),
      give: (socket) => this.#give(listener, socket),
    });
    const inUse = await port.listen();
    closers.add(`port ${name}`, () => port.close());
    this.#ports.set(listener, port);
    return inUse;
  }

  async #openProbePort(
    closers: Closers,
    at: { readonly host: string; readonly port: number },
    httpPort: number,
  ): Promise<void> {
    const { host: httpHost, https, log } = this.#options;
    const ingest = () => this.#ingestState();
    const probe = new ProbePort({ ...at, log, isTls: https, httpHost, httpPort, ingest });
    await probe.listen();
    closers.add('probe port', () => probe.close());
  }

  #ingestState(): IngestState {
    const ready = this.#taking().filter(({ role }) => role === 'ingest');
    if (ready.length > 0 && ready.every(({ isStopped }) => isStopped)) return 'stopped';
    if (this.#operations.state.drain !== 'no') return 'draining';
    return ready.length > 0 ? 'ok' : 'no ingest process runs';
  }

  /** Processes of one role take connections in turn. */
  #give({ name: port, role }: Listener, socket: Socket): boolean {
    const ready = this.#taking().filter((process) => process.role === role);
    this.#lastGiven++;
    for (let at = 0; at < ready.length; at++) {
      if (ready[(this.#lastGiven + at) % ready.length]?.take({ port, socket })) return true;
    }
    return false;
  }

  /** The processes that take new work. */
  #taking(): RoleProcess[] {
    return this.#slots.flatMap(({ ready }) => ready ?? []);
  }

  /** Those that were replaced and have not ended yet. */
  #retiring(): RoleProcess[] {
    return this.#slots.flatMap(({ retiring }) => retiring ?? []);
  }

  /** A replaced ingest process still has streams, so it is asked about them. */
  #asked(): RoleProcess[] {
    return [...this.#taking(), ...this.#retiring().filter(({ role }) => role === 'ingest')];
  }

  #slot(role: Role): Slot {
    return new Slot({ role, log: this.#options.log, owner: this });
  }

  fork(role: Role): RoleProcess {
    const { script, log } = this.#options;
    this.#lastId++;
    const child = new RoleProcess({ id: this.#lastId, role, script, log, owner: this });
    void child.exited.then((left) => {
      for (const { port, socket } of left) this.#portOf(port)?.accept(socket);
    });
    return child;
  }

  /** Starts a process of a role that runs only while it is needed, or ends the one that says that it is not. */
  demand(from: RoleProcess, role: OnDemand, isNeeded: boolean): void {
    for (const slot of this.#slots) {
      if (slot.role !== role) continue;
      if (isNeeded) slot.call();
      else slot.rest(from, STOP_IDLE_MS);
    }
  }

  begin(child: RoleProcess): void {
    const { settings } = this.#options;
    child.start({ type: 'start', protocol: PROTOCOL, ports: this.#inUse, settings });
  }

  tellChange(role: Role): void {
    this.#tellPeers();
    this.giveWaiting(role);
  }

  answer(order: Order, from: RoleProcess, number: number): void {
    this.obey(order);
    from.send({ type: 'state', number, state: this.#operations.state });
  }

  usage(): ProcessUsage {
    return this.#usage.now();
  }

  #portOf(name: ListenerName): PublicPort | undefined {
    return [...this.#ports].find(([listener]) => listener.name === name)?.[1];
  }

  giveWaiting(role: Role): void {
    for (const [listener, port] of this.#ports) if (listener.role === role) port.giveWaiting();
  }

  #restartCounts(): Partial<Record<Role, number>> {
    const counts: Partial<Record<Role, number>> = {};
    for (const { role, restarts } of this.#slots) counts[role] = (counts[role] ?? 0) + restarts;
    return counts;
  }

  forward(from: RoleProcess, to: number | Role, subject: string, body: object): void {
    const receivers =
      typeof to === 'number'
        ? [...this.#taking(), ...this.#retiring()].filter(({ id }) => id === to)
        : this.#asked().filter(({ role }) => role === to);
    for (const process of receivers) process.send({ type: 'message', from: from.id, subject, body });
  }

  #tellPeers(): void {
    const asked = this.#asked();
    const restarts = this.#restartCounts();
    const isDraining = this.#operations.state.drain !== 'no';
    const idle = this.#slots.filter(({ isIdle }) => isIdle).map(({ role }) => role);
    for (const each of [...this.#taking(), ...this.#retiring()]) {
      const peers: Peer[] = asked
        .filter((other) => other !== each)
        .map(({ id, role, holder }) => ({ id, role, holder }));
      each.send({ type: 'peers', peers, restarts, isDraining, idle });
    }
  }

  async #stop(slots: readonly Slot[], withinMs: number): Promise<void> {
    this.#operations.stop();
    await Promise.all(slots.map((slot) => slot.stop(withinMs)));
  }
}
