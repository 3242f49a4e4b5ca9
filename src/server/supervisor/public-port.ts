/**
 * A public port. The supervisor listens and accepts; a role's process gets the accepted socket. Replacing a process
 * therefore ends only its own connections: new ones wait until its successor is ready.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { addressGroup } from '../../lib/address-group.js';
import type { Log } from '../../ports/index.js';

/** Long enough for a role to be replaced. */
const WAIT_MS = 5_000;
/** Sockets that wait for a role to be replaced. */
const WAITING = 512;
const BACKLOG = 1_024;
/** Waiting sockets of one address (IPv6: of one /64), so that one address cannot use up the bound above. */
const WAITING_PER_ADDRESS = 256;

export interface PublicPortOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
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
      this.#server.listen({ host, port, backlog: BACKLOG }, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (error) => log.error({ error }, 'a public port failed'));
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
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
    if (this.#options.give(socket)) return;
    const group = addressGroup(socket.remoteAddress ?? '');
    const ofAddress = this.#perAddress.get(group) ?? 0;
    if (this.#waiting.size >= WAITING || ofAddress >= WAITING_PER_ADDRESS) {
      socket.destroy();
      return;
    }
    this.#perAddress.set(group, ofAddress + 1);
    const timer = setTimeout(() => socket.destroy(), WAIT_MS);
    this.#waiting.set(socket, timer);
    socket.once('close', () => {
      clearTimeout(timer);
      this.#waiting.delete(socket);
      const left = (this.#perAddress.get(group) ?? 1) - 1;
      if (left > 0) this.#perAddress.set(group, left);
      else this.#perAddress.delete(group);
    });
  }

  /** Stops accepting. Connections that were handed over end with their process, so they are not waited for. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#waiting.keys()) socket.destroy();
    this.#server.close();
  }
}
