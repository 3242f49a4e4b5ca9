/**
 * Runs the server as one process per role, so that untrusted input to one role cannot end, delay or lose a packet of
 * another. The supervisor holds the public ports, starts the roles, forwards their messages and replaces processes that end
 * or hang. It processes no untrusted input itself.
 */
import type { Socket } from 'node:net';
import type { SentSettings } from '../../config/sent-settings.js';
import type { Log } from '../../ports/index.js';
import type { Closers } from '../system/closers.js';
import { UsageMeter } from '../system/process-usage.js';
import type { Peer, PortName, PublicPorts, Role } from './messages.js';
import { ProbePort } from './probe-port.js';
import { PublicPort } from './public-port.js';
import { Restarts } from './restarts.js';
import { PING_EVERY_MS, RoleProcess } from './role-process.js';

/** Shorter than the shutdown time of the whole server: the store closes last, after the others have written. */
const STOP_MS = 11_000;
const STOP_STORE_MS = 2_000;
/** Sent with each ping of the web process. A shorter interval would wake an idle machine. */
const USAGE_EVERY_MS = PING_EVERY_MS;

export interface SupervisorOptions {
  readonly host: string;
  readonly ports: {
    readonly rtmps: number;
    readonly rtmp: number | undefined;
    readonly http: number;
    readonly probe: number | undefined;
  };
  /** The HTTP port speaks TLS. */
  readonly https: boolean;
  /** Processes of each role; zero for a role that this server does not run. */
  readonly processes: Readonly<Record<Role, number>>;
  readonly script: string;
  readonly settings: SentSettings;
  readonly log: Log;
}

/** One slot for a process of a role; replacements use the same slot. */
interface Slot {
  readonly role: Role;
  readonly restarts: Restarts;
  process?: RoleProcess;
  timer?: NodeJS.Timeout;
}

const ROLE_OF_PORT: Readonly<Record<PortName, Role>> = { rtmps: 'ingest', rtmp: 'ingest', http: 'web' };

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #slots: readonly Slot[];
  readonly #ports = new Map<PortName, PublicPort>();
  readonly #usage = new UsageMeter(USAGE_EVERY_MS);
  #inUse: PublicPorts = { rtmpsPort: 0, rtmpPort: undefined, httpPort: 0 };
  #lastId = 0;
  #lastGiven = 0;
  #stopping = false;
  #draining = false;
  #started = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { processes } = options;
    const roles: readonly Role[] = ['store', 'ingest', 'media', 'web'];
    this.#slots = roles.flatMap((role) =>
      Array.from({ length: processes[role] }, () => ({ role, restarts: new Restarts() })),
    );
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
    const others = slots((role) => role !== 'store');
    // One timer for all, so that an idle machine wakes up once.
    const pings = setInterval(() => this.#ping(), PING_EVERY_MS);
    closers.add('pings', () => clearInterval(pings));
    closers.add('store role', () => this.#stop(stores, STOP_STORE_MS));
    closers.add('roles', () => this.#stop(others, STOP_MS));
    // The other roles read the files of the store and write through its process. They load their code while it opens.
    const store = Promise.all(stores.map((slot) => this.#fork(slot)));
    const all = Promise.all(others.map((slot) => this.#fork(slot, store)));
    await Promise.race([aborted, Promise.all([store, all])]);
    this.#started = true;
    return this.#inUse;
  }

  /**
   * Takes no more streams: closes their ports, so that a balancer chooses another server, and lets the running ones leave.
   * Everything else goes on until the server is stopped.
   */
  drain(): void {
    if (this.#draining || this.#stopping) return;
    this.#draining = true;
    this.#options.log.info({}, 'draining: the ports of streams are closed');
    for (const name of ['rtmps', 'rtmp'] as const) this.#ports.get(name)?.close();
    for (const process of this.#running()) if (process.role === 'ingest') process.send({ type: 'drain' });
  }

  #ping(): void {
    for (const { process } of this.#slots) process?.ping();
  }

  async #listen(closers: Closers): Promise<PublicPorts> {
    const { ports } = this.#options;
    const open = async (name: PortName, number: number): Promise<number> => {
      const { host, log } = this.#options;
      const port = new PublicPort({ host, port: number, log, give: (socket) => this.#give(name, socket) });
      const inUse = await port.listen();
      closers.add(`port ${name}`, () => port.close());
      this.#ports.set(name, port);
      return inUse;
    };
    const httpPort = await open('http', ports.http);
    if (ports.probe !== undefined) await this.#openProbePort(closers, ports.probe, httpPort);
    return {
      httpPort,
      rtmpsPort: await open('rtmps', ports.rtmps),
      rtmpPort: ports.rtmp === undefined ? undefined : await open('rtmp', ports.rtmp),
    };
  }

  async #openProbePort(closers: Closers, port: number, httpPort: number): Promise<void> {
    const { host, https, log } = this.#options;
    const probe = new ProbePort({ host, port, log, isTls: https, httpPort: () => httpPort });
    await probe.listen();
    closers.add('probe port', () => probe.close());
  }

  /** Processes of one role take connections in turn. */
  #give(port: PortName, socket: Socket): boolean {
    const ready = this.#running().filter(({ role }) => role === ROLE_OF_PORT[port]);
    this.#lastGiven++;
    for (let at = 0; at < ready.length; at++) {
      if (ready[(this.#lastGiven + at) % ready.length]?.take({ port, socket })) return true;
    }
    return false;
  }

  #running(): RoleProcess[] {
    return this.#slots.flatMap(({ process }) => (process?.isReady ? [process] : []));
  }

  /** Resolves when the new process is ready. It begins when `may` has resolved. */
  async #fork(slot: Slot, may?: Promise<unknown>): Promise<void> {
    const { script, settings, log } = this.#options;
    this.#lastId++;
    const child: RoleProcess = new RoleProcess({
      id: this.#lastId,
      role: slot.role,
      script,
      log,
      onRoom: () => this.#giveWaiting(slot.role),
      onLeft: ({ port, socket }) => this.#ports.get(port)?.accept(socket),
      onMessage: (to, subject, body) => this.#forward(child, to, subject, body),
      onExit: () => this.#ended(slot, child),
      usage: () => this.#usage.now(),
    });
    slot.process = child;
    const start = () => child.start({ type: 'start', ports: this.#inUse, settings });
    // A store that does not open has failed the whole start.
    if (may === undefined) start();
    else void may.then(start, () => undefined);
    await child.ready;
    this.#tellPeers();
    this.#giveWaiting(slot.role);
  }

  #giveWaiting(role: Role): void {
    for (const [name, port] of this.#ports) if (ROLE_OF_PORT[name] === role) port.giveWaiting();
  }

  #restartCounts(): Partial<Record<Role, number>> {
    const counts: Partial<Record<Role, number>> = {};
    for (const { role, restarts } of this.#slots) counts[role] = (counts[role] ?? 0) + restarts.count;
    return counts;
  }

  #forward(from: RoleProcess, to: number | Role, subject: string, body: object): void {
    for (const process of this.#running()) {
      if (process.id === to || process.role === to) process.send({ type: 'message', from: from.id, subject, body });
    }
  }

  #tellPeers(): void {
    const running = this.#running();
    const restarts = this.#restartCounts();
    for (const each of running) {
      const peers: Peer[] = running
        .filter((other) => other !== each)
        .map(({ id, role, holder }) => ({ id, role, holder }));
      each.send({ type: 'peers', peers, restarts });
    }
  }

  #ended(slot: Slot, child: RoleProcess): void {
    if (slot.process === child) delete slot.process;
    this.#tellPeers();
    if (this.#stopping || !this.#started) return;
    const pauseMs = slot.restarts.pauseAfter(child.livedMs);
    this.#options.log.error(
      { role: slot.role, pid: child.pid, pauseMs },
      'a role process ended; another one is started',
    );
    slot.timer = setTimeout(() => {
      this.#fork(slot).catch((error: unknown) => {
        this.#options.log.error({ role: slot.role, error }, 'a role process did not start');
        slot.process?.kill('SIGKILL');
      });
    }, pauseMs);
  }

  async #stop(slots: readonly Slot[], withinMs: number): Promise<void> {
    this.#stopping = true;
    await Promise.all(
      slots.map(async ({ process, timer }) => {
        clearTimeout(timer);
        await process?.stop(withinMs);
      }),
    );
  }
}
