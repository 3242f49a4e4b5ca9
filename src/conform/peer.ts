/** The ingest under test: opens connections to it. Implemented over sockets here, and in memory by tests. */
import type { ConnectionOptions, DetailedPeerCertificate } from 'node:tls';

/** Way of opening a connection that differs from the plain one. */
export interface Way {
  /** `none`: no TLS on a port that has it. */
  readonly tls?: 'none' | Readonly<ConnectionOptions>;
}

export interface TlsFacts {
  readonly protocol: string;
  readonly cipher: string;
  readonly certificate: DetailedPeerCertificate;
  /** Session tickets so far. TLS 1.3 sends them after the handshake. */
  readonly tickets: number;
}

export interface Line {
  /** Resolves when the peer has taken the bytes, or the connection is closed. @throws Unmet: it does neither */
  send(bytes: Uint8Array): Promise<void>;
  /** The next bytes; undefined: none came within the time, or the connection is closed. */
  receive(withinMs: number): Promise<Uint8Array | undefined>;
  /** The connection is closed, and all that came has been received. */
  readonly isClosed: boolean;
  /** Undefined without TLS. */
  readonly tls: TlsFacts | undefined;
  /** `drop`: without sending what waits. `half`: the peer may still send, and has to end its side itself. */
  close(how: 'end' | 'drop' | 'half'): void;
}

export interface Peer {
  readonly isSecure: boolean;
  /** Connections verify the certificate. */
  readonly isVerifying: boolean;
  /** It has deadlines for clients that are slow: a session in memory has no clock. */
  readonly hasDeadlines: boolean;
  readonly app: string;
  readonly tcUrl: string;
  /** @throws UnreachableError */
  open(way?: Way): Promise<Line>;
}

/** No connection: refused, or its TLS handshake failed. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** The code of the system or of TLS. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}
