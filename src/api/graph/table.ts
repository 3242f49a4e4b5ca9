/** The code behind each row of `src/spec/graph.ts`. */
import type { LiveVideoData } from '../../broadcast/documents.js';
import type { GraphNode, RouteKey } from '../../spec/graph.js';
import { errorsEdge } from '../edges/errors.js';
import { createInputStream, inputStreamsEdge } from '../edges/input-streams.js';
import { createLiveVideo, liveVideosEdge } from '../edges/live-videos.js';
import { inputStreamKind } from '../nodes/input-stream.js';
import { liveVideoKind } from '../nodes/live-video.js';
import { deleteLiveVideo, updateLiveVideo } from '../nodes/live-video-write.js';
import { groupKind, pageKind, userKind } from '../nodes/owners.js';
import { type VideoDoc, videoKind } from '../nodes/video.js';
import type { Kind } from './kind.js';
import { type Behind, READ_NODE, Registry } from './registry.js';

const KINDS = {
  page: pageKind,
  group: groupKind,
  user: userKind,
  video: videoKind,
  live_video: liveVideoKind,
  input_stream: inputStreamKind,
} satisfies Partial<Record<GraphNode, Kind>>;

const BEHIND = {
  'GET /{video-id}': READ_NODE,
  'GET /{video-id}/errors': errorsEdge<VideoDoc>('GET /{video-id}/errors', (id, data) => data.liveVideoId ?? id),

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
  'GET /{input-stream-id}': READ_NODE,

  'GET /{page-id}': READ_NODE,
  'GET /{group-id}': READ_NODE,
  'GET /{user-id}': READ_NODE,
} satisfies Partial<Record<RouteKey, Behind>>;

export function graphRegistry(): Registry {
  return new Registry(KINDS, BEHIND);
}
