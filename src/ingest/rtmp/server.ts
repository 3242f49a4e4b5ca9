/** The ingest side as one thing: listeners, connections, publications and the one clock that drives them. */
import type { Socket } from 'node:net';
import { BroadcastService } from '../../broadcasts/broadcast-service.js';
import { SHUT_DOWN } from '../../broadcasts/close-reasons.js';
import type { IngestDeps } from '../../broadcasts/deps.js';
import { Housekeeping, tolerateAway } from '../../broadcasts/housekeeping.js';
import { JudgeFactory } from '../../broadcasts/judge-factory.js';
import { INGEST_LIMITS } from '../../broadcasts/limits.js';
import { Preflights } from '../../broadcasts/preflights.js';
import { Publications } from '../../broadcasts/publications.js';
import { PublishGate } from '../../broadcasts/publish-gate.js';
import { StateWriter } from '../../broadcasts/state-writer.js';
import { addressGroup } from '../../lib/address-group.js';
import type { JournalEntry } from '../../ports/index.js';
import { ServiceError } from '../../spec/service-errors.js';
import { Connection } from './connection.js';
import { Listener, type Origin, type TlsMaterial } from './listener.js';

export interface IngestServerOptions {
  readonly host: string;
  readonly rtmpsPort: number;
  /** Absent: no plain listener. */
  readonly rtmpPort: number | undefined;
  readonly tls: TlsMaterial & { readonly maxVersion: 'TLSv1.2' | 'TLSv1.3' };
}

export interface IngestCounters {
  connectionsOpened: number;
  handshakeFailures: number;
  connectionsRefused: number;
  publishesRefused: Map<string, number>;
  /** Of connections that are closed; `totals` adds those that run. */
  bytesReceived: number;
  messagesReceived: number;
}

const SWEEP_EVERY_MS = 1_000;
const LOST_SWEEP_EVERY_MS = 5_000;

export class IngestServer {
  readonly broadcasts: BroadcastService;
  readonly publications: Publications;
  readonly counters: IngestCounters = {
    connectionsOpened: 0,
    handshakeFailures: 0,
    connectionsRefused: 0,
    publishesRefused: new Map(),
    bytesReceived: 0,
    messagesReceived: 0,
  };
  readonly #deps: IngestDeps;
  readonly #gate: PublishGate;
  readonly #preflights: Preflights;
  readonly #states: StateWriter;
  readonly #housekeeping: Housekeeping;
  readonly #connections = new Set<Connection>();
  readonly #notPublishing = new Map<string, number>();
  readonly #listeners: Listener[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sweepAtMs = 0;
  #lostAtMs = 0;
  #renewAtMs = 0;
  #sweeping: Promise<unknown> = Promise.resolve();
  #sweepIdle = true;

  constructor(deps: IngestDeps) {
    this.#deps = deps;
    this.#states = new StateWriter(deps.store, deps.clock);
    this.#preflights = new Preflights(deps);
    const judges = new JudgeFactory(deps);
    this.publications = new Publications(deps, this.#states, judges);
    this.#housekeeping = new Housekeeping(deps, this.#states, judges, this.publications);
    this.broadcasts = new BroadcastService(deps, this.#states, this.publications);
    this.#gate = new PublishGate(deps, this.broadcasts, this.publications);
  }

  /** Since the start of the process. */
  totals(): { bytesReceived: number; messagesReceived: number } {
    let { bytesReceived, messagesReceived } = this.counters;
    for (const connection of this.#connections) {
      bytesReceived += connection.bytesReceived;
      messagesReceived += connection.messagesReceived;
    }
    return { bytesReceived, messagesReceived };
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Steps of the recording's processing; one that the lifecycle does not have any more is no fault. */
  async processing(liveVideoId: string, step: 'processing-started' | 'processing-done'): Promise<void> {
    try {
      await this.#states.move(liveVideoId, { type: step, atMs: this.#deps.clock.wallMs() });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }

  /** The journal has these: now the encoders may be told. */
  onJournalled(entries: readonly JournalEntry[]): void {
    this.publications.onJournalled(entries);
  }

  /** Takes up what a stopped process left behind, then listens. Resolves with the ports in use. */
  async listen(options: IngestServerOptions): Promise<{ rtmpsPort: number; rtmpPort: number | undefined }> {
    await this.#housekeeping.sweepLost();
    this.#timer = setInterval(() => this.#tick(), INGEST_LIMITS.tickMs);
    const { tlsInFront, proxyProtocol, isTrustedAddress, isProxy } = this.#deps.settings;
    const common = {
      ...(proxyProtocol ? { proxies: isProxy } : {}),
      host: options.host,
      maxConnections: this.#deps.settings.maxConnections,
      log: this.#deps.log,
      hold: (address: string) => this.#hold(address),
      onRefused: (reason: string, detail: string) => this.#onRefused(reason, detail),
    };
    const secure = new Listener({
      ...common,
      port: options.rtmpsPort,
      tls: options.tls,
      onSocket: (socket, origin) => this.#accept(socket, origin, true),
    });
    this.#listeners.push(secure);
    const rtmpsPort = await secure.listen();
    if (options.rtmpPort === undefined) return { rtmpsPort, rtmpPort: undefined };
    const plain = new Listener({
      ...common,
      port: options.rtmpPort,
      // Only a trusted neighbour's word that TLS ended in front of us counts.
      onSocket: (socket, origin) => this.#accept(socket, origin, tlsInFront && isTrustedAddress(origin.peer)),
    });
    this.#listeners.push(plain);
    return { rtmpsPort, rtmpPort: await plain.listen() };
  }

  replaceCertificate(material: TlsMaterial): void {
    for (const listener of this.#listeners) listener.replaceCertificate(material);
  }

  #onRefused(reason: string, detail: string): void {
    if (reason === 'tls-handshake') this.counters.handshakeFailures++;
    else this.counters.connectionsRefused++;
    this.#deps.log.debug({ reason, detail }, 'connection refused');
  }

  /** One more of this address that is not publishing, handshakes among them; undefined when it has too many. */
  #hold(address: string): (() => void) | undefined {
    const group = addressGroup(address);
    const waiting = this.#notPublishing.get(group) ?? 0;
    if (waiting >= INGEST_LIMITS.connectionsPerAddress && !this.#deps.settings.isTrustedAddress(address)) {
      this.#onRefused('too-many-connections-of-address', address);
      return undefined;
    }
    this.#notPublishing.set(group, waiting + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (this.#notPublishing.get(group) ?? 1) - 1;
      if (left > 0) this.#notPublishing.set(group, left);
      else this.#notPublishing.delete(group);
    };
  }

  #accept(socket: Socket, { address, release }: Origin, secure: boolean): void {
    this.counters.connectionsOpened++;
    const connection = new Connection({
      socket,
      address,
      secure,
      deps: this.#deps,
      gate: this.#gate,
      publications: this.publications,
      startPreflight: (start) => this.#preflights.start(start),
      onRefusedPublish: (reason) => {
        this.counters.publishesRefused.set(reason, (this.counters.publishesRefused.get(reason) ?? 0) + 1);
      },
      onPublishing: release,
      onClosed: (closed) => {
        this.#connections.delete(closed);
        this.counters.bytesReceived += closed.bytesReceived;
        this.counters.messagesReceived += closed.messagesReceived;
      },
    });
    this.#connections.add(connection);
  }

  #tick(): void {
    const { clock } = this.#deps;
    const atMs = clock.monotonicMs();
    const wallMs = clock.wallMs();
    for (const connection of this.#connections) connection.tick(atMs);
    this.publications.tick(wallMs, atMs);
    this.#preflights.tick(wallMs, atMs);
    if (this.#sweepIdle) this.#sweep(atMs);
  }

  /** Store work of the clock; one round at a time, so that a slow store is asked once. */
  #sweep(atMs: number): void {
    const rounds: (() => Promise<void>)[] = [];
    if (atMs - this.#renewAtMs >= INGEST_LIMITS.leaseRenewMs) {
      this.#renewAtMs = atMs;
      rounds.push(() => this.publications.renewLeases());
    }
    if (atMs - this.#sweepAtMs >= SWEEP_EVERY_MS) {
      this.#sweepAtMs = atMs;
      this.#gate.forgetOldAddresses(atMs);
      rounds.push(() => this.#housekeeping.sweepDeadlines());
    }
    if (atMs - this.#lostAtMs >= LOST_SWEEP_EVERY_MS) {
      this.#lostAtMs = atMs;
      rounds.push(() => this.#housekeeping.sweepLost());
    }
    if (rounds.length === 0) return;
    this.#sweepIdle = false;
    const complain = tolerateAway(this.#deps.log);
    this.#sweeping = Promise.all(rounds.map((round) => round().catch(complain))).finally(() => {
      this.#sweepIdle = true;
    });
  }

  /** Refuses new connections, lets every publisher go in words; their broadcasts stay open for the grace time. */
  async close(): Promise<void> {
    const closing = this.#listeners.map((listener) => listener.close());
    clearInterval(this.#timer);
    await this.#sweeping;
    for (const connection of this.#connections) connection.closeWith(SHUT_DOWN);
    await this.publications.close();
    await this.#preflights.close();
    for (const connection of this.#connections) connection.destroy(SHUT_DOWN.cause);
    await Promise.all(closing);
  }
}

/** Addresses of this machine: the tests', the bench's and a local proxy's. */
export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
