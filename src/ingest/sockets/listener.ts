/** Takes connections that another process accepted: TLS ends here, or came to an end in front of us. Limits before anything is parsed. */
import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer as createTlsServer, type SecureContextOptions, type Server as TlsServer } from 'node:tls';
import { WireError } from '../../bytes/wire-error.js';
import type { Bound, Place, Places } from '../../lib/places.js';
import { cipherList, type TlsSuites } from '../../lib/tls-suites.js';
import type { Log } from '../../ports/index.js';
import { SOCKET_LIMITS } from './limits.js';
import { readProxyHeader } from './proxy-header.js';

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
  /** Places of all listeners of the server; a connection has one from before its handshake. */
  readonly places: Places;
  /** Absent: plain RTMP. */
  readonly tls?: TlsMaterial & TlsSettings;
  readonly log: Log;
  /** Networks that must send a PROXY header; absent: the header is not accepted. */
  readonly proxies?: (address: string) => boolean;
  readonly protocol: Protocol;
}

/** The server of a protocol, which its listeners tell what happens to connections. */
export interface Protocol {
  /** A connection is ready to be read. `isTls`: TLS ended here. */
  accept(socket: Socket, origin: Origin, isTls: boolean): void;
  refused(refusal: RefusedConnection): void;
  /** A place is free again. */
  left(): void;
}

export interface RefusedConnection {
  /** `place-taken`: it made room for another connection. */
  readonly reason: 'too-many-connections' | 'place-taken' | 'tls-handshake' | 'proxy-header';
  /** The code of a fault. */
  readonly code?: string;
  readonly bound?: Bound;
  /** Address of the client, where it is known, else of its proxy. */
  readonly address: string;
}

export interface Origin {
  /** The client's. */
  readonly address: string;
  /** Who connected to us, which differs behind a proxy. */
  readonly peer: string;
  readonly place: Place;
}

interface Arrived {
  readonly socket: Socket;
  readonly origin: Origin;
}

export class Listener {
  readonly #options: ListenerOptions;
  /** TLS begins once the address is known and may come in. */
  readonly #tls: TlsServer | undefined;
  /** Origins of running connections, by address and port of the peer. */
  readonly #origins = new Map<string, Origin>();
  /** Connections whose handshake is done. */
  readonly #secured = new WeakSet<Origin>();
  /** Connections that made room during their handshake, until TLS reports their end too. */
  #lostHandshakes = 0;
  /** Not begun yet. */
  readonly #arrived: Arrived[] = [];

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#tls = options.tls === undefined ? undefined : this.#secure(options.tls);
  }

  #secure(tls: NonNullable<ListenerOptions['tls']>): TlsServer {
    const server = createTlsServer(
      { ...contextOptions(tls, tls), handshakeTimeout: SOCKET_LIMITS.tlsHandshakeMs },
      (socket) => this.#begunSecure(socket),
    );
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      const { code = error.message } = error;
      const address = this.#origins.get(endpointOf(socket))?.address ?? '';
      // Its end has been reported, and a closed socket no longer tells which one it is.
      if (code === 'ECONNRESET' && this.#lostHandshakes > 0) this.#lostHandshakes--;
      else this.#options.protocol.refused({ reason: 'tls-handshake', code, address });
      socket.destroy();
    });
    return server;
  }

  /** A new connection. */
  take(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress);
    const origin = this.#place(socket, address, address);
    if (origin === undefined) return;
    this.#arrived.push({ socket, origin });
    if (this.#arrived.length === 1) setImmediate(() => this.#begin());
  }

  /** Gives the connection a place, or ends it. */
  #place(socket: Socket, address: string, peer: string): Origin | undefined {
    const { places, protocol } = this.#options;
    const place = places.take(address, (bound) => {
      protocol.refused({ reason: 'place-taken', bound, address });
      socket.destroy();
    });
    if (typeof place === 'string') {
      protocol.refused({ reason: 'too-many-connections', bound: place, address });
      socket.destroy();
      return undefined;
    }
    socket.once('close', () => {
      place.leave();
      protocol.left();
    });
    return { address, peer, place };
  }

  /** The next ones of those that arrived. */
  #begin(): void {
    for (const { socket, origin } of this.#arrived.splice(0, SOCKET_LIMITS.beginPerTurn)) {
      if (!socket.destroyed) this.#incoming(socket, origin);
    }
    if (this.#arrived.length > 0) setImmediate(() => this.#begin());
  }

  #incoming(socket: Socket, origin: Origin): void {
    const { peer } = origin;
    if (!this.#options.proxies?.(peer)) {
      this.#start(socket, origin);
      return;
    }
    void this.#behindProxy(socket, origin);
  }

  async #behindProxy(socket: Socket, origin: Origin): Promise<void> {
    const { peer, place } = origin;
    const header = await takeProxyHeader(socket);
    if ('code' in header) {
      if (!place.isLost) this.#options.protocol.refused({ reason: 'proxy-header', code: header.code, address: peer });
      return;
    }
    place.leave();
    const behind = this.#place(socket, plainAddress(header.address), peer);
    if (behind !== undefined) this.#start(socket, behind);
  }

  #start(socket: Socket, origin: Origin): void {
    if (this.#tls === undefined) {
      this.#options.protocol.accept(socket, origin, false);
      return;
    }
    const key = endpointOf(socket);
    this.#origins.set(key, origin);
    socket.once('close', () => {
      this.#origins.delete(key);
      if (origin.place.isLost && !this.#secured.has(origin)) this.#lostHandshakes++;
    });
    this.#tls.emit('connection', socket);
  }

  #begunSecure(socket: Socket): void {
    const origin = this.#origins.get(endpointOf(socket));
    // Gone between the last byte of its handshake and here.
    if (origin === undefined) {
      socket.destroy();
      return;
    }
    this.#secured.add(origin);
    this.#options.protocol.accept(socket, origin, true);
  }

  /** New handshakes use the new certificate; running connections are not touched. */
  replaceCertificate(material: TlsMaterial): void {
    this.#tls?.setSecureContext(contextOptions(material, this.#options.tls ?? { maxVersion: 'TLSv1.2' }));
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

export function contextOptions(
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

/** The client's address (the proxy's own for LOCAL), or the code of what is wrong with the header. */
type ProxyHeaderResult = { readonly address: string } | { readonly code: string };

/**
 * Resolves with the client's address and the socket paused behind the header, or destroys the socket and resolves with a
 * code if the header is late, missing or malformed.
 */
function takeProxyHeader(socket: Socket): Promise<ProxyHeaderResult> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => fail('PROXY_HEADER_LATE'), SOCKET_LIMITS.proxyHeaderMs);
    const stopListening = (): void => {
      clearTimeout(timer);
      socket.off('readable', onReadable);
      socket.off('close', onClose);
    };
    const fail = (code: string): void => {
      stopListening();
      socket.destroy();
      resolve({ code });
    };
    const onClose = (): void => fail('PROXY_HEADER_MISSING');
    // Incomplete bytes are not unshifted into the socket: that would trigger this listener again at once.
    let held: Buffer = Buffer.alloc(0);
    const onReadable = (): void => {
      const bytes: Buffer | null = socket.read();
      if (bytes === null) return;
      held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      try {
        const header = readProxyHeader(held);
        if (header === undefined) return;
        stopListening();
        if (header.consumed < held.length) socket.unshift(held.subarray(header.consumed));
        resolve({ address: header.address ?? socket.remoteAddress ?? '' });
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        fail(error.code);
      }
    };
    socket.on('readable', onReadable);
    socket.on('close', onClose);
    socket.on('error', () => socket.destroy());
  });
}
