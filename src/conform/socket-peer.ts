/** An ingest behind a socket: plain TCP or TLS. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { setTimeout as timer } from 'node:timers/promises';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { CONFORM_LIMITS } from './limits.js';
import { type Line, type Peer, type TlsFacts, UnreachableError, type Way } from './peer.js';
import { Unmet } from './verdicts.js';

/** Time as it passes, for runs over sockets. */
export function pause(ms: number): Promise<void> {
  return timer(ms);
}

export interface SocketPeerOptions {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  readonly app: string;
  readonly tcUrl: string;
  readonly insecure: boolean;
  /** PEM of trusted authorities; the system's when absent. */
  readonly authorities?: readonly string[] | undefined;
}

export class SocketPeer implements Peer {
  readonly isSecure: boolean;
  readonly isVerifying: boolean;
  readonly hasDeadlines = true;
  readonly app: string;
  readonly tcUrl: string;
  readonly #options: SocketPeerOptions;

  constructor(options: SocketPeerOptions) {
    this.#options = options;
    this.isSecure = options.isSecure;
    this.isVerifying = options.isSecure && !options.insecure;
    this.app = options.app;
    this.tcUrl = options.tcUrl;
  }

  open(way: Way = {}): Promise<Line> {
    const { host, port, isSecure, insecure, authorities } = this.#options;
    const { tls } = way;
    const socket =
      isSecure && tls !== 'none'
        ? connectTls({
            host,
            port,
            rejectUnauthorized: !insecure,
            ...(isIP(host) === 0 ? { servername: host } : {}),
            ...(authorities === undefined ? {} : { ca: [...authorities] }),
            ...tls,
          })
        : connectTcp({ host, port });
    const line = new SocketLine(socket);
    return new Promise((resolve, reject) => {
      const fail = (message: string, code: string) => {
        socket.destroy();
        reject(new UnreachableError(message, code));
      };
      socket.setTimeout(CONFORM_LIMITS.openMs, () => fail('timed out', 'ETIMEDOUT'));
      socket.once('error', (error: NodeJS.ErrnoException) => fail(error.message, error.code ?? 'ERROR'));
      socket.once('close', () => fail('the connection was closed', 'ECONNRESET'));
      socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
        socket.setTimeout(0);
        socket.setNoDelay(true);
        resolve(line);
      });
    });
  }
}

class SocketLine implements Line {
  readonly #socket: Socket;
  readonly #received: Uint8Array[] = [];
  #kept = 0;
  #burst = 0;
  #tickets = 0;
  #wake: () => void = () => undefined;
  #taken: () => void = () => undefined;
  #isEnded = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => {
      this.#kept += bytes.length;
      if (this.#kept > CONFORM_LIMITS.receivedBytes) socket.destroy();
      else this.#received.push(bytes);
      this.#wake();
    });
    socket.on('session', () => {
      this.#tickets++;
    });
    socket.on('drain', () => this.#taken());
    // A reset is one way of closing.
    socket.on('error', () => this.#closed());
    // Half-closed by the peer: nothing more comes.
    socket.on('end', () => this.#closed());
    socket.on('close', () => this.#closed());
  }

  get isClosed(): boolean {
    return this.#isEnded && this.#received.length === 0;
  }

  get tls(): TlsFacts | undefined {
    const socket = this.#socket;
    if (!(socket instanceof TLSSocket)) return undefined;
    return {
      protocol: socket.getProtocol() ?? '',
      cipher: socket.getCipher().name,
      certificate: socket.getPeerCertificate(true),
      tickets: this.#tickets,
    };
  }

  async send(bytes: Uint8Array): Promise<void> {
    this.#burst += bytes.length;
    if (this.#burst > CONFORM_LIMITS.burstBytes) {
      this.#burst = 0;
      await pause(CONFORM_LIMITS.burstPauseMs);
    }
    if (this.#isEnded || this.#socket.write(bytes)) return;
    const isTaken = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), CONFORM_LIMITS.timeoutMs);
      this.#taken = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
    if (!isTaken)
      throw new Unmet('the peer reads, or closes', `nothing was read for ${CONFORM_LIMITS.timeoutMs / 1000} s`);
  }

  async receive(withinMs: number): Promise<Uint8Array | undefined> {
    if (this.#received.length === 0 && !this.#isEnded && withinMs > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#received.shift();
  }

  close(how: 'end' | 'drop' | 'half'): void {
    if (how === 'drop') {
      this.#socket.destroy();
      return;
    }
    this.#socket.end();
    if (how === 'end') setTimeout(() => this.#socket.destroy(), CONFORM_LIMITS.closeGraceMs).unref();
  }

  #closed(): void {
    this.#isEnded = true;
    this.#wake();
    this.#taken();
  }
}
