/** Accepts connections: TLS ends here, or came to an end in front of us. Limits before anything is parsed. */
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { Log } from '../ports.js';
import { INGEST_LIMITS } from './limits.js';

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
  readonly onSocket: (socket: Socket) => void;
  readonly onRefused: (reason: 'too-many-connections' | 'tls-handshake', detail: string) => void;
}

export class Listener {
  readonly #server: Server | TlsServer;
  readonly #options: ListenerOptions;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const { tls } = options;
    if (tls === undefined) {
      this.#server = createTcpServer(options.onSocket);
    } else {
      this.#server = createTlsServer(
        {
          cert: tls.cert,
          key: tls.key,
          minVersion: 'TLSv1.2',
          // Node sends TLS 1.3 session tickets that OBS builds with Mbed TLS 3.6 take for a read error.
          maxVersion: tls.maxVersion,
          handshakeTimeout: INGEST_LIMITS.tlsHandshakeMs,
        },
        options.onSocket,
      );
      this.#server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
        options.onRefused('tls-handshake', error.code ?? error.message);
        socket.destroy();
      });
    }
    this.#server.maxConnections = options.maxConnections;
    this.#server.on('drop', () => options.onRefused('too-many-connections', `${options.maxConnections}`));
    this.#server.on('error', (error) => options.log.error({ error }, 'the listener failed'));
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
    if ('setSecureContext' in this.#server) {
      const maxVersion = this.#options.tls?.maxVersion ?? 'TLSv1.2';
      this.#server.setSecureContext({ ...material, minVersion: 'TLSv1.2', maxVersion });
    }
  }

  /** Stops accepting. */
  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
