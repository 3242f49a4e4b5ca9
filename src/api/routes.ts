/** The code behind each row of `src/spec/graph.ts`, in the same order. */
import type { LiveVideoData } from '../broadcast/documents.js';
import type { GraphNode, RouteKey } from '../spec/graph.js';
import { createInputStream, inputStreamsEdge } from './edges/input-streams.js';
import type { Kind } from './graph/node-type.js';
import { type Behind, READ_NODE, Registry } from './graph/registry.js';
import { thumbnailKind } from './nodes/thumbnail.js';
import { accountsEdge, blockedUsersEdge, permissionsEdge, removePermission } from './resources/account.js';
import { captionsEdge, deleteCaptions, updateCaptions } from './resources/caption.js';
import { commentKind, deleteComment, updateComment } from './resources/comment/fields.js';
import { commentsEdge, createComment } from './resources/comment/write.js';
import { crosspostedBroadcastsEdge, pairedPagesEdge, sharedPagesEdge, updatePage } from './resources/crosspost.js';
import { errorsEdge } from './resources/error.js';
import { inputStreamKind } from './resources/input-stream.js';
import { insightsEdge } from './resources/insights/edge.js';
import { like, likesEdge, reactionsEdge, unlike } from './resources/like.js';
import { liveEvents } from './resources/live-events.js';
import { createLiveVideo, liveVideosEdge } from './resources/live-video/create.js';
import { liveVideoKind } from './resources/live-video/fields.js';
import { deleteLiveVideo, updateLiveVideo } from './resources/live-video/write.js';
import { groupKind, pageKind, userKind } from './resources/owner.js';
import { pollKind, pollOptionKind, updatePoll, vote } from './resources/poll/fields.js';
import { createPoll, pollOptionsEdge, pollSettingsEdge, pollsEdge } from './resources/poll/write.js';
import { postKind } from './resources/post.js';
import { share, sharedPostsEdge, sponsorTagsEdge, tagsEdge } from './resources/tag.js';
import { createThumbnail, picture, thumbnailsEdge } from './resources/thumbnail.js';
import { createVideo, videosEdge } from './resources/video/create.js';
import { type VideoDoc, videoKind } from './resources/video/fields.js';
import { deleteVideo, updateVideo } from './resources/video/write.js';

const KINDS: Readonly<Record<GraphNode, Kind>> = {
  page: pageKind,
  group: groupKind,
  user: userKind,
  video: videoKind,
  live_video: liveVideoKind,
  input_stream: inputStreamKind,
  poll: pollKind,
  poll_option: pollOptionKind,
  comment: commentKind,
  thumbnail: thumbnailKind,
  post: postKind,
};

type FixedKey =
  | 'GET /'
  | 'POST /'
  | 'GET /debug_token'
  | 'GET /oauth/access_token'
  | 'POST /oauth/access_token'
  | 'GET /video_encoder_settings';

const BEHIND: Readonly<Record<Exclude<RouteKey, FixedKey>, Behind>> = {
  'GET /{group-id}/videos': videosEdge('GET /{group-id}/videos'),
  'POST /{group-id}/videos': createVideo,
  'GET /{page-id}/videos': videosEdge('GET /{page-id}/videos'),
  'POST /{page-id}/videos': createVideo,
  'GET /{user-id}/videos': videosEdge('GET /{user-id}/videos'),
  'GET /{video-id}': READ_NODE,
  'GET /{video-id}/captions': captionsEdge,
  'GET /{video-id}/comments': commentsEdge('GET /{video-id}/comments'),
  'GET /{video-id}/crosspost_shared_pages': sharedPagesEdge('GET /{video-id}/crosspost_shared_pages'),
  'GET /{video-id}/likes': likesEdge('GET /{video-id}/likes'),
  'GET /{video-id}/poll_settings': pollSettingsEdge,
  'GET /{video-id}/polls': pollsEdge('GET /{video-id}/polls'),
  'GET /{video-id}/shared_posts': sharedPostsEdge('GET /{video-id}/shared_posts'),
  'GET /{video-id}/sponsor_tags': sponsorTagsEdge,
  'GET /{video-id}/tags': tagsEdge,
  'GET /{video-id}/thumbnails': thumbnailsEdge,
  'GET /{video-id}/video_insights': insightsEdge,
  'POST /{video-id}': updateVideo,
  'POST /{video-id}/captions': updateCaptions,
  'POST /{video-id}/comments': createComment,
  'POST /{video-id}/polls': createPoll,
  'POST /{video-id}/thumbnails': createThumbnail,
  'DELETE /{video-id}': deleteVideo,
  'DELETE /{video-id}/captions': deleteCaptions,
  'GET /{live-video-id}/polls': pollsEdge('GET /{live-video-id}/polls'),
  'GET /{video-poll-id}': READ_NODE,
  'POST /{live_video_id}/polls': createPoll,
  'POST /{video_poll_id}': updatePoll,

  'GET /{page-id}/live_videos': liveVideosEdge('GET /{page-id}/live_videos'),
  'POST /{page-id}/live_videos': createLiveVideo,
  'GET /{group-id}/live_videos': liveVideosEdge('GET /{group-id}/live_videos'),
  'POST /{group-id}/live_videos': createLiveVideo,
  'GET /{user-id}/live_videos': liveVideosEdge('GET /{user-id}/live_videos'),
  'POST /{user-id}/live_videos': createLiveVideo,
  'GET /{live-video-id}': READ_NODE,
  'POST /{live-video-id}': updateLiveVideo,
  'DELETE /{live-video-id}': deleteLiveVideo,
  'GET /{live-video-id}/errors': errorsEdge<LiveVideoData>('GET /{live-video-id}/errors', (id) => id),
  'GET /{live-video-id}/input_streams': inputStreamsEdge,
  'POST /{live-video-id}/input_streams': createInputStream,
  'GET /{live-video-id}/blocked_users': blockedUsersEdge,
  // Comments, likes and reactions of a broadcast are those of its Video.
  'GET /{live-video-id}/comments': commentsEdge('GET /{live-video-id}/comments', 'videoId'),
  'GET /{live-video-id}/likes': likesEdge('GET /{live-video-id}/likes', 'videoId'),
  'GET /{live-video-id}/reactions': reactionsEdge('GET /{live-video-id}/reactions', 'videoId'),
  'GET /{live-video-id}/crosspost_shared_pages': sharedPagesEdge('GET /{live-video-id}/crosspost_shared_pages'),
  'GET /{live-video-id}/crossposted_broadcasts': crosspostedBroadcastsEdge,
  'GET /{live-video-id}/live_comments': liveEvents('comment'),
  'GET /{live-video-id}/live_reactions': liveEvents('reaction'),
  'GET /{input-stream-id}': READ_NODE,

  'GET /{video-id}/errors': errorsEdge<VideoDoc>('GET /{video-id}/errors', (id, data) => data.liveVideoId ?? id),
  'GET /{video-id}/sharedposts': sharedPostsEdge('GET /{video-id}/sharedposts'),
  'POST /{video-id}/shared_posts': share,
  'POST /{video-id}/sharedposts': share,
  'POST /{video-id}/likes': like,
  'DELETE /{video-id}/likes': unlike,
  'GET /{video-id}/reactions': reactionsEdge('GET /{video-id}/reactions'),
  'GET /{video-id}/picture': picture,
  'GET /{comment-id}': READ_NODE,
  'POST /{comment-id}': updateComment,
  'DELETE /{comment-id}': deleteComment,
  'GET /{comment-id}/comments': commentsEdge('GET /{comment-id}/comments'),
  'POST /{comment-id}/comments': createComment,
  'GET /{comment-id}/likes': likesEdge('GET /{comment-id}/likes'),
  'POST /{comment-id}/likes': like,
  'DELETE /{comment-id}/likes': unlike,
  'GET /{comment-id}/reactions': reactionsEdge('GET /{comment-id}/reactions'),
  'GET /{video-poll-id}/poll_options': pollOptionsEdge,
  'GET /{poll-option-id}': READ_NODE,
  'POST /{poll-option-id}/votes': vote,
  'GET /{thumbnail-id}': READ_NODE,
  'GET /{post-id}': READ_NODE,

  'GET /{page-id}': READ_NODE,
  'POST /{page-id}': updatePage,
  'GET /{group-id}': READ_NODE,
  'GET /{user-id}': READ_NODE,
  'GET /{page-id}/crosspost_whitelisted_pages': pairedPagesEdge,
  'GET /{user-id}/accounts': accountsEdge,
  'GET /{user-id}/permissions': permissionsEdge,
  'DELETE /{user-id}/permissions': removePermission,
};

export function graphRegistry(): Registry {
  return new Registry(KINDS, BEHIND);
}
