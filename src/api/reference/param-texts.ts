/** Description of each parameter of the interface, for the OpenAPI document. A test requires a text for every one of them. */

const TIME = 'Unix seconds, ISO 8601, or a date';
const POLLS = 'Shown to viewers by players that support it';
const VR = 'For players of spherical video; stored, not checked.';

/** By name, wherever the meaning is the same. */
const TEXTS: Readonly<Record<string, string>> = {
  // Objects in paths
  'page-id': 'ID of a Page, or `me` with the token of a Page.',
  'group-id': 'ID of a group.',
  'user-id': 'ID of a user, or `me` with the token of a user.',
  'video-id': 'ID of a video.',
  'live-video-id': 'ID of a live video.',
  live_video_id: 'ID of a live video.',
  'video-poll-id': 'ID of a poll.',
  video_poll_id: 'ID of a poll.',
  'poll-option-id': 'ID of an option of a poll.',
  'input-stream-id': 'ID of an input stream.',
  'error-id': 'ID of an error record, such as `382627086189377357_1_1`.',
  'comment-id': 'ID of a comment.',
  'thumbnail-id': 'ID of a thumbnail.',
  'post-id': 'ID of a post.',

  // Reading
  fields: 'Fields to return, such as `title,from{name}`. Without it, the default fields.',
  limit: 'Rows per page: 25 by default, at most 100.',
  after: 'Cursor: the rows after it.',
  before: 'Cursor: the rows before it.',
  offset: 'Number of rows to skip.',
  since: `Only rows at or after this time (${TIME}, \`yesterday\`, \`-3 days\`).`,
  until: `Only rows at or before this time (${TIME}, \`now\`).`,
  summary: '`true`, or a list of summary fields such as `total_count`.',

  // Titles and rights
  title: 'Title.',
  name: 'The same as `title`, which takes precedence.',
  description: 'Description.',
  privacy: 'Who can see it: an object with `value`; `CUSTOM` also takes lists of IDs in `allow` and `deny`.',
  published: 'Whether viewers can see it.',
  embeddable: 'Whether other sites may embed the player.',
  secret: 'Not supported: only `false` is accepted. The refusal names what hides the object.',
  reference_only: 'Not supported: only `false` is accepted. The refusal names what hides the object.',
  targeting: 'Not supported: only an empty object is accepted. Use `privacy`.',
  content_tags: 'Tags that describe the content.',
  custom_labels: "Labels of the owner's own.",
  content_category: 'Category of the content.',
  sponsor_id: 'ID of the Page that sponsors the video.',
  tags: 'IDs of users and Pages to tag; replaces the tags of before.',
  universal_video_id: "The owner's own ID of the video.",

  // Videos
  file_url: 'Public address from which the server fetches the file.',
  source: 'The file of the video.',
  video_file_chunk: 'The part of the file that begins at `start_offset`.',
  upload_phase: 'Step of a resumable upload.',
  upload_session_id: 'ID of the upload, from the phase `start`.',
  file_size: 'Size of the whole file in bytes; required in the phase `start`.',
  start_offset: 'Offset of this part in bytes, as the response before named it.',
  crossposted_video_id: 'ID of the video to cross-post.',
  replace_video_id: 'Not supported: the file of a video cannot be replaced.',
  scheduled_publish_time: `Publish at this time (${TIME}), from 10 minutes to 6 months ahead; implies \`published=false\`.`,
  unpublished_content_type: 'Kind of unpublished video; needs `published=false`, except `PUBLISHED`.',
  is_crossposting_eligible: 'Whether other Pages may cross-post the video.',
  is_reference_only: 'Serves as a copyright reference only and is never published.',
  expiration: 'When the video expires, and whether it is then deleted or only unpublished.',
  expire_now: 'Expire the video at once.',
  ad_breaks: 'Positions of ad breaks, in milliseconds.',
  backdated_post: 'Date to show instead of the date of the upload.',
  backdated_time: `Date to show instead of the date of the upload (${TIME}).`,
  backdated_time_granularity: 'How much of that date is shown.',
  preferred_thumbnail_id: 'ID of the thumbnail to show.',
  allow_crossposting_for_pages: 'Pages that may, or may no longer, cross-post the video.',
  increment_play_count: 'Count one view.',
  video_type: 'Live, or video on demand.',

  // Parts of videos
  captions_file: 'Captions in SRT; the file name holds the locale, as in `captions.en_US.srt`.',
  default_locale: 'Locale that players select, or `none`.',
  locale: 'Locale of the captions.',
  locales_to_delete: 'Locales whose captions are deleted.',
  is_preferred: 'Show this thumbnail.',
  metric: 'Names of metrics; all without it.',
  period: 'Period over which the values are summed.',
  redirect: '`false` returns the address as JSON; otherwise the response is a redirect to the image.',

  // Comments
  message: 'Text of the comment.',
  text: 'The same as `message`, which takes precedence.',
  attachment_url: 'Address of an image to attach.',
  attachment_share_url: 'Address of a page to attach.',
  attachment_id: 'ID of a photo or video to attach.',
  parent_comment_id: 'ID of the comment that this one replies to.',
  is_hidden: 'Whether the comment is hidden from other viewers.',
  filter: '`toplevel`: without replies; `stream`: with replies.',
  order: 'Oldest or newest first; `ranked` is oldest first.',
  live_filter: 'Accepted for compatibility; no comment is filtered.',

  // Polls
  question: 'The question.',
  options: 'The answers to choose from.',
  correct_option: 'Number of the right answer, from 1.',
  show_results: `Show the results. ${POLLS}.`,
  show_gradient: `Show a gradient behind the poll. ${POLLS}.`,
  default_open: `Open the poll when it appears. ${POLLS}.`,
  close_after_voting: `Close the poll after a vote. ${POLLS}.`,
  action: 'What to do with the poll.',

  // Live videos
  broadcast_status: 'Only live videos in these states.',
  status: '`UNPUBLISHED` previews the stream, `LIVE_NOW` goes LIVE with the first valid media.',
  event_params: `Planned start, as \`{"start_time": …}\` (${TIME}), at most 7 days ahead.`,
  planned_start_time: `Planned start (${TIME}), at most 7 days ahead.`,
  stop_on_delete_stream: 'End the broadcast as soon as the encoder stops, without time to reconnect.',
  end_live_video: 'End the broadcast.',
  encoder_profile: 'Profile that OBS gets; `auto` chooses one by size and bandwidth.',
  encoder_bitrate: 'Video bitrate that OBS gets, in kbps; 0 chooses one.',
  enable_multitrack: 'Let OBS send a second, smaller video track.',
  retune_encoder: 'Let a running OBS that this server set up ask for its settings again.',
  enable_backup_ingest: 'Return a secondary stream URL too.',
  crossposting_actions: 'Pages that get, or lose, a copy of the broadcast.',
  save_vod: 'Only `true` is accepted: every broadcast is recorded where recording is on.',
  live_comment_moderation_setting: 'Only `DEFAULT` is accepted.',
  is_audio_only: 'Mark the broadcast as one without video; stored, not checked.',
  is_spherical: VR,
  projection: VR,
  stereoscopic_mode: VR,
  spatial_audio_format: VR,
  original_fov: VR,
  stream_type: '`AMBIENT`: a broadcast without a planned end; stored, not checked.',
  is_manual_mode: 'Whether the operator starts and ends the broadcast by hand; stored, not checked.',
  master_ingest_stream_id: 'Stored: `0` primary, `1` secondary stream.',
  persistent_stream_key_status: 'Enable, disable or replace the persistent stream key of the owner.',
  profile: 'Row of the profile table, such as `720p30`.',
  video_bitrate: 'Video bitrate in kbps, limited to the range of the profile.',

  // Errors
  severity: 'Only records of this severity.',
  open: 'Only records that are still open, or only closed ones.',
  error_code: 'Only records with these codes.',
  error_type: 'Only records of these types.',
  error_subcode: 'Only records with these subcodes.',
  after_revision: 'Only records that changed after this revision.',

  // Owners
  begin_crossposting_handshake: 'Pages that are asked to pair with this one.',
  accept_crossposting_handshake: 'Pages whose request to pair is accepted.',
  video_id: 'ID of the video whose content is monitored.',
  policy: '`monitor` records matches; `block` also stops the broadcast, where the server allows it.',
  excluded_ranges: 'Ranges of the video that are not monitored.',
  allowed_pages: 'Pages that may use the content.',
  match_id: 'ID of the match that is disputed.',
  dispute: 'Why the match is wrong, for the operator.',
  member: 'ID of the user.',
  administrator: 'Whether the user manages the group too.',
  user: 'ID of the user.',
  tasks: 'Tasks of the role; all without it.',
  uid: 'ID of a user.',
  followers_count: 'Number of followers.',
  created_time: `When the profile was created (${TIME}).`,
  permission: 'Permission to revoke; all without it.',

  // Root
  ids: 'IDs of at most 50 objects.',
  batch: 'At most 50 calls, each with `method` and `relative_url`.',
  include_headers: '`false` leaves out the headers of the responses.',
  input_token: 'Token to describe.',
  grant_type: '`client_credentials` or `fb_exchange_token`.',
  client_id: 'ID of the app.',
  client_secret: 'Secret of the app.',
  fb_exchange_token: 'Token to exchange for one that lasts longer.',
  code: 'Not supported.',
  redirect_uri: 'Not supported.',
  input_video_width: 'Width of the source, in pixels.',
  input_video_height: 'Height of the source, in pixels.',
  input_video_framerate: 'Frame rate of the source.',
  input_video_bitrate: 'Highest video bitrate that the encoder can send, in kbps.',
  input_audio_channels: 'Audio channels of the source.',
  input_audio_samplerate: 'Audio sample rate of the source, in Hz.',
  cap_streaming_protocols: 'Protocols that the encoder supports.',
  cap_video_codecs: 'Video codecs that the encoder supports.',
  cap_audio_codecs: 'Audio codecs that the encoder supports.',
};

/** By the end of the path and the name, where the same name means something else. */
const SPECIAL: readonly (readonly [path: RegExp, name: string, text: string])[] = [
  [/^POST \/\{group-id\}$/, 'privacy', '`OPEN` to all, `CLOSED` to others than members, `SECRET`: hidden from them.'],
  [/^GET .*\/errors$/, 'source', 'Only records of these sources.'],
  [/^GET .*\/live_videos$/, 'source', 'Accepted for compatibility.'],
  [/\/thumbnails$/, 'source', 'The image: JPEG, PNG, GIF or WebP, with at most 24 million pixels.'],
  [/^GET .*\/videos$/, 'type', 'Uploaded by the owner, or those in which the owner is tagged.'],
  [/\/blocked_users$/, 'uid', 'Only this user.'],
  [/\/reactions$/, 'type', 'Only reactions of this kind.'],
  [/\/obs_profile$/, 'type', '`zip`, or the same files as JSON.'],
];

/** `key`: method and path of the route. */
export function paramText(key: string, name: string): string | undefined {
  const special = SPECIAL.find(([path, of]) => of === name && path.test(key));
  return special?.[2] ?? TEXTS[name];
}
