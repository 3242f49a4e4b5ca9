/** What the RTMP side needs from outside besides the broadcasts, declared by what it calls. */
import type { PayloadBuffers } from '../../bytes/payload-buffers.js';
import type { Clock, IdSource, Log } from '../../ports/index.js';

export interface RtmpSettings {
  readonly maxConnections: number;
  /** Connections are trusted to have come over TLS although ours is plain. */
  readonly tlsInFront: boolean;
  /** PROXY headers are taken from trusted proxies, and required of them. */
  readonly proxyProtocol: boolean;
  /** In `AIRLOCK_TRUSTED_PROXIES`. */
  isProxy(address: string): boolean;
  /** Exempt from the limit of connections per address, as loopback is. */
  isTrustedAddress(address: string): boolean;
}

export interface RtmpDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
  /** For payload that is wanted whole. */
  readonly buffers: PayloadBuffers;
  readonly settings: RtmpSettings;
  randomBytes(size: number): Uint8Array;
}
