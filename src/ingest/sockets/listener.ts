/** Accepts connections: TLS ends here, or came to an end in front of us. Limits before anything is parsed. */
import { constants } from 'node:crypto';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type SecureContextOptions, type Server as TlsServer } from 'node:tls';
import { portOf } from '../../lib/sockets.js';
import { cipherList, type TlsSuites } from '../../lib/tls-suites.js';
import type { Log } from '../../ports/index.js';
import { SOCKET_LIMITS } from './limits.js';
import { takeProxyHeader } from './proxied-socket.js';

export interface TlsMaterial {
  /** PEM, the whole chain. */
  readonly cert: string;
  readonly key: string;
}

export interface TlsSettings {
  readonly maxVersion: 'TLSv1.2' | 'TLSv1.3';
  /** `modern` by default. */
  readonly suites?: TlsSuites;
}

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly maxConnections: number;
  /** Absent: plain RTMP. */
  readonly tls?: TlsMaterial & TlsSettings;
  readonly log: Log;
  /** Networks that must send a PROXY header; absent: the header is not accepted. */
  readonly proxies?: (address: string) => boolean;
  /** Counts a connection of this address from before its handshake; the answer ends the count. Undefined: it has too many. */
  readonly hold: (address: string) => (() => void) | undefined;
  readonly onSocket: (socket: Socket, origin: Origin) => void;
  /** `address`: of the peer, where it is known. */
  readonly onRefused: (
    reason: 'too-many-connections' | 'tls-handshake' | 'proxy-header',
    detail: string,
    address?: string,
  ) => void;
}

export interface Origin {
  /** The client's. */
  readonly address: string;
  /** Who connected to us, which differs behind a proxy. */
  readonly peer: string;
  /** The connection publishes, or is gone: it does not count any more. */
  readonly release: () => void;
}

export class Listener {
  readonly #options: ListenerOptions;
  /** What listens; TLS begins once the address is known and may come in. */
  readonly #server: Server;
  readonly #tls: TlsServer | undefined;
  /** Of running connections, by address and port of the peer. */
  readonly #origins = new Map<string, Origin>();
  #taken = 0;
  /** Of another process, not begun yet. */
  readonly #arrived: Socket[] = [];

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#tls = options.tls === undefined ? undefined : this.#secure(options.tls);
    this.#server = createTcpServer({ noDelay: true }, (socket) => this.#incoming(socket));
    this.#server.maxConnections = options.maxConnections;
    this.#server.on('drop', (peer) => this.#full(peer?.remoteAddress));
  }

  #secure(tls: NonNullable<ListenerOptions['tls']>): TlsServer {
    const server = createTlsServer(
      { ...contextOptions(tls, tls), handshakeTimeout: SOCKET_LIMITS.tlsHandshakeMs },
      (socket) => this.#secured(socket),
    );
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      this.#options.onRefused('tls-handshake', error.code ?? error.message);
      socket.destroy();
    });
    return server;
  }

  #incoming(socket: Socket): void {
    const peer = plainAddress(socket.remoteAddress);
    if (!this.#options.proxies?.(peer)) {
      this.#admit(socket, peer, peer);
      return;
    }
    takeProxyHeader(
      socket,
      (address) => this.#admit(socket, plainAddress(address), peer),
      (code) => this.#options.onRefused('proxy-header', code),
    );
  }

  #admit(socket: Socket, address: string, peer: string): void {
    const release = this.#options.hold(address);
    if (release === undefined) {
      socket.destroy();
      return;
    }
    socket.once('close', release);
    const origin = { address, peer, release };
    if (this.#tls === undefined) {
      this.#options.onSocket(socket, origin);
      return;
    }
    const key = endpointOf(socket);
    this.#origins.set(key, origin);
    socket.once('close', () => this.#origins.delete(key));
    this.#tls.emit('connection', socket);
  }

  #secured(socket: Socket): void {
    const origin = this.#origins.get(endpointOf(socket));
    // Gone between the last byte of its handshake and here.
    if (origin === undefined) socket.destroy();
    else this.#options.onSocket(socket, origin);
  }

  /** Resolves with the port in use. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: this.#options.host, port: this.#options.port, backlog: 1024 }, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (error) => this.#options.log.error({ error }, 'the listener failed'));
        resolve(portOf(this.#server) ?? this.#options.port);
      });
    });
  }

  /** A connection that another process accepted, and that counts as one of this listener. */
  take(socket: Socket): void {
    if (this.#taken >= this.#options.maxConnections) {
      this.#full(socket.remoteAddress);
      socket.destroy();
      return;
    }
    this.#taken++;
    socket.once('close', () => {
      this.#taken--;
    });
    this.#arrived.push(socket);
    if (this.#arrived.length === 1) setImmediate(() => this.#begin());
  }

  /** The next ones of those that arrived. */
  #begin(): void {
    for (const socket of this.#arrived.splice(0, SOCKET_LIMITS.beginPerTurn)) {
      if (!socket.destroyed) this.#server.emit('connection', socket);
    }
    if (this.#arrived.length > 0) setImmediate(() => this.#begin());
  }

  #full(peer: string | undefined): void {
    const { maxConnections, onRefused } = this.#options;
    onRefused('too-many-connections', `${maxConnections}`, plainAddress(peer));
  }

  /** New handshakes use the new certificate; running connections are not touched. */
  replaceCertificate(material: TlsMaterial): void {
    this.#tls?.setSecureContext(contextOptions(material, this.#options.tls ?? { maxVersion: 'TLSv1.2' }));
  }

  /** Stops accepting. */
  close(): Promise<void> {
    if (!this.#server.listening) return Promise.resolve();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/**
 * In our order of preference. Mbed TLS 3.6, which OBS 30.2 of Debian 13 uses, offers RSA-PSS and then ends a TLS 1.2
 * handshake that is signed with it (`-0x6600`); TLS 1.3 has no PKCS#1 and takes what follows.
 */
const SIGNATURE_ALGORITHMS = [
  'ecdsa_secp256r1_sha256',
  'ecdsa_secp384r1_sha384',
  'ecdsa_secp521r1_sha512',
  'ed25519',
  'rsa_pkcs1_sha256',
  'rsa_pkcs1_sha384',
  'rsa_pkcs1_sha512',
  'rsa_pss_rsae_sha256',
  'rsa_pss_rsae_sha384',
  'rsa_pss_rsae_sha512',
  'rsa_pss_pss_sha256',
  'rsa_pss_pss_sha384',
  'rsa_pss_pss_sha512',
].join(':');

function contextOptions(
  { cert, key }: TlsMaterial,
  { maxVersion, suites = 'modern' }: TlsSettings,
): SecureContextOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    // Node sends TLS 1.3 session tickets that OBS builds with Mbed TLS 3.6 take for a read error.
    maxVersion,
    ciphers: cipherList(suites),
    sigalgs: SIGNATURE_ALGORITHMS,
    // Each renegotiation costs us a private key operation. Node counts them and reports an attack, but lets it go on.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

/** A TLS socket answers with the address and port of the connection beneath it. */
function endpointOf(socket: Socket): string {
  return `${socket.remoteAddress}:${socket.remotePort}`;
}

/** `::ffff:192.0.2.1` is 192.0.2.1. */
function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=\d+\.)/, '');
}
