/** Where a browser gets to by the addresses of the interface: `/` and `permalink_url`. Programs that want JSON get it there. */
import type { Request, RequestHandler } from 'express';
import type { Services } from '../graph/call.js';
import { permalinkPage } from './embed-page.js';

const PERMALINK = /^\/(\d{1,20})\/videos\/(\d{1,20})\/?$/;

/** The address of a video's page, where the graph has nothing. */
export const isPermalink = (url = ''): boolean => PERMALINK.test(url);

/** A GET of one of these addresses that takes a page. A client that takes anything gets the calls of `/` as JSON. */
export function isForBrowser(request: Request): boolean {
  if (request.method !== 'GET') return false;
  if (isPermalink(request.url)) return request.accepts(['html', 'json']) === 'html';
  return request.url === '/' && request.accepts(['json', 'html']) === 'html';
}

export function browserPages(services: Services): RequestHandler {
  const toPage = permalinkPage(services);
  return (request, response) => {
    const [, ownerId, videoId] = PERMALINK.exec(request.url) ?? [];
    response.set({ 'Cache-Control': 'no-store', Vary: 'Accept', 'Referrer-Policy': 'no-referrer' });
    if (ownerId === undefined || videoId === undefined) return response.redirect(302, '/dashboard/');
    return toPage(ownerId, videoId, response);
  };
}
