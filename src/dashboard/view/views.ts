/** Converts documents and observed values to the feed's format; field names as in the HTTP interface. */

import { defined } from '../../lib/objects.js';
import type { OwnerData } from '../../lifecycle/documents.js';
import { encoderSetupView } from '../../lifecycle/encoder-setup.js';
import type { DetectorState, StoredObject, StreamHealth } from '../../ports/index.js';
import { isConnectionLost } from '../../spec/ending.js';
import { graphDateTime } from '../../spec/error-view.js';
import type { BroadcastView, HealthView, InputView, OwnerView } from './protocol.js';
import type { LiveVideo } from './viewer.js';

export function broadcastView(
  live: LiveVideo,
  ownerName: string | undefined,
  errors: BroadcastView['errors'],
  reconnectGraceMs: number,
): BroadcastView {
  const { data } = live;
  const endsMs =
    data.stream === 'interrupted' && data.streamSinceMs !== undefined
      ? data.streamSinceMs + reconnectGraceMs
      : undefined;
  const setup = encoderSetupView(data, graphDateTime);
  return {
    id: live.id,
    version: live.version,
    ...defined({ title: data.title }),
    status: data.status,
    stream_state: data.stream,
    ...time('stream_since', data.streamSinceMs),
    goes_live_on_data: data.goLiveOnData,
    from: { id: data.ownerId, ...defined({ name: ownerName }) },
    video_id: data.videoId,
    creation_time: graphDateTime(live.createdMs),
    ...time('broadcast_start_time', data.broadcastStartMs),
    ...time('planned_start_time', data.plannedStartMs),
    ...time('end_time', data.endedMs),
    ...defined({ end_reason: data.endReason }),
    ...(data.isStopped === true && data.stream !== 'connected' ? { encoder_stopped: true } : {}),
    ...(isConnectionLost(data) ? { connection_lost: true } : {}),
    ...time('ends_time', endsMs),
    ...defined({ encoder_setup: setup }),
    ...(data.retune === undefined || data.stream === 'connected' ? {} : { encoder_retuned: true }),
    ...defined({ judged_codes: data.judgedCodes }),
    ...((data.inputStreamIds?.length ?? 0) > 1 ? defined({ input_streams: data.inputStreamIds }) : {}),
    errors,
  };
}

function time<Name extends string>(name: Name, ms: number | undefined): { readonly [Key in Name]?: string } {
  return (ms === undefined ? {} : { [name]: graphDateTime(ms) }) as { readonly [Key in Name]?: string };
}

/** Values are rounded for display; unknown ones are left out. */
export function healthView(health: StreamHealth, detector?: DetectorState['state']): HealthView {
  return {
    at: new Date(health.atMs).toISOString(),
    connected: health.connected,
    encoder: health.encoder,
    stream_time_ms: Math.round(health.streamTimeMs),
    bytes_received: health.bytesReceived,
    open_errors: health.openErrors,
    ...known('copyright_check', detector),
    ...known('video_codec', health.videoCodec),
    ...known('h264_profile_idc', health.profileIdc),
    ...known('h264_level_idc', health.levelIdc),
    ...known('width', health.width),
    ...known('height', health.height),
    ...known('frame_rate', rounded(health.frameRate, 2)),
    ...known('frame_rate_class', health.frameRateClass),
    ...known('video_bitrate_kbps', rounded(health.videoBitrateKbps, 0)),
    ...known('key_frame_interval_ms', rounded(health.keyFrameIntervalMs, 0)),
    ...known('since_key_frame_ms', rounded(health.sinceKeyFrameMs, 0)),
    ...known('render_lag_percent', health.renderLagPercent),
    ...known('encoder_skip_percent', health.encoderSkipPercent),
    ...known('network_drop_percent', health.networkDropPercent),
    ...known('latency_ms', health.latencyMs),
    ...known('audio_codec', health.audioCodec),
    ...known('audio_bitrate_kbps', rounded(health.audioBitrateKbps, 1)),
    ...known('loudness_lufs', health.loudnessLufs),
    ...known('loudness_target_lufs', health.loudnessTargetLufs),
    ...known('channel_lufs', health.channelLufs),
    ...known('picture', health.picture),
    ...known(
      'data_tracks',
      health.dataTracks?.map(({ format }) => format),
    ),
    ...known('sample_rate', health.sampleRate),
    ...known('channels', health.channels),
  };
}

export function inputView(health: StreamHealth, id: string): InputView {
  return {
    id,
    on_air: health.onAir === true,
    encoder: health.encoder,
    ...known('width', health.width),
    ...known('height', health.height),
    ...known('frame_rate', rounded(health.frameRate, 1)),
    ...known('video_bitrate_kbps', rounded(health.videoBitrateKbps, 0)),
    ...known('sample_rate', health.sampleRate),
    open_errors: health.openErrors,
  };
}

function known<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: NonNullable<Value> } {
  const isKnown = value !== undefined && !(typeof value === 'number' && Number.isNaN(value));
  return (isKnown ? { [name]: value } : {}) as { readonly [Key in Name]?: NonNullable<Value> };
}

function rounded(value: number | undefined, digits: number): number | undefined {
  return value === undefined ? undefined : Number(value.toFixed(digits));
}

export function ownerView(owner: StoredObject<OwnerData>): OwnerView {
  return { id: owner.id, name: owner.data.name, kind: owner.kind as OwnerView['kind'] };
}
