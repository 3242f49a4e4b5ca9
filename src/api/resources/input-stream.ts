/** Input streams of a live video, with the health of the running stream; `/{live-video-id}/input_streams`. */

import { z } from 'zod';
import type { InputNumber, LiveVideoData } from '../../lifecycle/documents.js';
import { inputStreamOf, type StoredObject, type StreamHealth } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import { type Call, SUCCESS } from '../graph/call.js';
import { defineEdge } from '../graph/edge.js';
import { absent, defineNodeType } from '../graph/node-type.js';
import { type ObjectKeys, objectKeys } from '../graph/object-keys.js';
import { pageOfList } from '../graph/paging.js';
import { operation } from '../graph/registry.js';
import { bool } from '../params/kinds.js';
import { changeLine } from './shared/change-line.js';
import { editObject } from './shared/edit.js';

export interface InputStreamData {
  readonly liveVideoId: string;
  /** `0`: primary, `1`: backup. */
  readonly streamId: InputNumber;
}

export type InputStream = StoredObject<InputStreamData>;

export async function inputStreamsOf(live: StoredObject<LiveVideoData>, call: Call): Promise<InputStream[]> {
  const { inputStreamIds = [] } = live.data;
  const found = await Promise.all(inputStreamIds.map((id) => call.loader.load(id)));
  return found.filter((each) => each !== undefined) as InputStream[];
}

async function liveOf(stream: InputStream, call: Call): Promise<StoredObject<LiveVideoData> | undefined> {
  return (await call.loader.load(stream.data.liveVideoId)) as StoredObject<LiveVideoData> | undefined;
}

async function masterId(stream: InputStream, call: Call): Promise<string> {
  const chosen = (await liveOf(stream, call))?.data.masterIngestStreamId;
  return typeof chosen === 'string' ? chosen : '0';
}

async function urlOf(stream: InputStream, call: Call): Promise<string | undefined> {
  const live = await liveOf(stream, call);
  if (live === undefined || !(await call.access.mayPublish(live.data.ownerId, live.data.ownerKind))) return undefined;
  return call.services.broadcasts.urls(live, stream.data.streamId).secureStreamUrl;
}

const DATA_TRACK_KEYS = ['kind', 'format', 'count', 'invalid', 'last', 'last_ms'] as const;
/** The type of the health has exactly these, so that no key is missing on either side. */
const HEALTH_KEYS = [
  'video_bitrate',
  'video_framerate',
  'video_gop_size',
  'video_height',
  'video_width',
  'audio_bitrate',
  'video_codec',
  'video_profile',
  'video_level',
  'audio_codec',
  'audio_sample_rate',
  'audio_channels',
  'since_key_frame_ms',
  'render_lag_percent',
  'encoder_skip_percent',
  'network_drop_percent',
  'latency_ms',
  'loudness_lufs',
  'picture',
  'data_tracks',
  'encoder',
  'stream_time_ms',
  'bytes_received',
  'open_errors',
] as const;

type HealthView = Record<(typeof HEALTH_KEYS)[number], unknown>;
type DataTrackRow = Record<(typeof DATA_TRACK_KEYS)[number], unknown>;

const HEALTH_SELECTIONS: ObjectKeys = new Map([
  ...objectKeys(HEALTH_KEYS.join()),
  ['data_tracks', objectKeys(DATA_TRACK_KEYS.join())],
]);

export const inputStreamType = defineNodeType<InputStream>({
  typeName: 'LiveVideoInputStream',
  node: 'input_stream',
  idOf: (stream) => stream.id,
  fields: {
    id: {
      type: 'numeric string',
      description: 'Id of the input stream.',
      isDefault: true,
      read: (stream) => stream.id,
    },
    stream_id: {
      type: 'string',
      description: '0: primary, 1: backup.',
      isDefault: true,
      read: (stream) => stream.data.streamId,
    },
    stream_url: { type: 'string', description: 'URL that the encoder publishes to.', isDefault: true, read: urlOf },
    secure_stream_url: { type: 'string', description: 'stream_url over RTMPS.', isDefault: true, read: urlOf },
    dash_ingest_url: absent('string', 'Not available: DASH ingest is not supported.'),
    dash_preview_url: absent('string', 'Not available: DASH playback is not supported.'),
    is_master: {
      type: 'bool',
      description: 'Whether viewers see this input stream.',
      isDefault: true,
      read: async (stream, call) => (await masterId(stream, call)) === stream.data.streamId,
    },
    on_air: {
      type: 'bool',
      description: 'Whether its stream is the broadcast now. Absent for a live video with one input stream.',
      isDefault: true,
      read: async (stream, call) => {
        const live = await liveOf(stream, call);
        if (live === undefined || inputStreamOf(live.data, '1') === undefined) return undefined;
        const health = await call.services.broadcasts.health(live.id);
        return health?.connected === true && health.inputStream === stream.id;
      },
    },
    stream_health: {
      type: 'object',
      description: 'Current stream: bitrates in bit/s, key frame interval in ms, size in pixels.',
      isDefault: true,
      keys: HEALTH_SELECTIONS,
      read: async (stream, call) => {
        const live = await liveOf(stream, call);
        if (live !== undefined && inputStreamOf(live.data, '1') !== undefined)
          return healthView(await call.services.broadcasts.inputHealth(live.id, stream.id));
        // The connected encoder counts as the master input stream.
        if ((await masterId(stream, call)) !== stream.data.streamId) return undefined;
        return healthView(await call.services.broadcasts.health(stream.data.liveVideoId));
      },
    },
  },
});

/** Keys of the conventions first, then extensions. `undefined` while no encoder is connected. */
export function healthView(health: StreamHealth | undefined): HealthView | undefined {
  if (health === undefined || !health.connected) return undefined;
  return {
    video_bitrate: health.videoBitrateKbps === undefined ? undefined : Math.round(health.videoBitrateKbps * 1000),
    video_framerate: health.frameRate,
    video_gop_size: health.keyFrameIntervalMs,
    video_height: health.height,
    video_width: health.width,
    audio_bitrate: health.audioBitrateKbps === undefined ? undefined : Math.round(health.audioBitrateKbps * 1000),
    video_codec: health.videoCodec,
    video_profile: health.profileIdc,
    video_level: health.levelIdc === undefined ? undefined : health.levelIdc / 10,
    audio_codec: health.audioCodec,
    audio_sample_rate: health.sampleRate,
    audio_channels: health.channels,
    since_key_frame_ms: health.sinceKeyFrameMs,
    render_lag_percent: health.renderLagPercent,
    encoder_skip_percent: health.encoderSkipPercent,
    network_drop_percent: health.networkDropPercent,
    latency_ms: health.latencyMs,
    loudness_lufs: health.loudnessLufs,
    picture: health.picture,
    data_tracks: dataTrackRows(health.dataTracks),
    encoder: health.encoder,
    stream_time_ms: health.streamTimeMs,
    bytes_received: health.bytesReceived,
    open_errors: health.openErrors,
  };
}

function dataTrackRows(tracks: StreamHealth['dataTracks']): DataTrackRow[] | undefined {
  return tracks?.map(({ kind, format, count, invalid, last, lastMs: last_ms }) => {
    return { kind, format, count, invalid, last, last_ms };
  });
}

export const inputStreamsEdge = defineEdge<LiveVideoData, z.ZodObject>({
  row: inputStreamType,
  params: z.object({}),
  follows: ['inputStreamIds'],
  read: async ({ call, owner, paging }) =>
    pageOfList<InputStream>(await inputStreamsOf(owner, call), (row) => row.id, paging),
});

/** Creates the backup input stream: at most one, and only before media arrives. */
export const createInputStream = operation<LiveVideoData, z.ZodObject>(z.object({}), async (call, live) => {
  const id = call.services.ids.next();
  const data: InputStreamData = { liveVideoId: live.id, streamId: '1' };
  const at = { createdMs: call.nowMs, updatedMs: call.nowMs };
  await editObject<LiveVideoData>(
    call,
    live.id,
    (current) => {
      if (current.crosspostOf !== undefined) throw parameterError('A cross-posted copy has no stream of its own');
      if (current.stream !== 'waiting')
        throw parameterError('Input streams can be created only before the encoder connects');
      const ids = current.inputStreamIds ?? [];
      if (ids.length > 1) throw parameterError('A live video has at most two input streams');
      return { ...current, inputStreamIds: [...ids, id] };
    },
    [{ op: 'put', object: { id, kind: 'input_stream', ...at, data }, expect: 0 }],
  );
  return { body: { id } };
});

const updateParams = z.object({ on_air: bool().optional() });

/** `on_air=true`: the switch follows with the next key frame of its encoder. */
export const updateInputStream = operation<InputStreamData, typeof updateParams>(
  updateParams,
  async (call, stream, params) => {
    if (params.on_air === false)
      throw parameterError('Param on_air must be true: put the other input stream on air instead');
    const live = await liveOf(stream, call);
    if (live === undefined) throw parameterError('The live video of this input stream does not exist');
    if (params.on_air === true) {
      const line = changeLine(call, 'put on air', live);
      await call.services.broadcasts.request(live.id, { type: 'put-on-air', inputStreamId: stream.id }, [line]);
    }
    return SUCCESS;
  },
);
