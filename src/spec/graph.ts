/**
 * The routes of the HTTP interface, in the order of the published document, then those that it leaves open.
 * Routing, access, OpenAPI and the tests all walk this table; `path` is written as the document writes it.
 */

export type GraphMethod = 'GET' | 'POST' | 'DELETE';

/** What an id can resolve to. */
export type GraphNode =
  | 'group'
  | 'page'
  | 'user'
  | 'video'
  | 'live_video'
  | 'input_stream'
  | 'poll'
  | 'poll_option'
  | 'comment'
  | 'thumbnail'
  | 'post';

export interface GraphRoute {
  readonly method: GraphMethod;
  readonly path: string;
  /** `null`: the path begins with a fixed word. */
  readonly node: GraphNode | null;
  /** What follows the id, or the fixed word; `null` for the node itself. */
  readonly edge: string | null;
  readonly purpose: string;
  /** published: a row of the service interface. reference: the public Graph conventions. design: what both lack. */
  readonly source: 'published' | 'reference' | 'design';
  /** Only broadcasts have it: an unknown id answers LIVE_VIDEO__NOT_EXIST. */
  readonly live?: true;
}

export const GRAPH = [
  // Group videos
  row('GET', '/{group-id}/videos', 'group', 'videos', 'Videos of a group.', 'published'),
  row(
    'POST',
    '/{group-id}/videos',
    'group',
    'videos',
    'Makes a video in a group, from a file or by cross-posting.',
    'published',
  ),
  // Page videos
  row('GET', '/{page-id}/videos', 'page', 'videos', 'Videos of a Page.', 'published'),
  row(
    'POST',
    '/{page-id}/videos',
    'page',
    'videos',
    'Makes a video on a Page, from a file or by cross-posting.',
    'published',
  ),
  // User videos
  row('GET', '/{user-id}/videos', 'user', 'videos', 'Videos of a user; users own them read-only.', 'published'),
  // Video
  row('GET', '/{video-id}', 'video', null, 'A video with its fields and edges.', 'published'),
  row('GET', '/{video-id}/captions', 'video', 'captions', 'Captions of a video.', 'published'),
  row('GET', '/{video-id}/comments', 'video', 'comments', 'Comments on a video.', 'published'),
  row(
    'GET',
    '/{video-id}/crosspost_shared_pages',
    'video',
    'crosspost_shared_pages',
    'Pages that may show the video too.',
    'published',
  ),
  row('GET', '/{video-id}/likes', 'video', 'likes', 'Who likes a video.', 'published'),
  row('GET', '/{video-id}/poll_settings', 'video', 'poll_settings', 'Poll settings of a video.', 'published'),
  row('GET', '/{video-id}/polls', 'video', 'polls', 'Polls of a video.', 'published'),
  row('GET', '/{video-id}/shared_posts', 'video', 'shared_posts', 'Posts that share a video.', 'published'),
  row('GET', '/{video-id}/sponsor_tags', 'video', 'sponsor_tags', 'Pages that sponsor a video.', 'published'),
  row('GET', '/{video-id}/tags', 'video', 'tags', 'People and Pages tagged in a video.', 'published'),
  row('GET', '/{video-id}/thumbnails', 'video', 'thumbnails', 'Thumbnails of a video.', 'published'),
  row('GET', '/{video-id}/video_insights', 'video', 'video_insights', 'Insights of a video.', 'published'),
  row('POST', '/{video-id}', 'video', null, 'Changes a video.', 'published'),
  row(
    'POST',
    '/{video-id}/captions',
    'video',
    'captions',
    'Adds or removes captions, or picks the default ones.',
    'published',
  ),
  row('POST', '/{video-id}/comments', 'video', 'comments', 'Comments on a video.', 'published'),
  row('POST', '/{video-id}/polls', 'video', 'polls', 'Makes a poll on a video.', 'published'),
  row('POST', '/{video-id}/thumbnails', 'video', 'thumbnails', 'Adds a thumbnail to a video.', 'published'),
  row('DELETE', '/{video-id}', 'video', null, 'Deletes a video.', 'published'),
  row('DELETE', '/{video-id}/captions', 'video', 'captions', 'Deletes captions of a video.', 'published'),
  // Live video polls
  row('GET', '/{live-video-id}/polls', 'live_video', 'polls', 'Polls of a live video.', 'published'),
  row('GET', '/{video-poll-id}', 'poll', null, 'A poll with its fields and options.', 'published'),
  row('POST', '/{live_video_id}/polls', 'live_video', 'polls', 'Makes a poll on a live video.', 'published'),
  row('POST', '/{video_poll_id}', 'poll', null, 'Changes a poll, by one of its actions.', 'published'),

  // LiveVideo and LiveVideoInputStream: named by the document, their endpoints left open
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
    'List the Pages that may show the broadcast.',
    'reference',
  ),
  live('GET', '/{live-video-id}/crossposted_broadcasts', 'crossposted_broadcasts', 'List the copies of a broadcast.'),
  live('GET', '/{live-video-id}/live_comments', 'live_comments', 'Follow new comments as server-sent events.'),
  live('GET', '/{live-video-id}/live_reactions', 'live_reactions', 'Follow new reactions as server-sent events.'),
  row('GET', '/{input-stream-id}', 'input_stream', null, 'Read an input stream and its health.', 'reference'),

  // Sub-resources of a video beyond the published rows
  row(
    'GET',
    '/{video-id}/errors',
    'video',
    'errors',
    'Read the error records of a video, or of its broadcast, newest first.',
    'design',
  ),
  row('GET', '/{video-id}/sharedposts', 'video', 'sharedposts', 'Read the shared posts of a video.', 'reference'),
  row('POST', '/{video-id}/shared_posts', 'video', 'shared_posts', 'Share a video.', 'design'),
  row('POST', '/{video-id}/sharedposts', 'video', 'sharedposts', 'Share a video.', 'design'),
  row('POST', '/{video-id}/likes', 'video', 'likes', 'Like a video.', 'reference'),
  row('DELETE', '/{video-id}/likes', 'video', 'likes', 'Take back the like of a video.', 'reference'),
  row('GET', '/{video-id}/reactions', 'video', 'reactions', 'Read the reactions to a video.', 'reference'),
  row('GET', '/{video-id}/picture', 'video', 'picture', 'Go to the preferred thumbnail.', 'reference'),
  row('GET', '/{comment-id}', 'comment', null, 'Read a comment.', 'reference'),
  row('POST', '/{comment-id}', 'comment', null, 'Update a comment.', 'reference'),
  row('DELETE', '/{comment-id}', 'comment', null, 'Delete a comment.', 'reference'),
  row('GET', '/{comment-id}/comments', 'comment', 'comments', 'Read the replies to a comment.', 'reference'),
  row('POST', '/{comment-id}/comments', 'comment', 'comments', 'Reply to a comment.', 'reference'),
  row('GET', '/{comment-id}/likes', 'comment', 'likes', 'Read the likes of a comment.', 'reference'),
  row('POST', '/{comment-id}/likes', 'comment', 'likes', 'Like a comment.', 'reference'),
  row('DELETE', '/{comment-id}/likes', 'comment', 'likes', 'Take back the like of a comment.', 'reference'),
  row('GET', '/{comment-id}/reactions', 'comment', 'reactions', 'Read the reactions to a comment.', 'reference'),
  row('GET', '/{video-poll-id}/poll_options', 'poll', 'poll_options', 'Read the options of a poll.', 'reference'),
  row('GET', '/{poll-option-id}', 'poll_option', null, 'Read an option of a poll.', 'reference'),
  row('POST', '/{poll-option-id}/votes', 'poll_option', 'votes', 'Vote for an option.', 'design'),
  row('GET', '/{thumbnail-id}', 'thumbnail', null, 'Read a thumbnail.', 'reference'),
  row('GET', '/{post-id}', 'post', null, 'Read a post that shares a video.', 'reference'),

  // Owners
  row('GET', '/{page-id}', 'page', null, 'Read a Page.', 'reference'),
  row('POST', '/{page-id}', 'page', null, 'Begin or accept crossposting between two Pages.', 'reference'),
  row('GET', '/{group-id}', 'group', null, 'Read a group.', 'reference'),
  row('GET', '/{user-id}', 'user', null, 'Read a user.', 'reference'),
  row(
    'GET',
    '/{page-id}/crosspost_whitelisted_pages',
    'page',
    'crosspost_whitelisted_pages',
    'List the Pages paired for crossposting.',
    'reference',
  ),
  row('GET', '/{user-id}/accounts', 'user', 'accounts', 'List the Pages that a user manages.', 'reference'),
  row('GET', '/{user-id}/permissions', 'user', 'permissions', 'Read the permissions of the token.', 'reference'),
  row('DELETE', '/{user-id}/permissions', 'user', 'permissions', 'Give up permissions of the token.', 'reference'),

  // Without a node
  fixed('GET', '/', '', 'Read several nodes with ids=.'),
  fixed('POST', '/', '', 'Run a batch of calls.'),
  fixed('GET', '/debug_token', 'debug_token', 'Describe an access token.'),
  fixed('GET', '/oauth/access_token', 'oauth/access_token', 'Exchange an access token or app credentials.'),
  fixed('POST', '/oauth/access_token', 'oauth/access_token', 'Exchange an access token or app credentials.'),
  fixed('GET', '/video_encoder_settings', 'video_encoder_settings', 'Recommend encoder settings.'),
] as const satisfies readonly GraphRoute[];

/** Paths of the server itself, outside the graph. */
export const SERVICE_PATHS = [
  { method: 'GET', path: '/healthz', purpose: 'Whether the process lives.' },
  { method: 'GET', path: '/readyz', purpose: 'Whether it can take streams and requests.' },
  { method: 'GET', path: '/openapi.json', purpose: 'This interface as an OpenAPI document.' },
  { method: 'GET', path: '/try', purpose: 'A page to try the interface.' },
  { method: 'GET', path: '/embed/{video-id}', purpose: 'The page inside the frame that `embed_html` gives.' },
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
): Row<M, P> {
  return { ...row(method, path, 'live_video', edge, purpose, 'reference'), live: true };
}

function fixed<const M extends GraphMethod, const P extends string>(
  method: M,
  path: P,
  edge: string,
  purpose: string,
): Row<M, P> {
  return row(method, path, null, edge, purpose, 'reference');
}
