/**
 * A public port. The supervisor listens and accepts; a role's process gets the accepted socket. Replacing a process
 * therefore ends only its own connections: new ones wait until its successor is ready.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { type Place, Places } from '../../lib/places.js';
import { portOf } from '../../lib/sockets.js';
import type { Log } from '../../ports/index.js';
import { WAITING_LIMITS } from './limits.js';

const { waitMs, backlog, waitingPerAddress } = WAITING_LIMITS;

export interface PublicPortOptions {
  readonly host: string;
  readonly port: number;
  readonly protocol: string;
  readonly log: Log;
  /** Sockets that may wait at the same time. */
  readonly waiting: number;
  /** Addresses that many clients share, or this machine: they are bounded by `waiting` alone. */
  readonly isShared: (address: string) => boolean;
  /** False: no process can take the socket now. */
  readonly give: (socket: Socket) => boolean;
}

export class PublicPort {
  readonly #server: Server;
  readonly #options: PublicPortOptions;
  readonly #waiting = new Map<Socket, { readonly timer: NodeJS.Timeout; readonly place: Place }>();
  readonly #places: Places;
  #isClosed = false;

  constructor(options: PublicPortOptions) {
    this.#options = options;
    this.#places = new Places({ perAddress: waitingPerAddress, total: options.waiting }, options.isShared);
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => this.accept(socket));
  }

  /** Resolves with the port in use. @throws EADDRINUSE and the like, with `port` */
  listen(): Promise<number> {
    const { host, port, protocol, log } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port, backlog }, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (error) => log.error({ error, protocol }, 'a public port failed'));
        resolve(portOf(this.#server) ?? port);
      });
    });
  }

  /** A process of the role is ready: it gets the waiting sockets. */
  giveWaiting(): void {
    for (const [socket, { timer, place }] of this.#waiting) {
      if (!this.#options.give(socket)) return;
      clearTimeout(timer);
      place.leave();
      this.#waiting.delete(socket);
    }
  }

  /** Gives the socket to a process, or holds it until there is one. */
  accept(socket: Socket): void {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    socket.on('error', () => socket.destroy());
    // Those that wait already go first: their time is running out.
    if (this.#waiting.size === 0 && this.#options.give(socket)) return;
    const place = this.#places.take(socket.remoteAddress ?? '', () => {
      this.#waiting.delete(socket);
      socket.destroy();
    });
    if (typeof place === 'string') {
      socket.destroy();
      return;
    }
    const timer = setTimeout(() => socket.destroy(), waitMs);
    this.#waiting.set(socket, { timer, place });
    socket.once('close', () => {
      clearTimeout(timer);
      place.leave();
      this.#waiting.delete(socket);
    });
  }

  /** Stops accepting. Connections that were handed over end with their process, so they are not waited for. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#waiting.keys()) socket.destroy();
    this.#server.close();
  }
}
