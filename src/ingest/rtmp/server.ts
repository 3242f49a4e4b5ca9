/** RTMP and RTMPS: connections and their limits. Publishes and packets go to the broadcasts. */
import type { Socket } from 'node:net';
import type { BroadcastEngine, Clocked } from '../../broadcasts/broadcast-engine.js';
import { SHUT_DOWN } from '../../broadcasts/publisher/close-reasons.js';
import { Places } from '../../lib/places.js';
import { readOutOfOrder, readWaiting } from '../sockets/kernel-queues.js';
import {
  Listener,
  type Origin,
  type Protocol,
  type RefusedConnection,
  type TlsMaterial,
  type TlsSettings,
} from '../sockets/listener.js';
import { ReadPace } from '../sockets/read-pace.js';
import type { RtmpDeps } from './connection.js';
import { Connection, type Drain } from './connection.js';
import { CONNECTION_LIMITS } from './limits.js';

/** In the audit log. The limit of the server has one line for all addresses. */
const LIMIT_OF_SERVER = 'limit reached: RTMP connections of this server';
const LIMIT_OF_ADDRESS = 'limit reached: RTMP connections of an address';

export interface RtmpCounters {
  connectionsOpened: number;
  handshakeFailures: number;
  connectionsRefused: number;
  publishesRefused: Map<string, number>;
  /** Bytes of closed connections; `totals` adds those that run. */
  bytesReceived: number;
  messagesReceived: number;
}

export class RtmpServer implements Clocked, Protocol {
  readonly counters: RtmpCounters = {
    connectionsOpened: 0,
    handshakeFailures: 0,
    connectionsRefused: 0,
    publishesRefused: new Map(),
    bytesReceived: 0,
    messagesReceived: 0,
  };
  readonly #deps: RtmpDeps;
  readonly #engine: BroadcastEngine;
  readonly #connections = new Set<Connection>();
  readonly #places: Places;
  readonly #listeners: Listener[] = [];
  readonly #pace: ReadPace;
  #isHerd = false;
  /** The last look at the kernel's sockets; Infinity during one, and where it shows none. */
  #lookedAtMs = 0;
  #drain: Drain | undefined;
  /** Ends the wait for the last connection and handshake. */
  #drained: (() => void) | undefined;
  /** Ends the wait for the last connection. */
  #allClosed: (() => void) | undefined;

  constructor(engine: BroadcastEngine, deps: RtmpDeps) {
    this.#engine = engine;
    this.#deps = deps;
    const { maxConnections: total, isTrustedAddress } = deps.settings;
    this.#places = new Places({ perAddress: CONNECTION_LIMITS.connectionsPerAddress, total }, isTrustedAddress);
    this.#pace = new ReadPace(deps.settings.readIntervalMs);
    deps.optimizeSoon(true);
    engine.join(this);
  }

  /** Advances the deadlines of the connections, by the clock of the broadcasts. */
  tick(atMs: number): void {
    for (const connection of this.#connections) connection.tick(atMs);
    this.#watchHerd();
    if (atMs - this.#lookedAtMs >= CONNECTION_LIMITS.receiveQueueMs) void this.#lookAtSockets(atMs);
  }

  #watchHerd(): void {
    const isHerd = this.#connections.size - this.#pace.members > CONNECTION_LIMITS.herd;
    if (isHerd === this.#isHerd) return;
    this.#isHerd = isHerd;
    this.#deps.optimizeSoon(!isHerd);
  }

  get isIdle(): boolean {
    return this.#connections.size === 0;
  }

  /**
   * Tells each connection how many of its bytes wait in the kernel, and those that were interrupted how many segments came out
   * of order. One look at a time.
   */
  async #lookAtSockets(atMs: number): Promise<void> {
    if (this.#connections.size === 0) return;
    this.#lookedAtMs = Number.POSITIVE_INFINITY;
    const interrupted = [...this.#connections].filter(({ target }) => target?.takeInterruptions?.() === true);
    if (interrupted.length === 0 && this.#allRest) {
      for (const { target } of this.#connections) target?.takeSocket?.({ waitingBytes: 0, outOfOrder: undefined });
      this.#lookedAtMs = atMs;
      return;
    }
    const keys = interrupted.map(({ socketKey }) => socketKey);
    const [waiting, outOfOrder] = await Promise.all([readWaiting(), readOutOfOrder(keys)]);
    if (waiting === undefined) return;
    this.#lookedAtMs = atMs;
    for (const { target, socketKey: key, restingBytes } of this.#connections) {
      const queued = waiting.get(key);
      const waitingBytes = queued === undefined ? undefined : Math.max(0, queued - restingBytes);
      target?.takeSocket?.({ waitingBytes, outOfOrder: outOfOrder.get(key) });
    }
  }

  /** The turns empty all sockets, so a look at those of the kernel, which costs 3 ms for whatever few, would find nothing. */
  get #allRest(): boolean {
    for (const { restingBytes } of this.#connections) if (restingBytes === 0) return false;
    return true;
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

  /** Takes connections that another process accepted on its ports. */
  take(tls: TlsMaterial & TlsSettings): { secure: (socket: Socket) => void; plain: (socket: Socket) => void } {
    const [secure, plain] = [this.#listener(tls), this.#listener(undefined)];
    return { secure: (socket) => secure.take(socket), plain: (socket) => plain.take(socket) };
  }

  #listener(tls: (TlsMaterial & TlsSettings) | undefined): Listener {
    const { proxyProtocol, isProxy } = this.#deps.settings;
    const listener = new Listener({
      ...(proxyProtocol ? { proxies: isProxy } : {}),
      ...(tls === undefined ? {} : { tls }),
      places: this.#places,
      log: this.#deps.log,
      protocol: this,
    });
    this.#listeners.push(listener);
    return listener;
  }

  /**
   * Resolves when no connection is left, at the latest after the grace time. ffmpeg reads one message per ten packets: on a
   * socket that is destroyed before, its next write fails, and the status is never shown.
   */
  #withinGrace(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, CONNECTION_LIMITS.closeGraceMs);
      this.#allClosed = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#connections.size === 0) this.#allClosed();
    });
  }

  replaceCertificate(material: TlsMaterial): void {
    for (const listener of this.#listeners) listener.replaceCertificate(material);
  }

  refused({ reason, bound, ...facts }: RefusedConnection): void {
    if (reason === 'tls-handshake') this.counters.handshakeFailures++;
    else this.counters.connectionsRefused++;
    const { address: from } = facts;
    const { refusals, strangers } = this.#deps;
    if (bound === 'total') refusals.add({ action: LIMIT_OF_SERVER, from }, 'server');
    if (bound === 'address') refusals.add({ action: LIMIT_OF_ADDRESS, from });
    // Port checks of a balancer end like this every few seconds.
    if (facts.code === 'ECONNRESET') strangers.debug({ reason, ...facts }, 'connection refused');
    else strangers.info({ reason, ...facts }, 'connection refused');
  }

  left(): void {
    // Handshakes count: the encoder behind one is about to publish.
    if (this.#connections.size === 0 && this.#places.size === 0) this.#drained?.();
  }

  accept(socket: Socket, { address, peer, place }: Origin, isTls: boolean): void {
    this.counters.connectionsOpened++;
    const { tlsInFront, isTrustedAddress } = this.#deps.settings;
    const connection = new Connection({
      socket,
      address,
      place,
      // A plain connection is secure only if a trusted neighbor ended TLS in front of us.
      secure: isTls || (tlsInFront && isTrustedAddress(peer)),
      deps: this.#deps,
      pace: this.#pace,
      desk: this.#engine,
      refused: this.counters.publishesRefused,
    });
    this.#connections.add(connection);
    this.#watchHerd();
    socket.once('close', () => this.#closed(connection));
    if (this.#drain !== undefined) connection.drain(this.#drain);
    this.#engine.wake();
  }

  #closed(connection: Connection): void {
    this.#connections.delete(connection);
    this.left();
    if (this.#connections.size === 0) this.#allClosed?.();
    this.counters.bytesReceived += connection.bytesReceived;
    this.counters.messagesReceived += connection.messagesReceived;
  }

  /** Asks publishers to leave; those that are still there at `atMs` are disconnected. Resolves when no connection is left. */
  drain(drain: Drain): Promise<void> {
    this.#drain ??= drain;
    for (const connection of this.#connections) connection.drain(this.#drain);
    return new Promise((resolve) => {
      this.#drained = resolve;
      this.left();
    });
  }

  /**
   * Sends each publisher a closing status. To be called before the broadcasts close; the answer, after
   * that: it destroys the connections that are left after the grace time.
   */
  stop(): () => Promise<void> {
    for (const connection of this.#connections) connection.closeWith(SHUT_DOWN);
    const left = this.#withinGrace();
    return async () => {
      await left;
      for (const connection of this.#connections) connection.destroy(SHUT_DOWN.cause);
    };
  }
}

/** Addresses of this machine: the tests', the bench's and a local proxy's. */
export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
