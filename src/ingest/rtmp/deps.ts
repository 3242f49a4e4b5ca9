/** Dependencies of the RTMP server besides the broadcasts. */
import type { PayloadBuffers } from '../../bytes/payload-buffers.js';
import type { Clock, IdSource, JoinedLog, Log, RefusalLog } from '../../ports/index.js';

export interface RtmpSettings {
  readonly maxConnections: number;
  /** A trusted proxy terminates TLS: plain connections count as secure. */
  readonly tlsInFront: boolean;
  /** Trusted proxies must send a PROXY header. */
  readonly proxyProtocol: boolean;
  /** Between two reads of a publish of some age, where there are many; 0: all are read as they arrive. */
  readonly readIntervalMs: number;
  /** The address is listed in `AIRLOCK_TRUSTED_PROXIES`. */
  isProxy(address: string): boolean;
  /** Exempt from the limit of connections per address, like loopback. */
  isTrustedAddress(address: string): boolean;
}

export interface RtmpDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
  /** For lines that anyone who connects can cause. */
  readonly strangers: JoinedLog;
  readonly refusals: RefusalLog;
  /** Pool for payload that taps keep. */
  readonly buffers: PayloadBuffers;
  readonly settings: RtmpSettings;
  randomBytes(size: number): Uint8Array;
}
