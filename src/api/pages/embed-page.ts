/** The pages of public videos: `/embed/{video-id}` in the iframe of `embed_html`, and `permalink_url`. No script, no token. */

import { createHash } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import { escapeHtml, visible } from '../../lib/visible.js';
import type { OwnerData } from '../../lifecycle/documents.js';
import { Loader } from '../context/loader.js';
import type { Services } from '../graph/call.js';
import type { LiveVideo, Video } from '../resources/shared/documents.js';
import { isEmbeddable, isShownToAll } from '../resources/shared/embed.js';

const STYLE =
  'html,body{margin:0;height:100%;background:#000;color:#ccc;font:16px/1.5 system-ui,sans-serif}video{width:100%;height:100%;object-fit:contain}p{margin:0;padding:1.5rem}p+p{padding-top:0}a{color:inherit}';

const headersFor = (frameAncestors: '*' | "'none'") => ({
  'Content-Security-Policy': `default-src 'none'; media-src 'self' https:; img-src 'self' https:; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors ${frameAncestors}`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
});

type MayShow = (video: Video, loader: Loader, nowMs: number) => Promise<boolean>;

export function embedPage(services: Services): RequestHandler {
  return async (request, response) => {
    const id = String(request.params.video);
    const loader = new Loader(services.store.objects);
    const shown = /^\d{1,20}$/.test(id) ? await shownVideo(services, loader, id, isEmbeddable) : undefined;
    const content = shown === undefined ? undefined : await player(services, loader, shown);
    response
      .status(shown === undefined ? 404 : 200)
      .set(headersFor('*'))
      .type('html')
      .send(page(shown?.data.title ?? 'Video', content ?? note('This video cannot be shown here.')));
  };
}

/** The page that `permalink_url` opens: the video for everyone, or words that do not tell whether there is one. */
export function permalinkPage(services: Services) {
  return async (ownerId: string, videoId: string, response: Response): Promise<void> => {
    const loader = new Loader(services.store.objects);
    const ofOwner: MayShow = async (video, ...rest) => video.data.ownerId === ownerId && isShownToAll(video, ...rest);
    const shown = await shownVideo(services, loader, videoId, ofOwner);
    response
      .status(shown === undefined ? 404 : 200)
      .set(headersFor("'none'"))
      .type('html')
      .send(
        shown === undefined
          ? page('Video', note(`${NOT_PUBLIC} <a href="/dashboard/#/videos/${videoId}">Sign in</a> if it is yours.`))
          : page(shown.data.title ?? 'Video', await described(services, loader, shown)),
      );
  };
}

const NOT_PUBLIC = 'There is no public video here.';

async function shownVideo(services: Services, loader: Loader, id: string, may: MayShow): Promise<Video | undefined> {
  const video = (await loader.load(id)) as Video | undefined;
  return video?.kind === 'video' && (await may(video, loader, services.clock.wallMs())) ? video : undefined;
}

/** The player under the title, with the owner and the description. */
async function described(services: Services, loader: Loader, video: Video): Promise<string> {
  const { title, description, ownerId } = video.data;
  const owner = (await loader.load(ownerId))?.data as OwnerData | undefined;
  const texts = [title, owner?.name, description].filter((text) => text !== undefined && text !== '');
  return (
    texts.map((text) => note(escapeHtml(visible(String(text))))).join('') + (await player(services, loader, video))
  );
}

async function player({ links, playbackLinks }: Services, loader: Loader, video: Video): Promise<string> {
  const { liveVideoId, crosspostOf } = video.data;
  const live = (liveVideoId === undefined ? undefined : await loader.load(liveVideoId)) as LiveVideo | undefined;
  const media =
    ((crosspostOf === undefined ? undefined : await loader.load(crosspostOf)) as Video | undefined) ?? video;
  const { sourceUrl, preferredThumbnailId, recordingRemovedMs } = media.data;
  if (live?.data.status === 'LIVE' && playbackLinks !== undefined) {
    const links = playbackLinks(live.data.crosspostOf ?? live.id);
    const source = `<source src="${escapeHtml(links.hls)}" type="application/vnd.apple.mpegurl">`;
    return `<video controls autoplay muted playsinline>${source}${note('This browser does not play HLS.')}</video>`;
  }
  if (recordingRemovedMs !== undefined) return note('The recording of this broadcast is no longer kept.');
  if (sourceUrl === undefined) return note('This video is not ready yet.');
  const signed = (url: string) => escapeHtml(url.startsWith('/') ? (links?.sign(url) ?? url) : url);
  const thumbnail = preferredThumbnailId === undefined ? undefined : await loader.load(preferredThumbnailId);
  const url = (thumbnail?.data as { url?: string } | undefined)?.url;
  const poster = url === undefined ? '' : ` poster="${signed(url)}"`;
  return `<video controls preload="metadata" playsinline${poster} src="${signed(sourceUrl)}"></video>`;
}

const note = (sentence: string): string => `<p>${sentence}</p>`;

function page(title: string, content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(visible(title))}</title><meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>${content}</body></html>`;
}
