/** What running broadcasts need from outside, declared by what they call. */
import type { LiveVideoData } from '../broadcast/documents.js';
import type { PayloadBuffers } from '../bytes/payload-buffers.js';
import type { Clock, IdSource, JournalEntry, Log, OwnerQuota, Store, StoredObject, TapSource } from '../ports/index.js';

/** Stream keys are derived from the server key, never stored (DESIGN, decision 7). */
export interface StreamKeys {
  /** `<id>-<secret>` */
  derive(id: string, version: number): string;
  /** Finds the key in a publish name (or, when it holds none, in the path it came under) without judging the secret. */
  parse(name: string, path: string): ParsedKey | undefined;
  /** Constant-time comparison of the secret with the derived one. */
  matches(id: string, version: number, secret: string): boolean;
}

export interface ParsedKey {
  readonly id: string;
  readonly secret: string;
  readonly params: ReadonlyMap<string, string>;
}

/** Where a change of a record goes first. Synchronous: it never makes a packet wait. */
export interface ErrorSink {
  record(entry: JournalEntry): void;
}

export interface BroadcastSettings {
  readonly publicStreamUrl: string;
  readonly reconnectGraceMs: number;
  readonly enforce: 'report' | 'strict';
  readonly record: boolean;
}

export interface BroadcastDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
  readonly keys: StreamKeys;
  readonly errors: ErrorSink;
  readonly settings: BroadcastSettings;
  readonly quota: OwnerQuota;
  readonly taps: readonly TapSource[];
  /** For payload that is wanted whole. */
  readonly buffers: PayloadBuffers;
  /** This process, as the holder of leases. */
  readonly holder: string;
  /** Resolves with true after so many milliseconds, with false at once when the server shuts down. */
  pause(ms: number): Promise<boolean>;
  /** A broadcast that was LIVE is over, whoever ended it. */
  onEnded?(live: StoredObject<LiveVideoData>): void;
}
