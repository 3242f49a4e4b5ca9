/**
 * Messages of the live feed (JSON text over WebSocket at `/live`), shared by the server and the pages.
 *
 * The client's first and only message is `Subscribe`. The server answers with `ready`, with `broadcast` and `records` for
 * each broadcast, then `synced`, and from then on sends changes as they occur. A client that keeps the highest `revision`
 * of each broadcast and resumes with it as `after_revision` gets every record change exactly once.
 */
import type { BroadcastStatus, EndReason, StreamState } from '../../lifecycle/documents.js';
import type { EncoderSetupView } from '../../lifecycle/encoder-setup.js';
import type { ErrorView } from '../../spec/error-view.js';
import type { ForwardCounts } from '../../spec/forward-sentence.js';

export const FEED_PATH = '/live';

/** The cookie of a session is sent to paths below `/dashboard/` alone: the feed, the interface and the session have one there. */
export const SESSION_FEED_PATH = '/dashboard/live';
/** `/dashboard/api/me` is answered as `/me` with the token of the session, `/dashboard/api/data/…` as `/dashboard/data/…`. */
export const SESSION_API_PATH = '/dashboard/api';
export const SESSION_PATH = '/dashboard/session';
/** Pages of other origins cannot send it: their browsers ask first, and are refused. */
export const SESSION_HEADER = 'X-Airlock-Page';

export interface Subscribe {
  readonly type: 'subscribe';
  /** Absent on the feed of a session. */
  readonly token?: string;
  /** Absent: all broadcasts of the token's owners, including those created later. */
  readonly broadcasts?: readonly string[];
  /** The last revision received, by broadcast. Without one, the open records and the newest `recent` are sent. */
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
  /** The encoder ended the stream itself, and has not published since. */
  readonly encoder_stopped?: boolean;
  /** It ended because the encoder went away without ending the stream, and did not return. */
  readonly connection_lost?: boolean;
  /** While the encoder is disconnected: when the broadcast ends unless it reconnects. */
  readonly ends_time?: string;
  /** Absent: no encoder of this broadcast asked the server for its settings. */
  readonly encoder_setup?: EncoderSetupView;
  /** The operator changed the settings of the encoder, which is disconnected until it has asked for them. */
  readonly encoder_retuned?: boolean;
  /** For an ended broadcast: codes of the rules that had enough data for a verdict. Absent if not stored. */
  readonly judged_codes?: readonly number[];
  /** Records in total, records still open, and records beyond the log's limit that were only counted. */
  readonly errors: { readonly total: number; readonly open: number; readonly uncounted: number };
  /** The primary input stream and the backup. Absent: there is one input stream. */
  readonly input_streams?: readonly string[];
  /** While it is LIVE: its forwards and those of its owner that are switched on. Absent: there are none. */
  readonly forwards?: ForwardCounts;
}

export interface HealthView {
  readonly at: string;
  readonly connected: boolean;
  readonly encoder: string;
  readonly stream_time_ms: number;
  readonly bytes_received: number;
  readonly open_errors: readonly number[];
  /** Whether sound is compared with references: absent, if the process that does so is not there. */
  readonly copyright_check?: 'on' | 'idle' | 'unavailable';
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
  /** Shares that the encoder reports (OBS with multitrack video). */
  readonly render_lag_percent?: number;
  readonly encoder_skip_percent?: number;
  readonly network_drop_percent?: number;
  readonly latency_ms?: number;
  readonly audio_codec?: string;
  readonly audio_bitrate_kbps?: number;
  /** Gated, since the start of the stream. */
  readonly loudness_lufs?: number;
  /** Target of the operator, once ten minutes are held against it. */
  readonly loudness_target_lufs?: number;
  /** Levels of the last frames: left and right of a pair, or all channels together. */
  readonly channel_lufs?: readonly number[];
  readonly picture?: 'moving' | 'frozen' | 'black';
  /** Formats of the captions, texts, cues and time codes that the stream carries. */
  readonly data_tracks?: readonly string[];
  readonly sample_rate?: number;
  readonly channels?: number;
  /** Those of two input streams that are connected. The values above are of the one on air. */
  readonly inputs?: readonly InputView[];
}

/** One of two input streams, on air or standing by. */
export interface InputView {
  readonly id: string;
  readonly on_air: boolean;
  readonly encoder: string;
  readonly width?: number;
  readonly height?: number;
  readonly frame_rate?: number;
  readonly video_bitrate_kbps?: number;
  readonly sample_rate?: number;
  readonly open_errors: readonly number[];
}

export type Engaged = 'comments' | 'reactions' | 'polls' | 'forwards';

export type FeedMessage =
  | {
      readonly type: 'ready';
      readonly owners: readonly OwnerView[];
      readonly broadcasts: readonly string[];
      readonly expires?: string;
      /** Whether a dock link's token opens `GET /{live-video-id}/obs_profile`. */
      readonly encoder_setup?: true;
      /** Whether a dock link's token puts the input streams of its broadcast on air. */
      readonly put_on_air?: true;
    }
  | { readonly type: 'broadcast'; readonly broadcast: BroadcastView }
  | {
      readonly type: 'records';
      readonly broadcast_id: string;
      /** Full state instead of changes: replaces all records that the client holds of this broadcast. */
      readonly snapshot?: true;
      /** In order of revision. */
      readonly records: readonly ErrorView[];
      /** All changes up to this revision have been sent. */
      readonly revision: number;
    }
  | { readonly type: 'synced' }
  /** Comments, reactions, polls or states of forwards have changed: read those edges again. Once in `FEED_LIMITS.engagementMs` at most. */
  | { readonly type: 'engagement'; readonly broadcast_id: string; readonly changed: readonly Engaged[] }
  /** Twice a second while an encoder is connected; `null` once after it has disconnected. */
  | { readonly type: 'health'; readonly broadcast_id: string; readonly health: HealthView | null }
  /** Unknown, deleted, or not readable with this token. */
  | { readonly type: 'missing'; readonly broadcast_id: string }
  | { readonly type: 'heartbeat'; readonly at: string };
