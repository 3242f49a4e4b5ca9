/**
 * The sockets of the HTTP port: a bound per address and one in total. At a bound, the longest idle socket is closed, so that
 * a client that shares its address with an attacker is still served. Sockets with a pending request and upgraded sockets are
 * never closed for another; if no other socket is left, the new one is refused.
 */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { addressGroup } from '../../lib/address-group.js';

export interface PlaceLimits {
  readonly perAddress: number;
  readonly total: number;
}

interface Group {
  size: number;
  /** Sockets without a pending request, the longest idle first. */
  readonly idle: Set<Place>;
}

interface Place {
  readonly socket: Socket;
  readonly group: Group;
  requests: number;
}

export class Places {
  /** Sockets closed or refused at a bound. */
  refused = 0;
  readonly #limits: PlaceLimits;
  /** Connections of declared proxies serve many clients, so only the total bound applies to them. */
  readonly #isProxy: (address: string) => boolean;
  readonly #groups = new Map<string, Group>();
  readonly #proxied: Group = { size: 0, idle: new Set() };
  readonly #places = new WeakMap<Duplex, Place>();
  /** By the addresses of both ends, until the TLS socket exists. */
  readonly #handshaking = new Map<string, Place>();
  readonly #all = new Set<Socket>();
  readonly #onEmpty: (() => void)[] = [];

  constructor(limits: PlaceLimits, isProxy: (address: string) => boolean) {
    this.#limits = limits;
    this.#isProxy = isProxy;
  }

  /** Counts a new socket until it closes. False: a bound was reached and the socket was destroyed. */
  admit(socket: Socket): boolean {
    const { remoteAddress } = socket;
    // Already closed, or a socket file, which is protected by its permissions.
    if (remoteAddress === undefined) return true;
    const isProxy = this.#isProxy(remoteAddress);
    const key = addressGroup(remoteAddress);
    const group = isProxy ? this.#proxied : (this.#groups.get(key) ?? { size: 0, idle: new Set() });
    if (!this.#makeRoom(group, isProxy)) {
      this.refused++;
      socket.destroy();
      return false;
    }
    const place: Place = { socket, group, requests: 0 };
    const ends = endsOf(socket);
    if (!isProxy) this.#groups.set(key, group);
    group.size++;
    group.idle.add(place);
    this.#all.add(socket);
    this.#places.set(socket, place);
    this.#handshaking.set(ends, place);
    socket.once('close', () => {
      group.idle.delete(place);
      group.size--;
      this.#all.delete(socket);
      if (this.#all.size === 0) for (const resolve of this.#onEmpty.splice(0)) resolve();
      if (group.size === 0 && this.#groups.get(key) === group) this.#groups.delete(key);
      if (this.#handshaking.get(ends) === place) this.#handshaking.delete(ends);
    });
    return true;
  }

  /** The TLS socket on top of an admitted one: requests come with this one. */
  secured(socket: Socket): void {
    const place = this.#handshaking.get(endsOf(socket));
    if (place === undefined) return;
    this.#handshaking.delete(endsOf(socket));
    this.#places.set(socket, place);
  }

  requestBegins(socket: Duplex): void {
    const place = this.#places.get(socket);
    if (place === undefined) return;
    place.requests++;
    place.group.idle.delete(place);
  }

  requestEnds(socket: Duplex): void {
    const place = this.#places.get(socket);
    if (place === undefined) return;
    place.requests--;
    if (place.requests === 0 && !place.socket.destroyed) place.group.idle.add(place);
  }

  /** Resolves when no socket is open. */
  whenEmpty(): Promise<void> {
    if (this.#all.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onEmpty.push(resolve));
  }

  /** Includes sockets that Node's server does not close: those in a TLS handshake, and upgraded ones. */
  closeAll(): void {
    for (const socket of this.#all) socket.destroy();
  }

  #makeRoom(group: Group, isProxy: boolean): boolean {
    if (!isProxy && group.size >= this.#limits.perAddress) return this.#closeIdleOf(group);
    if (this.#all.size < this.#limits.total) return true;
    return this.#closeIdleOf(this.#largest());
  }

  #largest(): Group | undefined {
    let largest: Group | undefined;
    for (const group of this.#groups.values()) {
      if (group.idle.size > 0 && group.size > (largest?.size ?? 0)) largest = group;
    }
    return largest;
  }

  #closeIdleOf(group: Group | undefined): boolean {
    const [oldest] = group?.idle ?? [];
    if (oldest === undefined) return false;
    this.refused++;
    // Its `close` event comes later, but it no longer counts.
    oldest.group.idle.delete(oldest);
    oldest.socket.destroy();
    return true;
  }
}

/** A TLS socket returns the addresses and ports of the underlying connection. */
function endsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
