/** Videos: what GET gives. The Video of a broadcast takes from it what it does not have itself. */
import { COUNTER, VOLATILE } from '../../../ports/index.js';
import { SERVICE_CODES } from '../../../rules/registry/service-codes.js';
import { isPublished } from '../../access/published.js';
import type { Call } from '../../graph/call.js';
import { absent, defineNodeType, type Field, Ref } from '../../graph/node-type.js';
import { absolute, graphTime } from '../../graph/values.js';
import { broadcastOf, mediaOf, type Video } from '../shared/documents.js';
import { embedHtml, isEmbeddable } from '../shared/embed.js';
import { privacyView } from '../shared/privacy.js';
import { ownerRef } from '../shared/profile.js';
import { statusOf } from './status.js';

const kept = (type: string, description: string, name: string): Field<Video> => ({
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
      description: 'Text of the post.',
      isDefault: true,
      read: (video) => video.data.description || undefined,
    },
    updated_time: {
      type: 'datetime',
      description: 'Last change.',
      isDefault: true,
      read: (video, call) => graphTime(video.updatedMs, call),
    },
    id: { type: 'numeric string', description: 'The video.', isDefault: true, read: (video) => video.id },
    created_time: {
      type: 'datetime',
      description: 'When it was made.',
      read: (video, call) => graphTime(video.createdMs, call),
    },
    title: { type: 'string', description: 'Its title.', read: (video) => video.data.title || undefined },
    from: {
      type: 'Profile',
      description: 'Its owner; in a group who uploaded it.',
      follows: ['fromId', 'ownerId'],
      read: (video, call) => ownerRef(video.data.fromId ?? video.data.ownerId, call),
    },
    length: {
      type: 'float',
      description: 'Seconds.',
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
    icon: absent('string', 'URL of an icon; videos have none here.'),
    embed_html: {
      type: 'string',
      description: 'A frame for web pages, of videos that everybody may see.',
      read: async (video, call) =>
        (await isEmbeddable(video, call.loader, call.nowMs)) ? embedHtml(video, call.origin) : undefined,
    },
    embeddable: {
      type: 'bool',
      description: 'Whether it may be embedded.',
      read: (video) => video.data.embeddable ?? true,
    },
    permalink_url: {
      type: 'string',
      description: 'Path of its page.',
      read: (video) => `/${video.data.ownerId}/videos/${video.id}/`,
    },
    post_id: {
      type: 'string',
      description: 'The post of this video.',
      read: (video) => `${video.data.ownerId}_${video.id}`,
    },
    published: {
      type: 'bool',
      description: 'False for scheduled ones and drafts.',
      read: async (video, call) => {
        const live = await broadcastOf(video, call);
        return live === undefined
          ? isPublished(video.data, call.nowMs)
          : /^(LIVE|LIVE_STOPPED|PROCESSING|VOD)$/.test(live.data.status);
      },
    },
    scheduled_publish_time: {
      type: 'datetime',
      description: 'When a scheduled one appears.',
      read: (video, call) =>
        isPublished(video.data, call.nowMs) ? undefined : graphTime(video.data.scheduledPublishMs, call),
    },
    status: { type: 'VideoStatus', description: 'How far it is.', follows: MEDIA, read: statusOf },
    privacy: {
      type: 'Privacy',
      description: 'Who may see it.',
      read: (video, call) => privacyView(video.data, call.loader),
    },
    format: { type: 'list<object>', description: 'Renditions.', follows: PICTURE, read: formatsOf },
    content_category: {
      type: 'string',
      description: 'Its category.',
      read: (video) => video.data.contentCategory ?? 'OTHER',
    },
    content_tags: kept('list<string>', 'Tags of its content.', 'contentTags'),
    custom_labels: kept('list<string>', 'Labels of its owner.', 'customLabels'),
    backdated_time: {
      type: 'datetime',
      description: 'The time it shows.',
      read: (video, call) => graphTime(video.data.backdatedMs, call),
    },
    backdated_time_granularity: kept('string', 'How exact that is.', 'backdatedGranularity'),
    expiration: {
      type: 'object',
      description: 'When it goes, and how.',
      read: (video, call) =>
        video.data.expiration && {
          time: graphTime(video.data.expiration.timeMs, call),
          type: video.data.expiration.type,
        },
    },
    ad_breaks: kept('list<int>', 'Breaks in milliseconds.', 'adBreaksMs'),
    live_status: {
      type: 'string',
      description: 'State of the broadcast; absent when it never was live.',
      read: liveStatusOf,
    },
    live_audience_count: {
      type: 'int',
      description: 'Who watches the broadcast now.',
      read: async (video, call) => {
        if (video.data.liveVideoId === undefined) return undefined;
        const count = await call.services.store.volatile.get(VOLATILE.viewers(video.data.liveVideoId));
        return typeof count === 'number' ? count : 0;
      },
    },
    views: { type: 'int', description: 'Plays.', counts: VIEWS, read: viewsOf },
    post_views: { type: 'int', description: 'Plays in the post.', counts: VIEWS, read: viewsOf },
    is_crosspost_video: {
      type: 'bool',
      description: 'A cross-posted copy.',
      read: (video) => video.data.crosspostOf !== undefined,
    },
    is_crossposting_eligible: {
      type: 'bool',
      description: 'Whether it may be cross-posted.',
      read: (video) => video.data.ownerKind === 'page' && video.data.crosspostOf === undefined,
    },
    is_episode: { type: 'bool', description: 'Part of a series.', read: () => false },
    is_instagram_eligible: { type: 'bool', description: 'Always false here.', read: () => false },
    is_reference_only: { type: 'bool', description: 'Only for rights monitoring.', read: () => false },
    spherical: { type: 'bool', description: 'A 360 degree video.', read: (video) => video.data.spherical ?? false },
    universal_video_id: kept('string', "The publisher's own id.", 'universalVideoId'),
    admin_creator: {
      type: 'Profile',
      description: 'Who posted it for the Page.',
      follows: ['adminCreatorId'],
      read: async (video, call) =>
        video.data.adminCreatorId !== undefined && (await call.access.manages(video.data.ownerId))
          ? ownerRef(video.data.adminCreatorId, call)
          : undefined,
    },
    copyright_check_information: {
      type: 'object',
      description: 'State of the copyright check.',
      read: async (video, call) => {
        const live = await broadcastOf(video, call);
        return {
          status: {
            status: 'complete',
            matches_found: live?.data.endReason?.code === SERVICE_CODES.copyrightViolation,
          },
        };
      },
    },
    event: absent('Event', 'There are no events here.'),
    place: absent('Place', 'There are no places here.'),
    copyright: absent('VideoCopyright', 'Rights are not monitored here.'),
    copyright_monitoring_status: absent('string', 'Rights are not monitored here.'),
    audio_isrc: absent('AudioIsrc', 'Rights are not monitored here.'),
    music_video_copyright: absent('MusicVideoCopyright', 'Rights are not monitored here.'),
    premiere_living_room_status: absent('string', 'There are no premieres here.'),
    boost_eligibility_info: absent('object', 'There is no advertising here.'),
    live_video: {
      type: 'LiveVideo',
      description: 'The broadcast that it records.',
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
  const frame = (await isEmbeddable(video, call.loader, call.nowMs)) ? embedHtml(video, call.origin) : '';
  return [{ embed_html: frame, filter: 'native', width, height, picture: await pictureOf(video, call) }];
}
