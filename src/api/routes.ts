/** The rule and handler of every route in `src/spec/graph.ts`, in the same order. */
import type { GraphNode, RouteKey } from '../spec/graph.js';
import {
  ENGAGE,
  INSIGHTS,
  MANAGE_OWNER,
  MODERATE,
  OPERATE,
  OWN_ACCOUNTS,
  OWN_FRIENDS,
  OWN_WRITE,
  PUBLISH,
  PUBLISH_CAPTIONS,
  READ,
  READ_COMMENTS,
  READ_ERRORS,
  READ_MANAGED,
  READ_PUBLIC,
  SELF,
  SET_UP,
  VOTE,
} from './access/rules.js';
import type { NodeType } from './graph/node-type.js';
import { READ_NODE, Registry, type Route } from './graph/registry.js';
import { accountsEdge, blockedUsersEdge, permissionsEdge, removePermission } from './resources/account.js';
import { captionsEdge, deleteCaptions, updateCaptions } from './resources/caption.js';
import { commentsEdge, commentType, createComment, deleteComment, updateComment } from './resources/comment.js';
import { disputeMatch, matchesEdge } from './resources/copyright-match.js';
import { addReference, referencesEdge, removeReference } from './resources/copyright-reference.js';
import { crosspostedBroadcastsEdge, pairedPagesEdge, sharedPagesEdge, updatePage } from './resources/crosspost.js';
import { errorNodeType, errorsEdge, ownerErrorsEdge } from './resources/errors.js';
import { createForward, deleteForward, forwardsEdge, forwardType, updateForward } from './resources/forward.js';
import { createInputStream, inputStreamsEdge, inputStreamType, updateInputStream } from './resources/input-stream.js';
import { insightsEdge } from './resources/insights/edge.js';
import { like, likesEdge, reactionsEdge, unlike } from './resources/like.js';
import { liveEvents } from './resources/live-events.js';
import { createLiveVideo, liveVideosEdge } from './resources/live-video/create.js';
import { liveVideoType } from './resources/live-video/fields.js';
import { sessionReport } from './resources/live-video/report.js';
import { deleteLiveVideo, updateLiveVideo } from './resources/live-video/write.js';
import { readObsProfile } from './resources/obs-profile.js';
import { groupType, pageType, updateGroup, updateUser, userType } from './resources/owner.js';
import {
  createPoll,
  pollOptionsEdge,
  pollOptionType,
  pollSettingsEdge,
  pollsEdge,
  pollType,
  updatePoll,
  vote,
} from './resources/poll.js';
import { postType, share, sharedPostsEdge } from './resources/post.js';
import {
  addMember,
  assignUser,
  befriend,
  friendsEdge,
  peopleEdge,
  removeMember,
  unassignUser,
  unfriend,
} from './resources/relations.js';
import { sponsorTagsEdge, tagsEdge } from './resources/tag.js';
import { createThumbnail, picture, thumbnailsEdge, thumbnailType } from './resources/thumbnail.js';
import { createVideo } from './resources/video/create.js';
import { videoType } from './resources/video/fields.js';
import { userVideosEdge, videosEdge } from './resources/video/list.js';
import { deleteVideo, updateVideo } from './resources/video/write.js';

const TYPES: Readonly<Record<GraphNode, NodeType>> = {
  page: pageType,
  group: groupType,
  user: userType,
  video: videoType,
  live_video: liveVideoType,
  input_stream: inputStreamType,
  forward: forwardType,
  poll: pollType,
  poll_option: pollOptionType,
  comment: commentType,
  thumbnail: thumbnailType,
  post: postType,
  error: errorNodeType,
};

type RootKey =
  | 'GET /'
  | 'POST /'
  | 'GET /debug_token'
  | 'GET /oauth/access_token'
  | 'POST /oauth/access_token'
  | 'GET /video_encoder_settings';

export const ROUTES: Readonly<Record<Exclude<RouteKey, RootKey>, Route>> = {
  'GET /{group-id}/videos': [READ, videosEdge],
  'POST /{group-id}/videos': [PUBLISH, createVideo],
  'GET /{page-id}/videos': [READ, videosEdge],
  'POST /{page-id}/videos': [PUBLISH, createVideo],
  'GET /{user-id}/videos': [READ, userVideosEdge],
  'GET /{video-id}': [READ, READ_NODE],
  'GET /{video-id}/captions': [READ, captionsEdge],
  'GET /{video-id}/comments': [READ_COMMENTS, commentsEdge()],
  'GET /{video-id}/crosspost_shared_pages': [READ_MANAGED, sharedPagesEdge],
  'GET /{video-id}/likes': [READ, likesEdge()],
  'GET /{video-id}/poll_settings': [READ, pollSettingsEdge],
  'GET /{video-id}/polls': [READ, pollsEdge],
  'GET /{video-id}/shared_posts': [READ, sharedPostsEdge],
  'GET /{video-id}/sponsor_tags': [READ, sponsorTagsEdge],
  'GET /{video-id}/tags': [READ, tagsEdge],
  'GET /{video-id}/thumbnails': [READ, thumbnailsEdge],
  'GET /{video-id}/video_insights': [INSIGHTS, insightsEdge],
  'POST /{video-id}': [PUBLISH, updateVideo],
  'POST /{video-id}/captions': [PUBLISH_CAPTIONS, updateCaptions],
  'POST /{video-id}/comments': [ENGAGE, createComment],
  'POST /{video-id}/polls': [PUBLISH, createPoll],
  'POST /{video-id}/thumbnails': [PUBLISH, createThumbnail],
  'DELETE /{video-id}': [PUBLISH, deleteVideo],
  'DELETE /{video-id}/captions': [PUBLISH_CAPTIONS, deleteCaptions],
  'GET /{live-video-id}/polls': [READ, pollsEdge],
  'GET /{video-poll-id}': [READ, READ_NODE],
  'POST /{live_video_id}/polls': [PUBLISH, createPoll],
  'POST /{video_poll_id}': [PUBLISH, updatePoll],

  'GET /{page-id}/live_videos': [READ, liveVideosEdge],
  'POST /{page-id}/live_videos': [PUBLISH, createLiveVideo],
  'GET /{group-id}/live_videos': [READ, liveVideosEdge],
  'POST /{group-id}/live_videos': [PUBLISH, createLiveVideo],
  'GET /{user-id}/live_videos': [READ, liveVideosEdge],
  'POST /{user-id}/live_videos': [PUBLISH, createLiveVideo],
  'GET /{live-video-id}': [READ, READ_NODE],
  'POST /{live-video-id}': [PUBLISH, updateLiveVideo],
  'DELETE /{live-video-id}': [PUBLISH, deleteLiveVideo],
  'GET /{live-video-id}/errors': [READ_ERRORS, errorsEdge],
  'GET /{live-video-id}/report': [READ_ERRORS, sessionReport],
  'GET /{live-video-id}/input_streams': [READ_MANAGED, inputStreamsEdge],
  'POST /{live-video-id}/input_streams': [PUBLISH, createInputStream],
  'GET /{live-video-id}/blocked_users': [READ_MANAGED, blockedUsersEdge],
  // Comments, likes and reactions of a broadcast are those of its Video.
  'GET /{live-video-id}/comments': [READ_COMMENTS, commentsEdge('videoId')],
  'GET /{live-video-id}/likes': [READ, likesEdge('videoId')],
  'GET /{live-video-id}/reactions': [READ, reactionsEdge('videoId')],
  'GET /{live-video-id}/crosspost_shared_pages': [READ_MANAGED, sharedPagesEdge],
  'GET /{live-video-id}/crossposted_broadcasts': [READ_MANAGED, crosspostedBroadcastsEdge],
  'GET /{live-video-id}/live_comments': [READ_COMMENTS, liveEvents('comment')],
  'GET /{live-video-id}/live_reactions': [READ, liveEvents('reaction')],
  'GET /{live-video-id}/obs_profile': [SET_UP, readObsProfile],
  'GET /{live-video-id}/forwards': [PUBLISH, forwardsEdge],
  'POST /{live-video-id}/forwards': [PUBLISH, createForward],
  'GET /{forward-id}': [PUBLISH, READ_NODE],
  'POST /{forward-id}': [PUBLISH, updateForward],
  'DELETE /{forward-id}': [PUBLISH, deleteForward],
  'GET /{input-stream-id}': [READ_MANAGED, READ_NODE],
  'POST /{input-stream-id}': [SET_UP, updateInputStream],

  'GET /{video-id}/errors': [READ_ERRORS, errorsEdge],
  'GET /{video-id}/copyright_matches': [READ_MANAGED, matchesEdge],
  'POST /{video-id}/copyright_matches': [PUBLISH, disputeMatch],
  'GET /{live-video-id}/copyright_matches': [READ_MANAGED, matchesEdge],
  'POST /{live-video-id}/copyright_matches': [PUBLISH, disputeMatch],
  'GET /{error-id}': [READ_ERRORS, READ_NODE],
  'GET /{video-id}/sharedposts': [READ, sharedPostsEdge],
  'POST /{video-id}/shared_posts': [ENGAGE, share],
  'POST /{video-id}/sharedposts': [ENGAGE, share],
  'POST /{video-id}/likes': [ENGAGE, like],
  'DELETE /{video-id}/likes': [ENGAGE, unlike],
  'GET /{video-id}/reactions': [READ, reactionsEdge()],
  'GET /{video-id}/picture': [READ, picture],
  'GET /{comment-id}': [READ_COMMENTS, READ_NODE],
  'POST /{comment-id}': [MODERATE, updateComment],
  'DELETE /{comment-id}': [MODERATE, deleteComment],
  'GET /{comment-id}/comments': [READ_COMMENTS, commentsEdge()],
  'POST /{comment-id}/comments': [ENGAGE, createComment],
  'GET /{comment-id}/likes': [READ, likesEdge()],
  'POST /{comment-id}/likes': [ENGAGE, like],
  'DELETE /{comment-id}/likes': [ENGAGE, unlike],
  'GET /{comment-id}/reactions': [READ, reactionsEdge()],
  'GET /{video-poll-id}/poll_options': [READ, pollOptionsEdge],
  'GET /{poll-option-id}': [READ, READ_NODE],
  'POST /{poll-option-id}/votes': [VOTE, vote],
  'GET /{thumbnail-id}': [READ, READ_NODE],
  'GET /{post-id}': [READ, READ_NODE],

  'GET /{page-id}': [READ_PUBLIC, READ_NODE],
  'POST /{page-id}': [MANAGE_OWNER, updatePage],
  'GET /{page-id}/assigned_users': [READ_MANAGED, peopleEdge],
  'POST /{page-id}/assigned_users': [MANAGE_OWNER, assignUser],
  'DELETE /{page-id}/assigned_users': [MANAGE_OWNER, unassignUser],
  'GET /{group-id}': [READ_PUBLIC, READ_NODE],
  'POST /{group-id}': [MANAGE_OWNER, updateGroup],
  'GET /{group-id}/members': [READ_MANAGED, peopleEdge],
  'POST /{group-id}/members': [MANAGE_OWNER, addMember],
  'DELETE /{group-id}/members': [MANAGE_OWNER, removeMember],
  'GET /{user-id}': [READ_PUBLIC, READ_NODE],
  'POST /{user-id}': [OPERATE, updateUser],
  'GET /{user-id}/friends': [OWN_FRIENDS, friendsEdge],
  'POST /{user-id}/friends': [OWN_WRITE, befriend],
  'DELETE /{user-id}/friends': [OWN_WRITE, unfriend],
  'GET /{page-id}/copyright_references': [READ_MANAGED, referencesEdge],
  'POST /{page-id}/copyright_references': [MANAGE_OWNER, addReference],
  'DELETE /{page-id}/copyright_references': [MANAGE_OWNER, removeReference],
  'GET /{page-id}/forwards': [PUBLISH, forwardsEdge],
  'POST /{page-id}/forwards': [PUBLISH, createForward],
  'GET /{group-id}/forwards': [PUBLISH, forwardsEdge],
  'POST /{group-id}/forwards': [PUBLISH, createForward],
  'GET /{user-id}/forwards': [PUBLISH, forwardsEdge],
  'POST /{user-id}/forwards': [PUBLISH, createForward],
  'GET /{page-id}/errors': [READ_ERRORS, ownerErrorsEdge],
  'GET /{group-id}/errors': [READ_ERRORS, ownerErrorsEdge],
  'GET /{user-id}/errors': [READ_ERRORS, ownerErrorsEdge],
  'GET /{page-id}/crosspost_whitelisted_pages': [READ_MANAGED, pairedPagesEdge],
  'GET /{user-id}/accounts': [OWN_ACCOUNTS, accountsEdge],
  'GET /{user-id}/permissions': [SELF, permissionsEdge],
  'DELETE /{user-id}/permissions': [OWN_WRITE, removePermission],
};

export function graphRegistry(): Registry {
  return new Registry(TYPES, ROUTES);
}
