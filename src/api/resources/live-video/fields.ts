/** Fields of live videos. Stream URLs contain the stream key, so only those who may publish get them. */

import type { LiveVideoData } from '../../../lifecycle/documents.js';
import { encoderSetupView } from '../../../lifecycle/encoder-setup.js';
import { COUNTER, inputStreamOf, VOLATILE } from '../../../ports/index.js';
import { LIVE } from '../../../spec/live.js';
import type { Call } from '../../graph/call.js';
import { absent, defineNodeType, type Field, Ref, Refs } from '../../graph/node-type.js';
import { keysOfObject, objectKeys } from '../../graph/object-keys.js';
import { graphTime, withFormattedTime } from '../../graph/values.js';
import { recommendedSettings } from '../encoder-settings.js';
import { inputStreamsOf } from '../input-stream.js';
import type { LiveVideo, Video } from '../shared/documents.js';
import { embedHtml, isEmbeddable } from '../shared/embed.js';
import { PRIVACY_KEYS, privacyView } from '../shared/privacy.js';
import { ownerRef } from '../shared/profile.js';
import { healthStatus } from './health-status.js';

const forManagers =
  (read: Field<LiveVideo>['read']) =>
  async (live: LiveVideo, call: Call): Promise<unknown> =>
    (await call.access.manages(live.data.ownerId)) ? read(live, call) : undefined;

const managedHealth = forManagers(healthStatus);

function forPublishers(read: Field<LiveVideo>['read']): Field<LiveVideo>['read'] {
  const managed = forManagers(read);
  return (live, call) => {
    // A cross-posted copy has no stream key.
    if (live.data.crosspostOf !== undefined || !call.access.hasPublishScope(live.data.ownerKind)) return undefined;
    return managed(live, call);
  };
}

const secureUrl = forPublishers((live, call) => call.services.broadcasts.urls(live).secureStreamUrl);

const secondaryUrls = forPublishers((live, call) => {
  const { broadcasts } = call.services;
  if (inputStreamOf(live.data, '1') !== undefined) return [broadcasts.urls(live, '1').secureStreamUrl];
  // Created by a version in which both encoders had the same key.
  return live.data.enableBackupIngest === true ? [broadcasts.urls(live).secureStreamUrl] : [];
});

const stored = (type: string, description: string, name: string): Field<LiveVideo> => ({
  type,
  description,
  read: (live) => live.data[name],
});

export const liveVideoType = defineNodeType<LiveVideo>({
  typeName: 'LiveVideo',
  node: 'live_video',
  idOf: (live) => live.id,
  fields: {
    id: { type: 'numeric string', description: 'Id of the live video.', isDefault: true, read: (live) => live.id },
    status: {
      type: 'string',
      description: 'State of the broadcast.',
      isDefault: true,
      read: (live) => live.data.status,
    },
    title: { type: 'string', description: 'Title.', isDefault: true, read: (live) => live.data.title },
    stream_url: { type: 'string', description: 'URL that the encoder publishes to.', isDefault: true, read: secureUrl },
    secure_stream_url: { type: 'string', description: 'stream_url over RTMPS.', isDefault: true, read: secureUrl },
    stream_secondary_urls: { type: 'list<string>', description: 'URLs for a backup encoder.', read: secondaryUrls },
    secure_stream_secondary_urls: {
      type: 'list<string>',
      description: 'stream_secondary_urls over RTMPS.',
      read: secondaryUrls,
    },
    embed_html: {
      type: 'string',
      description: 'An iframe for web pages; empty while the video is not public.',
      isDefault: true,
      follows: ['videoId'],
      read: embedOf,
    },
    hls_preview_url: {
      type: 'string',
      description: 'HLS playlist of the running stream; valid for some minutes.',
      read: (live, call) => previewOf(live, call)?.hls,
    },
    flv_preview_url: {
      type: 'string',
      description: 'The running stream as FLV, over HTTP or WebSocket; valid for some minutes.',
      read: (live, call) => previewOf(live, call)?.flv,
    },
    dash_ingest_url: absent('string', 'Not available: DASH ingest is not supported.'),
    dash_preview_url: absent('string', 'Not available: DASH playback is not supported; see hls_preview_url.'),
    copyright: absent('VideoCopyright', 'Not available: rights are not monitored.'),
    ad_break_config: absent('object', 'Not available: advertising is not supported.'),
    ad_break_failure_reason: absent('string', 'Not available: advertising is not supported.'),
    overlay_url: absent('string', 'Not available: overlays are not supported.'),
    description: { type: 'string', description: 'Description.', read: (live) => live.data.description },
    creation_time: {
      type: 'datetime',
      description: 'When the live video was created.',
      read: (live, call) => graphTime(live.createdMs, call),
    },
    broadcast_start_time: {
      type: 'datetime',
      description: 'When the broadcast first went LIVE.',
      read: (live, call) => graphTime(live.data.broadcastStartMs, call),
    },
    planned_start_time: {
      type: 'datetime',
      description: 'When a scheduled broadcast starts.',
      read: (live, call) => graphTime(live.data.plannedStartMs, call),
    },
    from: {
      type: 'Profile',
      description: 'Owner.',
      follows: ['ownerId'],
      read: (live, call) => ownerRef(live.data.ownerId, call),
    },
    video: { type: 'Video', description: 'The Video of the broadcast.', follows: ['videoId'], read: videoRef },
    permalink_url: {
      type: 'string',
      description: 'Path of the page of the video.',
      read: (live) => `/${live.data.ownerId}/videos/${live.data.videoId}/`,
    },
    live_views: { type: 'int', description: 'Number of current viewers.', read: viewersNow },
    total_views: {
      type: 'string',
      description: 'Total number of views.',
      counts: { counter: COUNTER.views, via: 'videoId' },
      read: async (live, call) => String(await call.loader.counter(live.data.videoId, COUNTER.views)),
    },
    preflight: {
      type: 'object',
      description: 'Result of the last preflight (`?preflight=1` after the stream key); kept for a day.',
      keys: objectKeys('result,atMs,streamTimeMs,rules{code,type,title,judged,observed,limit,unit}'),
      read: forManagers((live, call) => kept(VOLATILE.preflight(live.id), call)),
    },
    probe_disagreement: {
      type: 'object',
      description: 'Last difference that ffprobe found in a sample of the stream; kept for a day.',
      keys: objectKeys('liveVideoId,atMs,differences{what,judge,ffprobe}'),
      read: forManagers((live, call) => kept(VOLATILE.disagreement(live.id), call)),
    },
    seconds_left: {
      type: 'int',
      description: 'Seconds until the maximum duration is reached.',
      read: (live, call) => Math.ceil(millisecondsLeft(live.data, call.nowMs) / 1000),
    },
    ingest_streams: {
      type: 'list<LiveVideoInputStream>',
      description: 'Input streams.',
      follows: ['inputStreamIds'],
      read: forManagers(
        async (live, call) => new Refs((await inputStreamsOf(live, call)).map((row) => new Ref('input_stream', row))),
      ),
    },
    stream_state: {
      type: 'waiting, connected, interrupted or ended',
      description: 'State of the stream, independent of the state of the broadcast.',
      read: (live) => live.data.stream,
    },
    encoder_setup: {
      type: 'object',
      description: 'Settings that OBS asked this server for, and whether the current or last publish used them.',
      keys: objectKeys(`
        configured,time,client,width,height,frame_rate,video_bitrate_kbps,
        tracks{track,width,height,video_bitrate_kbps}`),
      read: forManagers((live, call) => encoderSetupView(live.data, (ms) => graphTime(ms, call))),
    },
    health_status: {
      operators: true,
      type: 'good, warning, poor or no_data',
      description: 'State of the running stream: `poor` with an open error, `warning` with another open record.',
      read: (live, call) => (call.access.readsAllErrors ? healthStatus(live, call) : managedHealth(live, call)),
    },
    end_reason: {
      type: 'object',
      description: 'Why the broadcast ended, if its owner did not end it.',
      keys: objectKeys('code,type,text'),
      read: forManagers((live) => live.data.endReason),
    },
    is_manual_mode: {
      type: 'bool',
      description: 'Whether a scheduled broadcast is started manually.',
      read: (live) => live.data.isManualMode ?? false,
    },
    is_reference_only: { type: 'bool', description: 'Always false here.', read: () => false },
    recommended_encoder_settings: {
      type: 'object',
      description: 'Encoder settings that conform to the specification.',
      keys: keysOfObject(recommendedSettings()),
      read: () => recommendedSettings(),
    },
    privacy: {
      type: 'Privacy',
      description: 'Audience of the video.',
      keys: PRIVACY_KEYS,
      read: (live, call) => privacyView(live.data, call.loader),
    },
    targeting: absent('object', 'Not available: an audience is restricted by privacy.'),
    content_tags: stored('list<string>', 'Content tags.', 'contentTags'),
    encoder_profile: stored(
      'string',
      'Profile that encoders are set up with; auto: the largest that fits.',
      'encoderProfile',
    ),
    encoder_bitrate: stored(
      'int',
      'Video bitrate in kbps that encoders are set up with; 0: by profile.',
      'encoderKbps',
    ),
    enable_multitrack: stored('bool', 'Encoders are set up with several video tracks.', 'isMultitrack'),
    custom_labels: stored('list<string>', 'Labels that the owner set.', 'customLabels'),
  },
});

/** A short-lived value. */
async function kept(key: string, call: Call): Promise<unknown> {
  return withFormattedTime(await call.services.store.volatile.get(key), call);
}

async function embedOf(live: LiveVideo, call: Call): Promise<string> {
  const video = (await call.loader.load(live.data.videoId)) as Video | undefined;
  return video && (await isEmbeddable(video, call.loader, call.nowMs)) ? embedHtml(video, call.originOf()) : '';
}

/** No further check: permission to read the broadcast includes permission to watch it. */
function previewOf(live: LiveVideo, call: Call): { hls: string; flv: string } | undefined {
  if (live.data.stream !== 'connected') return undefined;
  const links = call.services.playbackLinks?.(live.data.crosspostOf ?? live.id, call.viewer?.tokenId);
  return links && { hls: `${call.originOf()}${links.hls}`, flv: `${call.originOf()}${links.flv}` };
}

async function videoRef(live: LiveVideo, call: Call): Promise<Ref | undefined> {
  const video = await call.loader.load(live.data.videoId);
  return video === undefined ? undefined : new Ref('video', video, ['id']);
}

/** Reported periodically by the playback service; expires when the reports stop. */
async function viewersNow(live: LiveVideo, call: Call): Promise<number> {
  if (live.data.status !== 'LIVE') return 0;
  const count = await call.services.store.volatile.get(VOLATILE.viewers(live.data.crosspostOf ?? live.id));
  return typeof count === 'number' ? count : 0;
}

function millisecondsLeft(data: LiveVideoData, nowMs: number): number {
  if (data.endedMs !== undefined) return 0;
  if (data.broadcastStartMs === undefined) return LIVE.duration.maxMs;
  return Math.max(0, LIVE.duration.maxMs - (nowMs - data.broadcastStartMs));
}
