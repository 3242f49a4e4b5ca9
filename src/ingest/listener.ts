/** Accepts connections: TLS ends here, or came to an end in front of us. Limits before anything is parsed. */
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { Log } from '../ports.js';
import { INGEST_LIMITS } from './limits.js';
import { takeProxyHeader } from './proxied-socket.js';

export interface TlsMaterial {
  /** PEM, the whole chain. */
  readonly cert: string;
  readonly key: string;
}

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly maxConnections: number;
  /** Absent: plain RTMP. */
  readonly tls?: TlsMaterial & { readonly maxVersion: 'TLSv1.2' | 'TLSv1.3' };
  readonly log: Log;
  /** Networks that must send a PROXY header; absent: nobody's is taken. */
  readonly proxies?: (address: string) => boolean;
  /** `address` is the client's; `peer` is who connected to us, which differs behind a proxy. */
  readonly onSocket: (socket: Socket, address: string, peer: string) => void;
  readonly onRefused: (reason: 'too-many-connections' | 'tls-handshake' | 'proxy-header', detail: string) => void;
}

export class Listener {
  readonly #options: ListenerOptions;
  /** What listens. */
  readonly #server: Server;
  readonly #tls: TlsServer | undefined;
  /** Clients behind proxies by the proxy's address and port, from their header to the end of their connection. */
  readonly #behindProxy = new Map<string, string>();

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#tls = options.tls === undefined ? undefined : this.#secure(options.tls);
    if (options.proxies !== undefined) this.#server = createTcpServer((socket) => this.#throughProxy(socket));
    else this.#server = this.#tls ?? createTcpServer((socket) => this.#hand(socket));
    this.#server.maxConnections = options.maxConnections;
    this.#server.on('drop', () => options.onRefused('too-many-connections', `${options.maxConnections}`));
    this.#server.on('error', (error) => options.log.error({ error }, 'the listener failed'));
  }

  #secure(tls: NonNullable<ListenerOptions['tls']>): TlsServer {
    const server = createTlsServer(
      {
        cert: tls.cert,
        key: tls.key,
        minVersion: 'TLSv1.2',
        // Node sends TLS 1.3 session tickets that OBS builds with Mbed TLS 3.6 take for a read error.
        maxVersion: tls.maxVersion,
        handshakeTimeout: INGEST_LIMITS.tlsHandshakeMs,
      },
      (socket) => this.#hand(socket),
    );
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      this.#options.onRefused('tls-handshake', error.code ?? error.message);
      socket.destroy();
    });
    return server;
  }

  #throughProxy(socket: Socket): void {
    const goOn = (): void => {
      if (this.#tls === undefined) this.#hand(socket);
      else this.#tls.emit('connection', socket);
    };
    if (!this.#options.proxies?.(plainAddress(socket.remoteAddress))) {
      goOn();
      return;
    }
    const peer = peerOf(socket);
    takeProxyHeader(
      socket,
      (address) => {
        this.#behindProxy.set(peer, plainAddress(address));
        socket.once('close', () => this.#behindProxy.delete(peer));
        goOn();
      },
      (code) => this.#options.onRefused('proxy-header', code),
    );
  }

  #hand(socket: Socket): void {
    const peer = plainAddress(socket.remoteAddress);
    this.#options.onSocket(socket, this.#behindProxy.get(peerOf(socket)) ?? peer, peer);
  }

  /** Resolves with the port in use. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: this.#options.host, port: this.#options.port, backlog: 1024 }, () => {
        this.#server.off('error', reject);
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : this.#options.port);
      });
    });
  }

  /** New handshakes use the new certificate; running connections are not touched. */
  replaceCertificate(material: TlsMaterial): void {
    const maxVersion = this.#options.tls?.maxVersion ?? 'TLSv1.2';
    this.#tls?.setSecureContext({ ...material, minVersion: 'TLSv1.2', maxVersion });
  }

  /** Stops accepting. */
  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/** A TLS socket answers with the address and port of the connection beneath it. */
function peerOf(socket: Socket): string {
  return `${socket.remoteAddress}:${socket.remotePort}`;
}

/** `::ffff:192.0.2.1` is 192.0.2.1. */
function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=\d+\.)/, '');
}
