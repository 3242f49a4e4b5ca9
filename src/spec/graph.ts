/**
 * The routes of the HTTP interface: the published ones in published order, then those that the document leaves open.
 * Routing, access control, OpenAPI and tests derive from this table; `path` keeps the document's spelling.
 */

export type GraphMethod = 'GET' | 'POST' | 'DELETE';

/** Kinds of object that an id can resolve to. */
export type GraphNode =
  | 'group'
  | 'page'
  | 'user'
  | 'video'
  | 'live_video'
  | 'input_stream'
  | 'forward'
  | 'poll'
  | 'poll_option'
  | 'comment'
  | 'thumbnail'
  | 'post'
  | 'error';

export interface GraphRoute {
  readonly method: GraphMethod;
  readonly path: string;
  /** `null`: the path begins with a literal segment. */
  readonly node: GraphNode | null;
  /** Path after the id, or the literal path; `null` for the node itself. */
  readonly edge: string | null;
  readonly purpose: string;
  /** published: in the published document. reference: a public Graph convention. design: in neither. */
  readonly source: 'published' | 'reference' | 'design';
  /** Exists on live videos only: an unknown id returns LIVE_VIDEO__NOT_EXIST. */
  readonly live?: true;
}

export const GRAPH = [
  // Group videos
  row('GET', '/{group-id}/videos', 'group', 'videos', 'List the videos of a group.', 'published'),
  row(
    'POST',
    '/{group-id}/videos',
    'group',
    'videos',
    'Create a video in a group, from a file or by cross-posting.',
    'published',
  ),
  // Page videos
  row('GET', '/{page-id}/videos', 'page', 'videos', 'List the videos of a Page.', 'published'),
  row(
    'POST',
    '/{page-id}/videos',
    'page',
    'videos',
    'Create a video on a Page, from a file or by cross-posting.',
    'published',
  ),
  // User videos
  row('GET', '/{user-id}/videos', 'user', 'videos', 'List the videos of a user, which are read-only.', 'published'),
  // Video
  row('GET', '/{video-id}', 'video', null, 'Read the fields and edges of a video.', 'published'),
  row('GET', '/{video-id}/captions', 'video', 'captions', 'List the captions of a video.', 'published'),
  row('GET', '/{video-id}/comments', 'video', 'comments', 'List the comments on a video.', 'published'),
  row(
    'GET',
    '/{video-id}/crosspost_shared_pages',
    'video',
    'crosspost_shared_pages',
    'List the Pages that may cross-post the video.',
    'published',
  ),
  row('GET', '/{video-id}/likes', 'video', 'likes', 'Read the likes of a video.', 'published'),
  row('GET', '/{video-id}/poll_settings', 'video', 'poll_settings', 'Read the poll settings of a video.', 'published'),
  row('GET', '/{video-id}/polls', 'video', 'polls', 'List the polls of a video.', 'published'),
  row('GET', '/{video-id}/shared_posts', 'video', 'shared_posts', 'List the posts that share a video.', 'published'),
  row('GET', '/{video-id}/sponsor_tags', 'video', 'sponsor_tags', 'List the Pages that sponsor a video.', 'published'),
  row('GET', '/{video-id}/tags', 'video', 'tags', 'List the people and Pages tagged in a video.', 'published'),
  row('GET', '/{video-id}/thumbnails', 'video', 'thumbnails', 'List the thumbnails of a video.', 'published'),
  row('GET', '/{video-id}/video_insights', 'video', 'video_insights', 'Read the insights of a video.', 'published'),
  row('POST', '/{video-id}', 'video', null, 'Update a video.', 'published'),
  row(
    'POST',
    '/{video-id}/captions',
    'video',
    'captions',
    'Add or remove captions, or select the default locale.',
    'published',
  ),
  row('POST', '/{video-id}/comments', 'video', 'comments', 'Comment on a video.', 'published'),
  row('POST', '/{video-id}/polls', 'video', 'polls', 'Create a poll on a video.', 'published'),
  row('POST', '/{video-id}/thumbnails', 'video', 'thumbnails', 'Add a thumbnail to a video.', 'published'),
  row('DELETE', '/{video-id}', 'video', null, 'Delete a video.', 'published'),
  row('DELETE', '/{video-id}/captions', 'video', 'captions', 'Delete captions of a video.', 'published'),
  // Live video polls
  row('GET', '/{live-video-id}/polls', 'live_video', 'polls', 'List the polls of a live video.', 'published'),
  row('GET', '/{video-poll-id}', 'poll', null, 'Read the fields and options of a poll.', 'published'),
  row('POST', '/{live_video_id}/polls', 'live_video', 'polls', 'Create a poll on a live video.', 'published'),
  row('POST', '/{video_poll_id}', 'poll', null, 'Update a poll with one of its actions.', 'published'),

  // LiveVideo and LiveVideoInputStream: named in the published document without endpoints
  row('GET', '/{page-id}/live_videos', 'page', 'live_videos', 'List the live videos of a Page.', 'reference'),
  row('POST', '/{page-id}/live_videos', 'page', 'live_videos', 'Create a live video on a Page.', 'reference'),
  row('GET', '/{group-id}/live_videos', 'group', 'live_videos', 'List the live videos in a group.', 'reference'),
  row('POST', '/{group-id}/live_videos', 'group', 'live_videos', 'Create a live video in a group.', 'reference'),
  row('GET', '/{user-id}/live_videos', 'user', 'live_videos', 'List the live videos of a user.', 'reference'),
  row('POST', '/{user-id}/live_videos', 'user', 'live_videos', 'Create a live video of a user.', 'reference'),
  row('GET', '/{live-video-id}', 'live_video', null, 'Read the fields and edges of a live video.', 'reference'),
  row('POST', '/{live-video-id}', 'live_video', null, 'Update a live video, start it or end it.', 'reference'),
  row('DELETE', '/{live-video-id}', 'live_video', null, 'Delete a live video.', 'reference'),
  live('GET', '/{live-video-id}/errors', 'errors', 'Read the error records of a broadcast, newest first.'),
  live('GET', '/{live-video-id}/report', 'report', 'Read the whole session: settings, health, every record, averages.'),
  live('GET', '/{live-video-id}/input_streams', 'input_streams', 'Read the input streams of a live video.'),
  live('POST', '/{live-video-id}/input_streams', 'input_streams', 'Add the backup input stream of a live video.'),
  live('GET', '/{live-video-id}/blocked_users', 'blocked_users', 'Read the users blocked from a live video.'),
  row('GET', '/{live-video-id}/comments', 'live_video', 'comments', 'Read the comments of a live video.', 'reference'),
  row('GET', '/{live-video-id}/likes', 'live_video', 'likes', 'Read the likes of a live video.', 'reference'),
  row(
    'GET',
    '/{live-video-id}/reactions',
    'live_video',
    'reactions',
    'Read the reactions to a live video.',
    'reference',
  ),
  row(
    'GET',
    '/{live-video-id}/crosspost_shared_pages',
    'live_video',
    'crosspost_shared_pages',
    'List the Pages that may cross-post the broadcast.',
    'reference',
  ),
  live(
    'GET',
    '/{live-video-id}/crossposted_broadcasts',
    'crossposted_broadcasts',
    'List the cross-posted copies of a broadcast.',
  ),
  live('GET', '/{live-video-id}/live_comments', 'live_comments', 'Follow new comments as server-sent events.'),
  live('GET', '/{live-video-id}/live_reactions', 'live_reactions', 'Follow new reactions as server-sent events.'),
  {
    ...row(
      'GET',
      '/{live-video-id}/obs_profile',
      'live_video',
      'obs_profile',
      'Download an OBS profile with the stream key.',
      'design',
    ),
    live: true,
  },
  live(
    'GET',
    '/{live-video-id}/forwards',
    'forwards',
    'List the forwards of a broadcast, with their states.',
    'design',
  ),
  live('POST', '/{live-video-id}/forwards', 'forwards', 'Add a forward to a broadcast.', 'design'),
  row('GET', '/{forward-id}', 'forward', null, 'Read a forward and its state.', 'design'),
  row('POST', '/{forward-id}', 'forward', null, 'Change a forward, or switch it on or off.', 'design'),
  row('DELETE', '/{forward-id}', 'forward', null, 'Remove a forward.', 'design'),
  row('GET', '/{input-stream-id}', 'input_stream', null, 'Read an input stream and its health.', 'reference'),
  row('POST', '/{input-stream-id}', 'input_stream', null, 'Put an input stream on air.', 'design'),

  // Sub-resources of a video beyond the published rows
  row(
    'GET',
    '/{video-id}/errors',
    'video',
    'errors',
    'Read the error records of a video, or of its broadcast, newest first.',
    'design',
  ),
  row(
    'GET',
    '/{video-id}/copyright_matches',
    'video',
    'copyright_matches',
    'List the matches of a video with copyright references of others.',
    'design',
  ),
  row('POST', '/{video-id}/copyright_matches', 'video', 'copyright_matches', 'Dispute a match of a video.', 'design'),
  {
    ...row(
      'GET',
      '/{live-video-id}/copyright_matches',
      'live_video',
      'copyright_matches',
      'List the matches of a broadcast with copyright references of others.',
      'design',
    ),
    live: true,
  },
  {
    ...row(
      'POST',
      '/{live-video-id}/copyright_matches',
      'live_video',
      'copyright_matches',
      'Dispute a match of a broadcast.',
      'design',
    ),
    live: true,
  },
  row('GET', '/{error-id}', 'error', null, 'Read an error record.', 'design'),
  row('GET', '/{video-id}/sharedposts', 'video', 'sharedposts', 'Read the shared posts of a video.', 'reference'),
  row('POST', '/{video-id}/shared_posts', 'video', 'shared_posts', 'Share a video.', 'design'),
  row('POST', '/{video-id}/sharedposts', 'video', 'sharedposts', 'Share a video.', 'design'),
  row('POST', '/{video-id}/likes', 'video', 'likes', 'Like a video.', 'reference'),
  row('DELETE', '/{video-id}/likes', 'video', 'likes', 'Remove a like from a video.', 'reference'),
  row('GET', '/{video-id}/reactions', 'video', 'reactions', 'Read the reactions to a video.', 'reference'),
  row('GET', '/{video-id}/picture', 'video', 'picture', 'Redirect to the preferred thumbnail.', 'reference'),
  row('GET', '/{comment-id}', 'comment', null, 'Read a comment.', 'reference'),
  row('POST', '/{comment-id}', 'comment', null, 'Update a comment.', 'reference'),
  row('DELETE', '/{comment-id}', 'comment', null, 'Delete a comment.', 'reference'),
  row('GET', '/{comment-id}/comments', 'comment', 'comments', 'Read the replies to a comment.', 'reference'),
  row('POST', '/{comment-id}/comments', 'comment', 'comments', 'Reply to a comment.', 'reference'),
  row('GET', '/{comment-id}/likes', 'comment', 'likes', 'Read the likes of a comment.', 'reference'),
  row('POST', '/{comment-id}/likes', 'comment', 'likes', 'Like a comment.', 'reference'),
  row('DELETE', '/{comment-id}/likes', 'comment', 'likes', 'Remove a like from a comment.', 'reference'),
  row('GET', '/{comment-id}/reactions', 'comment', 'reactions', 'Read the reactions to a comment.', 'reference'),
  row('GET', '/{video-poll-id}/poll_options', 'poll', 'poll_options', 'Read the options of a poll.', 'reference'),
  row('GET', '/{poll-option-id}', 'poll_option', null, 'Read an option of a poll.', 'reference'),
  row('POST', '/{poll-option-id}/votes', 'poll_option', 'votes', 'Vote for an option.', 'design'),
  row('GET', '/{thumbnail-id}', 'thumbnail', null, 'Read a thumbnail.', 'reference'),
  row('GET', '/{post-id}', 'post', null, 'Read a post that shares a video.', 'reference'),

  // Owners
  row('GET', '/{page-id}', 'page', null, 'Read a Page.', 'reference'),
  row('POST', '/{page-id}', 'page', null, 'Request or accept cross-posting between two Pages.', 'reference'),
  row(
    'GET',
    '/{page-id}/assigned_users',
    'page',
    'assigned_users',
    'List the people with a role on a Page.',
    'reference',
  ),
  row(
    'POST',
    '/{page-id}/assigned_users',
    'page',
    'assigned_users',
    'Give a user a role on a Page, or change it.',
    'reference',
  ),
  row(
    'DELETE',
    '/{page-id}/assigned_users',
    'page',
    'assigned_users',
    'Take the role of a user on a Page.',
    'reference',
  ),
  row('GET', '/{group-id}', 'group', null, 'Read a group.', 'reference'),
  row('POST', '/{group-id}', 'group', null, 'Change the privacy of a group.', 'reference'),
  row('GET', '/{group-id}/members', 'group', 'members', 'List the members of a group.', 'reference'),
  row('POST', '/{group-id}/members', 'group', 'members', 'Add a member to a group, or a manager.', 'reference'),
  row('DELETE', '/{group-id}/members', 'group', 'members', 'Remove a member from a group.', 'reference'),
  row('GET', '/{user-id}', 'user', null, 'Read a user.', 'reference'),
  row('POST', '/{user-id}', 'user', null, 'Change what makes a profile eligible to go live.', 'design'),
  row('GET', '/{user-id}/friends', 'user', 'friends', 'List the friends of a user.', 'reference'),
  row('POST', '/{user-id}/friends', 'user', 'friends', 'Ask a user to be a friend, or accept.', 'design'),
  row('DELETE', '/{user-id}/friends', 'user', 'friends', 'End a friendship.', 'design'),
  row(
    'GET',
    '/{page-id}/copyright_references',
    'page',
    'copyright_references',
    'List the videos whose content a Page monitors.',
    'design',
  ),
  row(
    'POST',
    '/{page-id}/copyright_references',
    'page',
    'copyright_references',
    'Monitor the content of a video, or change how.',
    'design',
  ),
  row(
    'DELETE',
    '/{page-id}/copyright_references',
    'page',
    'copyright_references',
    'Stop monitoring the content of a video.',
    'design',
  ),
  row('GET', '/{page-id}/forwards', 'page', 'forwards', 'List the forwards of all broadcasts of a Page.', 'design'),
  row('POST', '/{page-id}/forwards', 'page', 'forwards', 'Add a forward to all broadcasts of a Page.', 'design'),
  row('GET', '/{group-id}/forwards', 'group', 'forwards', 'List the forwards of all broadcasts of a group.', 'design'),
  row('POST', '/{group-id}/forwards', 'group', 'forwards', 'Add a forward to all broadcasts of a group.', 'design'),
  row('GET', '/{user-id}/forwards', 'user', 'forwards', 'List the forwards of all broadcasts of a user.', 'design'),
  row('POST', '/{user-id}/forwards', 'user', 'forwards', 'Add a forward to all broadcasts of a user.', 'design'),
  row('GET', '/{page-id}/errors', 'page', 'errors', 'Read the error records of a Page, newest first.', 'design'),
  row('GET', '/{group-id}/errors', 'group', 'errors', 'Read the error records of a group, newest first.', 'design'),
  row('GET', '/{user-id}/errors', 'user', 'errors', 'Read the error records of a user, newest first.', 'design'),
  row(
    'GET',
    '/{page-id}/crosspost_whitelisted_pages',
    'page',
    'crosspost_whitelisted_pages',
    'List the Pages paired for cross-posting.',
    'reference',
  ),
  row('GET', '/{user-id}/accounts', 'user', 'accounts', 'List the Pages that a user manages.', 'reference'),
  row('GET', '/{user-id}/permissions', 'user', 'permissions', 'Read the permissions of the token.', 'reference'),
  row('DELETE', '/{user-id}/permissions', 'user', 'permissions', 'Revoke permissions of the token.', 'reference'),

  // Root paths
  root('GET', '/', '', 'Read several nodes with ids=.'),
  root('POST', '/', '', 'Run a batch of requests.'),
  root('GET', '/debug_token', 'debug_token', 'Describe an access token.'),
  root('GET', '/oauth/access_token', 'oauth/access_token', 'Exchange an access token or app credentials.'),
  root('POST', '/oauth/access_token', 'oauth/access_token', 'Exchange an access token or app credentials.'),
  root('GET', '/video_encoder_settings', 'video_encoder_settings', 'Recommend encoder settings.'),
] as const satisfies readonly GraphRoute[];

/** Paths outside the graph. */
export const SERVICE_PATHS = [
  { method: 'GET', path: '/healthz', purpose: 'Liveness of the process.' },
  { method: 'GET', path: '/readyz', purpose: 'Readiness for streams and requests.' },
  { method: 'GET', path: '/openapi.json', purpose: 'This interface as an OpenAPI document.' },
  { method: 'GET', path: '/try', purpose: 'Redirects to `/docs/`.' },
  { method: 'POST', path: '/obs/go-live', purpose: 'Encoder settings for OBS, which asks before it streams.' },
  { method: 'GET', path: '/embed/{video-id}', purpose: 'Player page for the iframe of `embed_html`.' },
] as const;

export type RouteKey = (typeof GRAPH)[number]['key'];

type Row<M extends GraphMethod, P extends string> = GraphRoute & {
  readonly method: M;
  readonly path: P;
  readonly key: `${M} ${P}`;
};

function row<const M extends GraphMethod, const P extends string>(
  method: M,
  path: P,
  node: GraphNode | null,
  edge: string | null,
  purpose: string,
  source: GraphRoute['source'],
): Row<M, P> {
  return { key: `${method} ${path}`, method, path, node, edge, purpose, source };
}

function live<const M extends GraphMethod, const P extends string>(
  method: M,
  path: P,
  edge: string,
  purpose: string,
  source: GraphRoute['source'] = 'reference',
): Row<M, P> {
  return { ...row(method, path, 'live_video', edge, purpose, source), live: true };
}

function root<const M extends GraphMethod, const P extends string>(
  method: M,
  path: P,
  edge: string,
  purpose: string,
): Row<M, P> {
  return row(method, path, null, edge, purpose, 'reference');
}
