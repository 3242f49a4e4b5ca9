/**
 * The live feed's messages (JSON text over WebSocket at `/live`), for the server and the pages.
 *
 * The reader's first and only message is `Subscribe`. The answers: `ready`, for each broadcast `broadcast` and
 * `records`, then `synced`; from then on changes as they come. A reader that keeps the highest `revision` of each
 * broadcast and gives it back as `after_revision` misses no record and gets none twice.
 */
import type { BroadcastStatus, EndReason, StreamState } from '../../broadcast/documents.js';
import type { ErrorView } from '../../spec/error-view.js';

export const FEED_PATH = '/live';

export interface Subscribe {
  readonly type: 'subscribe';
  readonly token: string;
  /** Absent: all that belong to the owners of the token, those made later included. */
  readonly broadcasts?: readonly string[];
  /** The last revision seen, by broadcast. Without one, the open records come, and the newest `recent`. */
  readonly after_revision?: Readonly<Record<string, number>>;
  readonly recent?: number;
}

export interface OwnerView {
  readonly id: string;
  readonly name: string;
  readonly kind: 'page' | 'group' | 'user';
}

export interface BroadcastView {
  readonly id: string;
  readonly version: number;
  readonly title?: string;
  readonly status: BroadcastStatus;
  readonly stream_state: StreamState;
  readonly stream_since?: string;
  readonly goes_live_on_data: boolean;
  readonly from: { readonly id: string; readonly name?: string };
  readonly video_id: string;
  readonly creation_time: string;
  readonly broadcast_start_time?: string;
  readonly planned_start_time?: string;
  readonly end_time?: string;
  readonly end_reason?: EndReason;
  /** Of a broadcast that is over: the rules that had enough data to be judged. Absent when that was not kept. */
  readonly judged_codes?: readonly number[];
  /** Records in all, those still open, and those beyond the log that were only counted. */
  readonly errors: { readonly total: number; readonly open: number; readonly uncounted: number };
}

export interface HealthView {
  readonly at: string;
  readonly connected: boolean;
  readonly encoder: string;
  readonly stream_time_ms: number;
  readonly bytes_received: number;
  readonly open_errors: readonly number[];
  readonly video_codec?: string;
  readonly h264_profile_idc?: number;
  readonly h264_level_idc?: number;
  readonly width?: number;
  readonly height?: number;
  readonly frame_rate?: number;
  readonly frame_rate_class?: 30 | 60;
  readonly video_bitrate_kbps?: number;
  readonly key_frame_interval_ms?: number;
  /** Since the last key frame, in media time. */
  readonly since_key_frame_ms?: number;
  readonly audio_codec?: string;
  readonly audio_bitrate_kbps?: number;
  readonly sample_rate?: number;
  readonly channels?: number;
}

export type FeedMessage =
  | {
      readonly type: 'ready';
      readonly owners: readonly OwnerView[];
      readonly broadcasts: readonly string[];
      readonly expires?: string;
    }
  | { readonly type: 'broadcast'; readonly broadcast: BroadcastView }
  | {
      readonly type: 'records';
      readonly broadcast_id: string;
      /** Open and recent ones as they stand, not changes: what the reader held of this broadcast is replaced. */
      readonly snapshot?: true;
      /** In order of revision. */
      readonly records: readonly ErrorView[];
      /** All changes up to here have been sent. */
      readonly revision: number;
    }
  | { readonly type: 'synced' }
  /** Twice a second while an encoder is connected; `null` once when it no longer is. */
  | { readonly type: 'health'; readonly broadcast_id: string; readonly health: HealthView | null }
  /** Unknown, deleted, or not for this token. */
  | { readonly type: 'missing'; readonly broadcast_id: string }
  | { readonly type: 'heartbeat'; readonly at: string };
