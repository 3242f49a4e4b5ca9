/** What running broadcasts need from outside, declared by what they call. */
import type { LiveVideoData } from '../broadcast/documents.js';
import type { PayloadBuffers } from '../bytes/payload-buffers.js';
import type { SliceList } from '../bytes/slices.js';
import type { Clock, IdSource, JournalEntry, Log, OwnerQuota, Store, StoredObject } from '../ports/index.js';

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

/** Sees the packets of a running broadcast as they come (recorder, relay). Must not keep the list `payload` beyond the call. */
export interface MediaTap {
  /** True: what it wants of the bytes it copies within the call. Absent: it may keep them, so they are never overwritten. */
  readonly copies?: boolean;
  /** True: it needs sequence headers only, for now. While no tap needs more, payload is not kept at all. */
  readonly isIdle?: boolean;
  packet(kind: 'audio' | 'video' | 'data', timestampMs: number, payload: SliceList): void;
  close(): void;
}

/** Makes taps. `live` taps see only what is LIVE, `all` taps from the accepted publish on. */
export interface TapSource {
  /** `hasRoom` false: the owner has as many stored bytes as it may have. */
  open(liveVideoId: string, when: 'publish' | 'live', hasRoom: boolean): MediaTap | undefined;
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
