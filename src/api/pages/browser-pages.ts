/** Where a browser gets to by the addresses of the interface: `/` and `permalink_url`. Programs get JSON there. */
import type { Request, RequestHandler, Response } from 'express';
import { Loader } from '../context/loader.js';
import type { Services } from '../graph/call.js';
import type { Video } from '../resources/shared/documents.js';
import { EMBED_PATH, isEmbeddable } from '../resources/shared/embed.js';

const PERMALINK = /^\/\d{1,20}\/videos\/(\d{1,20})\/?$/;

/** The address of a video's page, which only programs get as JSON. */
export const isPermalink = (url = ''): boolean => PERMALINK.test(url);

/** A GET by a browser of one of these addresses. */
export function isForBrowser(request: Request): boolean {
  if (request.method !== 'GET' || (request.url !== '/' && !PERMALINK.test(request.url))) return false;
  return request.accepts(['json', 'html']) === 'html';
}

/** A public video is shown to everyone, any other after the sign-in. */
export function browserPages(services: Pick<Services, 'store' | 'clock'>): RequestHandler {
  return async (request, response) => {
    const id = PERMALINK.exec(request.url)?.[1];
    if (id === undefined) return redirect(response, '/dashboard/');
    const loader = new Loader(services.store.objects);
    const video = (await loader.load(id)) as Video | undefined;
    const isPublic = video?.kind === 'video' && (await isEmbeddable(video, loader, services.clock.wallMs()));
    return redirect(response, isPublic ? `${EMBED_PATH}/${id}` : `/dashboard/#/videos/${id}`);
  };
}

function redirect(response: Response, to: string): void {
  response.set({ 'Cache-Control': 'no-store', Vary: 'Accept', 'Referrer-Policy': 'no-referrer' }).redirect(302, to);
}
