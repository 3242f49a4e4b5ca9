/**
 * The sockets of the HTTP port, each in a place. Sockets with a pending request and upgraded sockets are never closed for
 * another.
 */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Place, type PlaceLimits, Places } from '../../lib/places.js';

interface Held {
  readonly socket: Socket;
  readonly place: Place;
  requests: number;
}

export class HttpPlaces {
  readonly #places: Places;
  readonly #held = new WeakMap<Duplex, Held>();
  /** By the addresses of both ends, until the TLS socket exists. */
  readonly #handshaking = new Map<string, Held>();
  readonly #all = new Set<Socket>();
  readonly #emptied: (() => void)[] = [];

  /** `isProxy`: connections of declared proxies serve many clients, so only the total bound applies to them. */
  constructor(limits: PlaceLimits, isProxy: (address: string) => boolean) {
    this.#places = new Places(limits, isProxy);
  }

  /** Sockets closed or refused at a bound. */
  get refused(): number {
    return this.#places.refused;
  }

  /** Counts a new socket until it closes. False: a bound was reached and the socket was destroyed. */
  admit(socket: Socket): boolean {
    const { remoteAddress } = socket;
    // Already closed, or a socket file, which is protected by its permissions.
    if (remoteAddress === undefined) return true;
    const place = this.#places.take(remoteAddress, () => socket.destroy());
    if (typeof place === 'string') {
      socket.destroy();
      return false;
    }
    const held: Held = { socket, place, requests: 0 };
    const ends = endsOf(socket);
    this.#all.add(socket);
    this.#held.set(socket, held);
    this.#handshaking.set(ends, held);
    socket.once('close', () => {
      place.leave();
      this.#all.delete(socket);
      if (this.#all.size === 0) for (const resolve of this.#emptied.splice(0)) resolve();
      if (this.#handshaking.get(ends) === held) this.#handshaking.delete(ends);
    });
    return true;
  }

  /** The TLS socket on top of an admitted one: requests come with this one. */
  secured(socket: Socket): void {
    const held = this.#handshaking.get(endsOf(socket));
    if (held === undefined) return;
    this.#handshaking.delete(endsOf(socket));
    this.#held.set(socket, held);
  }

  requestBegins(socket: Duplex): void {
    const held = this.#held.get(socket);
    if (held === undefined) return;
    held.requests++;
    held.place.become('busy');
  }

  requestEnds(socket: Duplex): void {
    const held = this.#held.get(socket);
    if (held === undefined) return;
    held.requests--;
    if (held.requests === 0 && !held.socket.destroyed) held.place.become('idle');
  }

  /** Resolves when no socket is open. */
  whenEmpty(): Promise<void> {
    if (this.#all.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#emptied.push(resolve));
  }

  /** Includes sockets that Node's server does not close: those in a TLS handshake, and upgraded ones. */
  closeAll(): void {
    for (const socket of this.#all) socket.destroy();
  }
}

/** A TLS socket returns the addresses and ports of the underlying connection. */
function endsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
