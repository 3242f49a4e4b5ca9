/** Dependencies of running broadcasts. */

import type { PayloadBuffers } from '../bytes/payload-buffers.js';
import type { InputNumber, LiveVideoData } from '../lifecycle/documents.js';
import type {
  Clock,
  ErrorSink,
  IdSource,
  Log,
  OwnerQuota,
  PictureDecoding,
  RefusalLog,
  Store,
  StoredObject,
  TapSource,
} from '../ports/index.js';
import type { PictureTurns } from './picture-turns.js';

/** Stream keys are derived from the server key, never stored (docs/decisions/0006-derived-stream-keys.md). */
export interface StreamKeys {
  /** `<id>-<secret>` */
  derive(id: string, version: number, input?: InputNumber): string;
  /** Finds the key in the publish name or, if there is none, in the application path. Does not verify the secret. */
  parse(name: string, path: string): ParsedKey | undefined;
  /** Constant-time comparison of the secret with the derived one. */
  matches(id: string, version: number, secret: string, input?: InputNumber): boolean;
}

export interface ParsedKey {
  readonly id: string;
  readonly secret: string;
  readonly params: ReadonlyMap<string, string>;
}

export interface Recordings {
  /** The broadcast was LIVE and has ended, for any reason: its recording becomes a video. */
  ended(live: StoredObject<LiveVideoData>): void;
}

export interface BroadcastSettings {
  readonly publicStreamUrl: string;
  readonly reconnectGraceMs: number;
  /** Silence of the input stream on air after which the other one is. */
  readonly backupAfterMs: number;
  readonly enforce: 'report' | 'strict';
  /** Rules beyond the published document. */
  readonly analysis: boolean;
  /** In LUFS, for 6806; undefined: none. */
  readonly loudnessTarget?: number | undefined;
  readonly record: boolean;
  /** Ids of this deployment: a stream that has passed it is refused. */
  readonly deploymentIds: readonly string[];
}

/** Dependencies of every process that changes broadcasts, whether or not it receives their streams. */
export interface BroadcastDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
  readonly refusals: RefusalLog;
  readonly keys: StreamKeys;
  readonly errors: ErrorSink;
  readonly settings: BroadcastSettings;
  readonly quota: OwnerQuota;
  readonly recordings: Recordings;
  /** Identity of this process as a lease holder. */
  readonly holder: string;
  /** Resolves with true after `ms` milliseconds, or with false as soon as the server shuts down. */
  pause(ms: number): Promise<boolean>;
}

export interface ReceivingDeps extends BroadcastDeps {
  readonly taps: readonly TapSource[];
  /** Absent: no pictures are decoded. */
  readonly pictures?: PictureDecoding | undefined;
  /** Absent: samples of pictures wait for no others. */
  readonly pictureTurns?: PictureTurns | undefined;
  /** Pool for payload that taps keep. */
  readonly buffers: PayloadBuffers;
}
