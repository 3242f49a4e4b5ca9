/** Fields of videos. The Video of a broadcast inherits some fields from the broadcast. */
import { COUNTER, VOLATILE } from '../../../ports/index.js';
import { isPublished, isShownBroadcast } from '../../access/published.js';
import type { Call } from '../../graph/call.js';
import { absent, defineNodeType, type Field, Ref } from '../../graph/node-type.js';
import { objectKeys } from '../../graph/object-keys.js';
import { absolute, graphTime } from '../../graph/values.js';
import { broadcastOf, copyrightCheckOf, isCrosspostable, mediaOf, type Video } from '../shared/documents.js';
import { embedHtml, isEmbeddable } from '../shared/embed.js';
import { PRIVACY_KEYS, privacyView } from '../shared/privacy.js';
import { ownerRef } from '../shared/profile.js';
import { STATUS_KEYS, statusOf } from './status.js';

const stored = (type: string, description: string, name: string): Field<Video> => ({
  type,
  description,
  read: (video) => video.data[name],
});

const MEDIA = ['crosspostOf'];
const PICTURE = ['crosspostOf', 'preferredThumbnailId'];
const VIEWS = { counter: COUNTER.views };

export const videoType = defineNodeType<Video>({
  typeName: 'Video',
  node: 'video',
  idOf: (video) => video.id,
  fields: {
    description: {
      type: 'string',
      description: 'Description.',
      isDefault: true,
      read: (video) => video.data.description || undefined,
    },
    updated_time: {
      type: 'datetime',
      description: 'Time of the last change.',
      isDefault: true,
      read: (video, call) => graphTime(video.updatedMs, call),
    },
    id: { type: 'numeric string', description: 'Id of the video.', isDefault: true, read: (video) => video.id },
    created_time: {
      type: 'datetime',
      description: 'When the video was created.',
      read: (video, call) => graphTime(video.createdMs, call),
    },
    title: { type: 'string', description: 'Title.', read: (video) => video.data.title || undefined },
    name: { type: 'string', description: 'The same as title.', read: (video) => video.data.title || undefined },
    from: {
      type: 'Profile',
      description: 'Owner; for a video in a group, the uploader.',
      follows: ['fromId', 'ownerId'],
      read: (video, call) => ownerRef(video.data.fromId ?? video.data.ownerId, call),
    },
    length: {
      type: 'float',
      description: 'Duration in seconds.',
      follows: MEDIA,
      read: async (video, call) => {
        const { lengthMs } = (await mediaOf(video, call)).data;
        return lengthMs === undefined ? undefined : lengthMs / 1000;
      },
    },
    source: {
      type: 'string',
      description: 'URL of the playable file.',
      follows: MEDIA,
      read: async (video, call) => absolute((await mediaOf(video, call)).data.sourceUrl, call),
    },
    picture: {
      type: 'string',
      description: 'URL of the thumbnail.',
      follows: PICTURE,
      read: (video, call) => pictureOf(video, call),
    },
    icon: absent('string', 'Not available: videos have no icon.'),
    embed_html: {
      type: 'string',
      description: 'An iframe for web pages; present for public videos.',
      read: async (video, call) =>
        (await isEmbeddable(video, call.loader, call.nowMs)) ? embedHtml(video, call.originOf()) : undefined,
    },
    embeddable: {
      type: 'bool',
      description: 'Whether the video may be embedded.',
      read: (video) => video.data.embeddable ?? true,
    },
    permalink_url: {
      type: 'string',
      description: 'Path of the page of the video.',
      read: (video) => `/${video.data.ownerId}/videos/${video.id}/`,
    },
    post_id: {
      type: 'string',
      description: 'Id of the post of this video.',
      read: (video) => `${video.data.ownerId}_${video.id}`,
    },
    published: {
      type: 'bool',
      description: 'False for scheduled videos and drafts.',
      read: async (video, call) => {
        const live = await broadcastOf(video, call);
        return live === undefined ? isPublished(video.data, call.nowMs) : isShownBroadcast(live.data, call.nowMs);
      },
    },
    scheduled_publish_time: {
      type: 'datetime',
      description: 'When a scheduled video is published.',
      read: (video, call) =>
        isPublished(video.data, call.nowMs) ? undefined : graphTime(video.data.scheduledPublishMs, call),
    },
    status: {
      type: 'VideoStatus',
      description: 'Progress of upload and processing.',
      keys: STATUS_KEYS,
      follows: MEDIA,
      read: statusOf,
    },
    privacy: {
      type: 'Privacy',
      description: 'Audience of the video.',
      keys: PRIVACY_KEYS,
      read: (video, call) => privacyView(video.data, call.loader),
    },
    format: {
      type: 'list<object>',
      description: 'Renditions.',
      keys: objectKeys('embed_html,filter,width,height,picture'),
      follows: PICTURE,
      read: formatsOf,
    },
    content_category: {
      type: 'string',
      description: 'Category.',
      read: (video) => video.data.contentCategory ?? 'OTHER',
    },
    content_tags: stored('list<string>', 'Content tags.', 'contentTags'),
    custom_labels: stored('list<string>', 'Labels that the owner set.', 'customLabels'),
    backdated_time: {
      type: 'datetime',
      description: 'Backdated publication time.',
      read: (video, call) => graphTime(video.data.backdatedMs, call),
    },
    backdated_time_granularity: stored('string', 'Precision of backdated_time.', 'backdatedGranularity'),
    expiration: {
      type: 'object',
      description: 'Time and type of expiration.',
      keys: objectKeys('time,type'),
      read: (video, call) =>
        video.data.expiration && {
          time: graphTime(video.data.expiration.timeMs, call),
          type: video.data.expiration.type,
        },
    },
    ad_breaks: stored('list<int>', 'Positions of ad breaks, in milliseconds.', 'adBreaksMs'),
    live_status: {
      type: 'string',
      description: 'State of the broadcast; absent if the video was never live.',
      read: liveStatusOf,
    },
    live_audience_count: {
      type: 'int',
      description: 'Number of current viewers of the broadcast.',
      read: async (video, call) => {
        if (video.data.liveVideoId === undefined) return undefined;
        const count = await call.services.store.volatile.get(VOLATILE.viewers(video.data.liveVideoId));
        return typeof count === 'number' ? count : 0;
      },
    },
    views: { type: 'int', description: 'Number of plays.', counts: VIEWS, read: viewsOf },
    post_views: { type: 'int', description: 'Number of plays in the post.', counts: VIEWS, read: viewsOf },
    is_crosspost_video: {
      type: 'bool',
      description: 'Whether the video is a cross-posted copy.',
      read: (video) => video.data.crosspostOf !== undefined,
    },
    is_crossposting_eligible: {
      type: 'bool',
      description: 'Whether the video may be cross-posted.',
      follows: MEDIA,
      read: isCrosspostable,
    },
    is_episode: { type: 'bool', description: 'Always false here.', read: () => false },
    is_instagram_eligible: { type: 'bool', description: 'Always false here.', read: () => false },
    is_reference_only: {
      type: 'bool',
      description: 'Whether the video is only a copyright reference, which is not shown.',
      read: (video) => video.data.isReferenceOnly ?? false,
    },
    spherical: {
      type: 'bool',
      description: 'Whether this is a 360-degree video.',
      read: (video) => video.data.spherical ?? false,
    },
    upload_session_id: {
      type: 'numeric string',
      description: 'Session of the upload, while it is under way; for managers.',
      read: async (video, call) =>
        video.data.videoStatus === 'uploading' && (await call.access.manages(video.data.ownerId))
          ? video.data.uploadSessionId
          : undefined,
    },
    universal_video_id: stored('string', "The owner's own id of the video.", 'universalVideoId'),
    admin_creator: {
      type: 'Profile',
      description: 'User who posted the video for the Page.',
      follows: ['adminCreatorId'],
      read: async (video, call) =>
        video.data.adminCreatorId !== undefined && (await call.access.manages(video.data.ownerId))
          ? ownerRef(video.data.adminCreatorId, call)
          : undefined,
    },
    copyright_check_information: {
      type: 'object',
      description: 'State of the copyright check.',
      keys: objectKeys('status{status,matches_found}'),
      follows: MEDIA,
      read: async (video, call) => ({ status: await copyrightCheckOf(video, call) }),
    },
    event: absent('Event', 'Not available: events are not supported.'),
    place: absent('Place', 'Not available: places are not supported.'),
    copyright: absent('VideoCopyright', 'Not available: rights are not monitored.'),
    copyright_monitoring_status: absent('string', 'Not available: rights are not monitored.'),
    audio_isrc: absent('AudioIsrc', 'Not available: rights are not monitored.'),
    music_video_copyright: absent('MusicVideoCopyright', 'Not available: rights are not monitored.'),
    premiere_living_room_status: absent('string', 'Not available: premieres are not supported.'),
    boost_eligibility_info: absent('object', 'Not available: advertising is not supported.'),
    live_video: {
      type: 'LiveVideo',
      description: 'The broadcast of this Video.',
      read: liveRef,
    },
  },
});

async function liveRef(video: Video, call: Call): Promise<Ref | undefined> {
  const live = await broadcastOf(video, call);
  if (live === undefined) return undefined;
  return new Ref('live_video', live, ['status', 'id']);
}

async function liveStatusOf(video: Video, call: Call): Promise<string | undefined> {
  const live = await broadcastOf(video, call);
  if (live === undefined || live.data.broadcastStartMs === undefined) return undefined;
  return { LIVE: 'LIVE', LIVE_STOPPED: 'LIVE_STOPPED', PROCESSING: 'LIVE_STOPPED', VOD: 'VOD' }[
    live.data.status as string
  ];
}

async function viewsOf(video: Video, call: Call): Promise<number> {
  return call.loader.counter(video.id, COUNTER.views);
}

export async function pictureOf(video: Video, call: Call): Promise<string | undefined> {
  const id = (await mediaOf(video, call)).data.preferredThumbnailId;
  const thumbnail = id === undefined ? undefined : await call.loader.load(id);
  return absolute((thumbnail?.data as { url?: string } | undefined)?.url, call);
}

async function formatsOf(video: Video, call: Call): Promise<object[] | undefined> {
  const { width, height, sourceUrl } = (await mediaOf(video, call)).data;
  if (sourceUrl === undefined || width === undefined || height === undefined) return undefined;
  const frame = (await isEmbeddable(video, call.loader, call.nowMs)) ? embedHtml(video, call.originOf()) : '';
  return [{ embed_html: frame, filter: 'native', width, height, picture: await pictureOf(video, call) }];
}
