/** Live videos: what GET gives. Stream URLs hold the key, so only those who manage the broadcast get them. */

import type { LiveVideoData } from '../../../broadcast/documents.js';
import { COUNTER, VOLATILE } from '../../../ports/index.js';
import { LIVE } from '../../../spec/live.js';
import type { Call } from '../../graph/call.js';
import { absent, defineNodeType, type Field, Ref, Refs } from '../../graph/node-type.js';
import { graphTime } from '../../graph/values.js';
import { recommendedSettings } from '../encoder-settings.js';
import { inputStreamsOf } from '../input-stream.js';
import type { LiveVideo, Video } from '../shared/documents.js';
import { embedHtml, isEmbeddable } from '../shared/embed.js';
import { privacyView } from '../shared/privacy.js';
import { ownerRef } from '../shared/profile.js';

const forManagers =
  <T>(read: (live: LiveVideo, call: Call) => T | Promise<T>) =>
  async (live: LiveVideo, call: Call): Promise<T | undefined> =>
    (await call.access.manages(live.data.ownerId)) ? read(live, call) : undefined;

const secureUrl = forManagers((live, call) => call.services.broadcasts.urls(live).secureStreamUrl);

/** A second encoder uses the same URL: the newer connection takes over when the first has fallen silent. */
const secondaryUrls = forManagers((live, call) =>
  live.data.enableBackupIngest === true ? [call.services.broadcasts.urls(live).secureStreamUrl] : [],
);

const kept = (type: string, description: string, name: string): Field<LiveVideo> => ({
  type,
  description,
  read: (live) => live.data[name],
});

export const liveVideoType = defineNodeType<LiveVideo>({
  typeName: 'LiveVideo',
  node: 'live_video',
  idOf: (live) => live.id,
  fields: {
    id: { type: 'numeric string', description: 'The broadcast.', isDefault: true, read: (live) => live.id },
    status: { type: 'string', description: 'Its state.', isDefault: true, read: (live) => live.data.status },
    title: { type: 'string', description: 'Its title.', isDefault: true, read: (live) => live.data.title },
    stream_url: { type: 'string', description: 'Where an encoder sends to.', isDefault: true, read: secureUrl },
    secure_stream_url: { type: 'string', description: 'The same over RTMPS.', isDefault: true, read: secureUrl },
    stream_secondary_urls: { type: 'list<string>', description: 'For a backup encoder.', read: secondaryUrls },
    secure_stream_secondary_urls: { type: 'list<string>', description: 'For a backup encoder.', read: secondaryUrls },
    embed_html: {
      type: 'string',
      description: 'A frame for web pages; empty while it is not shown.',
      isDefault: true,
      follows: ['videoId'],
      read: embedOf,
    },
    hls_preview_url: {
      type: 'string',
      description: 'A playlist of the running stream, for some minutes.',
      read: (live, call) => previewOf(live, call)?.hls,
    },
    flv_preview_url: {
      type: 'string',
      description: 'The running stream as FLV, over HTTP or a WebSocket, for some minutes.',
      read: (live, call) => previewOf(live, call)?.flv,
    },
    dash_ingest_url: absent('string', 'Streams are not taken over DASH here.'),
    dash_preview_url: absent('string', 'Streams are not shown over DASH here; see hls_preview_url.'),
    copyright: absent('VideoCopyright', 'Rights are not monitored here.'),
    ad_break_config: absent('object', 'There is no advertising here.'),
    ad_break_failure_reason: absent('string', 'There is no advertising here.'),
    overlay_url: absent('string', 'There are no overlays here.'),
    description: { type: 'string', description: 'Its description.', read: (live) => live.data.description },
    creation_time: {
      type: 'datetime',
      description: 'When it was made.',
      read: (live, call) => graphTime(live.createdMs, call),
    },
    broadcast_start_time: {
      type: 'datetime',
      description: 'When it went LIVE first.',
      read: (live, call) => graphTime(live.data.broadcastStartMs, call),
    },
    planned_start_time: {
      type: 'datetime',
      description: 'When a scheduled one begins.',
      read: (live, call) => graphTime(live.data.plannedStartMs, call),
    },
    from: {
      type: 'Profile',
      description: 'Its owner.',
      follows: ['ownerId'],
      read: (live, call) => ownerRef(live.data.ownerId, call),
    },
    video: { type: 'Video', description: 'Its Video.', follows: ['videoId'], read: videoRef },
    permalink_url: {
      type: 'string',
      description: 'Path of its page.',
      read: (live) => `/${live.data.ownerId}/videos/${live.data.videoId}/`,
    },
    live_views: { type: 'int', description: 'Who watches now.', read: viewersNow },
    total_views: {
      type: 'string',
      description: 'Who has watched.',
      counts: { counter: COUNTER.views, via: 'videoId' },
      read: async (live, call) => String(await call.loader.counter(live.data.videoId, COUNTER.views)),
    },
    preflight: {
      type: 'object',
      description: 'The verdict of the last preflight (`?preflight=1` behind the stream key), for a day.',
      read: forManagers((live, call) => call.services.store.volatile.get(VOLATILE.preflight(live.id))),
    },
    probe_disagreement: {
      type: 'object',
      description: 'What ffprobe last saw differently in a sample of the stream, for a day.',
      read: forManagers((live, call) => call.services.store.volatile.get(VOLATILE.disagreement(live.id))),
    },
    seconds_left: {
      type: 'int',
      description: 'What is left of the longest duration.',
      read: (live, call) => Math.ceil(millisecondsLeft(live.data, call.nowMs) / 1000),
    },
    ingest_streams: {
      type: 'list<LiveVideoInputStream>',
      description: 'Its input streams.',
      follows: ['inputStreamIds'],
      read: forManagers(
        async (live, call) => new Refs((await inputStreamsOf(live, call)).map((row) => new Ref('input_stream', row))),
      ),
    },
    stream_state: {
      type: 'waiting, connected, interrupted or ended',
      description: 'The stream beside the state of the broadcast.',
      read: (live) => live.data.stream,
    },
    end_reason: {
      type: 'object',
      description: 'Why it was ended, when it was not by its owner.',
      read: forManagers((live) => live.data.endReason),
    },
    is_manual_mode: {
      type: 'bool',
      description: 'A scheduled one starts by hand.',
      read: (live) => live.data.isManualMode ?? false,
    },
    is_reference_only: { type: 'bool', description: 'Only for rights monitoring.', read: () => false },
    recommended_encoder_settings: {
      type: 'object',
      description: 'Settings that meet the specification.',
      read: () => recommendedSettings(),
    },
    privacy: {
      type: 'Privacy',
      description: 'Who may see it.',
      read: (live, call) => privacyView(live.data, call.loader),
    },
    targeting: kept('object', 'Limits of the audience.', 'targeting'),
    content_tags: kept('list<string>', 'Tags of its content.', 'contentTags'),
    custom_labels: kept('list<string>', 'Labels of its owner.', 'customLabels'),
  },
});

async function embedOf(live: LiveVideo, call: Call): Promise<string> {
  const video = (await call.loader.load(live.data.videoId)) as Video | undefined;
  return video && (await isEmbeddable(video, call.loader, call.nowMs)) ? embedHtml(video, call.origin) : '';
}

/** Whoever may read the broadcast may watch it. */
function previewOf(live: LiveVideo, call: Call): { hls: string; flv: string } | undefined {
  if (live.data.stream !== 'connected') return undefined;
  const links = call.services.playbackLinks?.(live.id);
  return links && { hls: `${call.origin}${links.hls}`, flv: `${call.origin}${links.flv}` };
}

async function videoRef(live: LiveVideo, call: Call): Promise<Ref | undefined> {
  const video = await call.loader.load(live.data.videoId);
  return video === undefined ? undefined : new Ref('video', video, ['id']);
}

/** Told by the playback side for as long as it goes on telling. */
async function viewersNow(live: LiveVideo, call: Call): Promise<number> {
  if (live.data.status !== 'LIVE') return 0;
  const count = await call.services.store.volatile.get(VOLATILE.viewers(live.id));
  return typeof count === 'number' ? count : 0;
}

function millisecondsLeft(data: LiveVideoData, nowMs: number): number {
  if (data.endedMs !== undefined) return 0;
  if (data.broadcastStartMs === undefined) return LIVE.duration.maxMs;
  return Math.max(0, LIVE.duration.maxMs - (nowMs - data.broadcastStartMs));
}
