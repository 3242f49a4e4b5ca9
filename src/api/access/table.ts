/**
 * Who may read or change what: one row for each route. A row is asked only about an object that the token may see at
 * all (`Access.maySee`); what it may not see has answered as a thing that never was.
 */
import type { OwnerKind } from '../../broadcast/documents.js';
import type { RouteKey } from '../../spec/graph.js';
import type { Scope, Task } from './scopes.js';

export interface Rule {
  /**
   * viewers: all who see it. managers: the owner itself, or a role with `task`. people: any user or Page.
   * author: who wrote it, or managers. itself: the token's own subject.
   */
  readonly who: 'viewers' | 'managers' | 'people' | 'author' | 'itself';
  readonly task?: Task;
  /** By the kind of the owner. Reads need none on what belongs to the token's own subject. */
  readonly scopes?: Readonly<Partial<Record<OwnerKind, Scope>>>;
  readonly reads?: true;
}

const READ: Rule = {
  who: 'viewers',
  reads: true,
  scopes: { page: 'pages_read_engagement', user: 'user_videos' },
};
const READ_PUBLIC: Rule = { who: 'viewers', reads: true };
const READ_COMMENTS: Rule = {
  who: 'viewers',
  reads: true,
  scopes: { page: 'pages_read_user_content', user: 'user_videos' },
};
const READ_MANAGED: Rule = { ...READ, who: 'managers' };
const PUBLISH: Rule = {
  who: 'managers',
  task: 'CREATE_CONTENT',
  scopes: { page: 'pages_manage_posts', group: 'publish_to_groups', user: 'publish_video' },
};
const PUBLISH_CAPTIONS: Rule = { ...PUBLISH, task: 'MANAGE' };
const ENGAGE: Rule = { who: 'people', scopes: { page: 'pages_manage_engagement' } };
const MODERATE: Rule = { who: 'author', task: 'MODERATE', scopes: { page: 'pages_manage_engagement' } };
const INSIGHTS: Rule = { who: 'managers', task: 'ANALYZE', reads: true, scopes: { page: 'read_insights' } };
const SELF: Rule = { who: 'itself', reads: true };
const OPEN: Rule = { who: 'viewers', reads: true };

export const ACCESS: Readonly<Record<RouteKey, Rule>> = {
  'GET /{group-id}/videos': READ,
  'POST /{group-id}/videos': PUBLISH,
  'GET /{page-id}/videos': READ,
  'POST /{page-id}/videos': PUBLISH,
  'GET /{user-id}/videos': READ,
  'GET /{video-id}': READ,
  'GET /{video-id}/captions': READ,
  'GET /{video-id}/comments': READ_COMMENTS,
  'GET /{video-id}/crosspost_shared_pages': READ_MANAGED,
  'GET /{video-id}/likes': READ,
  'GET /{video-id}/poll_settings': READ,
  'GET /{video-id}/polls': READ,
  'GET /{video-id}/shared_posts': READ,
  'GET /{video-id}/sponsor_tags': READ,
  'GET /{video-id}/tags': READ,
  'GET /{video-id}/thumbnails': READ,
  'GET /{video-id}/video_insights': INSIGHTS,
  'POST /{video-id}': PUBLISH,
  'POST /{video-id}/captions': PUBLISH_CAPTIONS,
  'POST /{video-id}/comments': ENGAGE,
  'POST /{video-id}/polls': PUBLISH,
  'POST /{video-id}/thumbnails': PUBLISH,
  'DELETE /{video-id}': PUBLISH,
  'DELETE /{video-id}/captions': PUBLISH_CAPTIONS,
  'GET /{live-video-id}/polls': READ,
  'GET /{video-poll-id}': READ,
  'POST /{live_video_id}/polls': PUBLISH,
  'POST /{video_poll_id}': PUBLISH,

  'GET /{page-id}/live_videos': READ,
  'POST /{page-id}/live_videos': PUBLISH,
  'GET /{group-id}/live_videos': READ,
  'POST /{group-id}/live_videos': PUBLISH,
  'GET /{user-id}/live_videos': READ,
  'POST /{user-id}/live_videos': PUBLISH,
  'GET /{live-video-id}': READ,
  'POST /{live-video-id}': PUBLISH,
  'DELETE /{live-video-id}': PUBLISH,
  'GET /{live-video-id}/errors': READ_MANAGED,
  'GET /{live-video-id}/input_streams': READ_MANAGED,
  'POST /{live-video-id}/input_streams': PUBLISH,
  'GET /{live-video-id}/blocked_users': READ_MANAGED,
  'GET /{live-video-id}/comments': READ_COMMENTS,
  'GET /{live-video-id}/likes': READ,
  'GET /{live-video-id}/reactions': READ,
  'GET /{live-video-id}/crosspost_shared_pages': READ_MANAGED,
  'GET /{live-video-id}/crossposted_broadcasts': READ_MANAGED,
  'GET /{live-video-id}/live_comments': READ_COMMENTS,
  'GET /{live-video-id}/live_reactions': READ,
  'GET /{input-stream-id}': READ_MANAGED,

  'GET /{video-id}/errors': READ_MANAGED,
  'GET /{video-id}/sharedposts': READ,
  'POST /{video-id}/shared_posts': ENGAGE,
  'POST /{video-id}/sharedposts': ENGAGE,
  'POST /{video-id}/likes': ENGAGE,
  'DELETE /{video-id}/likes': ENGAGE,
  'GET /{video-id}/reactions': READ,
  'GET /{video-id}/picture': READ,
  'GET /{comment-id}': READ_COMMENTS,
  'POST /{comment-id}': MODERATE,
  'DELETE /{comment-id}': MODERATE,
  'GET /{comment-id}/comments': READ_COMMENTS,
  'POST /{comment-id}/comments': ENGAGE,
  'GET /{comment-id}/likes': READ,
  'POST /{comment-id}/likes': ENGAGE,
  'DELETE /{comment-id}/likes': ENGAGE,
  'GET /{comment-id}/reactions': READ,
  'GET /{video-poll-id}/poll_options': READ,
  'GET /{poll-option-id}': READ,
  'POST /{poll-option-id}/votes': { who: 'people' },
  'GET /{thumbnail-id}': READ,
  'GET /{post-id}': READ,

  'GET /{page-id}': READ_PUBLIC,
  'POST /{page-id}': { ...PUBLISH, task: 'MANAGE' },
  'GET /{group-id}': READ_PUBLIC,
  'GET /{user-id}': READ_PUBLIC,
  'GET /{page-id}/crosspost_whitelisted_pages': READ_MANAGED,
  'GET /{user-id}/accounts': { ...SELF, scopes: { user: 'pages_show_list' } },
  'GET /{user-id}/permissions': SELF,
  'DELETE /{user-id}/permissions': { who: 'itself' },

  'GET /': OPEN,
  'POST /': OPEN,
  'GET /debug_token': OPEN,
  'GET /oauth/access_token': OPEN,
  'POST /oauth/access_token': OPEN,
  'GET /video_encoder_settings': OPEN,
};
