/** Embedding in third-party pages: allowed for public videos unless the owner disabled it. */
import type { LiveVideoData } from '../../../lifecycle/documents.js';
import type { StoredObject } from '../../../ports/index.js';
import { isShownBroadcast, shownNow } from '../../access/published.js';
import type { Loader } from '../../context/loader.js';
import type { Video } from './documents.js';
import { isPublic } from './privacy.js';

export const EMBED_PATH = '/embed';

export async function isEmbeddable(video: Video, loader: Loader, nowMs: number): Promise<boolean> {
  return video.data.embeddable !== false && isShownToAll(video, loader, nowMs);
}

/** Published, and not for a part of the public. */
export async function isShownToAll(video: Video, loader: Loader, nowMs: number): Promise<boolean> {
  const id = video.data.liveVideoId;
  const live = id === undefined ? undefined : ((await loader.load(id)) as StoredObject<LiveVideoData> | undefined);
  const shown = live === undefined ? shownNow(video.data, nowMs) === 'shown' : isShownBroadcast(live.data, nowMs);
  if (!shown) return false;
  return isPublic((live ?? video).data, loader);
}

/** Markup for a page. Needs no escaping: `origin` was validated when the request was read, the rest are digits. */
export function embedHtml(video: Video, origin: string): string {
  const { width = 640, height = 360 } = video.data;
  const size = `width="${Math.round(width)}" height="${Math.round(height)}"`;
  return `<iframe src="${origin}${EMBED_PATH}/${video.id}" ${size} style="border:none;overflow:hidden" scrolling="no" frameborder="0" allow="autoplay; encrypted-media; picture-in-picture" allowfullscreen="true"></iframe>`;
}
