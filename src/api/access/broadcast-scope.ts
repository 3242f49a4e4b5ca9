/**
 * Scopes of links. Valid for one broadcast: `read_broadcast:<id>` of a dock link opens its live feed, `set_up_encoder:<id>` beside
 * it `GET /{live-video-id}/obs_profile`, whose answer holds the stream key, and `read_report:<id>` its report as a page.
 * `read_wall` opens the live feed and the stills of all broadcasts that the token which made the link reads.
 */
import type { GraphMethod } from '../../spec/graph.js';

const READ_SCOPE = /^read_broadcast:(\d{1,20})$/;
const SET_UP_SCOPE = /^set_up_encoder:\d{1,20}$/;
const REPORT_SCOPE = /^read_report:(\d{1,20})$/;
export const WALL_SCOPE = 'read_wall';

export function broadcastScope(liveVideoId: string): string {
  return `read_broadcast:${liveVideoId}`;
}

export function setUpScope(liveVideoId: string): string {
  return `set_up_encoder:${liveVideoId}`;
}

export function reportScope(liveVideoId: string): string {
  return `read_report:${liveVideoId}`;
}

export function isLinkScope(scope: string): boolean {
  return scope === WALL_SCOPE || READ_SCOPE.test(scope) || SET_UP_SCOPE.test(scope) || REPORT_SCOPE.test(scope);
}

/** Ids of the broadcasts that a token is limited to; `undefined` for a token without such a scope. */
export function broadcastsOfScopes(scopes: Iterable<string>): readonly string[] | undefined {
  const all = [...scopes];
  const ids = all.flatMap((scope) => READ_SCOPE.exec(scope)?.[1] ?? []);
  return ids.length === 0 && !all.some(isLinkScope) ? undefined : ids;
}

export interface LinkRequest {
  readonly method: GraphMethod;
  readonly segments: readonly string[];
}

/** Whether a dock link with these scopes may make this HTTP request. */
export function isOpenToLink(scopes: ReadonlySet<string>, { method, segments }: LinkRequest): boolean {
  const [id = '', edge, ...rest] = segments;
  return method === 'GET' && edge === 'obs_profile' && rest.length === 0 && scopes.has(setUpScope(id));
}
