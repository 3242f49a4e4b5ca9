/**
 * A public port. The supervisor listens and accepts; a role's process gets the accepted socket. Replacing a process
 * therefore ends only its own connections: new ones wait until its successor is ready.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { addressGroup } from '../../lib/address-group.js';
import { portOf } from '../../lib/sockets.js';
import type { Log } from '../../ports/index.js';
import { WAITING_LIMITS } from './limits.js';

const { waitMs, backlog, waitingPerAddress } = WAITING_LIMITS;

export interface PublicPortOptions {
  readonly host: string;
  readonly port: number;
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
  readonly #waiting = new Map<Socket, NodeJS.Timeout>();
  readonly #perAddress = new Map<string, number>();
  #isClosed = false;

  constructor(options: PublicPortOptions) {
    this.#options = options;
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => this.accept(socket));
  }

  /** Resolves with the port in use. @throws EADDRINUSE and the like, with `port` */
  listen(): Promise<number> {
    const { host, port, log } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port, backlog }, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (error) => log.error({ error }, 'a public port failed'));
        resolve(portOf(this.#server) ?? port);
      });
    });
  }

  /** A process of the role is ready: it gets the waiting sockets. */
  giveWaiting(): void {
    for (const [socket, timer] of this.#waiting) {
      if (!this.#options.give(socket)) return;
      clearTimeout(timer);
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
    const address = socket.remoteAddress ?? '';
    const group = this.#options.isShared(address) ? undefined : addressGroup(address);
    if (this.#waiting.size >= this.#options.waiting || this.#ofGroup(group) >= waitingPerAddress) {
      socket.destroy();
      return;
    }
    this.#count(group, 1);
    const timer = setTimeout(() => socket.destroy(), waitMs);
    this.#waiting.set(socket, timer);
    socket.once('close', () => {
      clearTimeout(timer);
      this.#waiting.delete(socket);
      this.#count(group, -1);
    });
  }

  #ofGroup(group: string | undefined): number {
    return group === undefined ? 0 : (this.#perAddress.get(group) ?? 0);
  }

  #count(group: string | undefined, change: number): void {
    if (group === undefined) return;
    const count = this.#ofGroup(group) + change;
    if (count > 0) this.#perAddress.set(group, count);
    else this.#perAddress.delete(group);
  }

  /** Stops accepting. Connections that were handed over end with their process, so they are not waited for. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#waiting.keys()) socket.destroy();
    this.#server.close();
  }
}
