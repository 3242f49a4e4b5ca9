/**
 * Scopes of links. Valid for one broadcast: `read_broadcast:<id>` of a dock link opens its live feed, `set_up_encoder:<id>` beside
 * it `GET /{live-video-id}/obs_profile`, whose answer holds the stream key, and `read_report:<id>` its report as a page.
 * `put_on_air:<id>` is valid for one of two input streams, by the ID of that.
 * `read_wall` opens the live feed and the stills of all broadcasts that the token which made the link reads.
 */
import type { GraphMethod } from '../../spec/graph.js';

const READ_SCOPE = /^read_broadcast:(\d{1,20})$/;
const SET_UP_SCOPE = /^set_up_encoder:\d{1,20}$/;
const ON_AIR_SCOPE = /^put_on_air:\d{1,20}$/;
const REPORT_SCOPE = /^read_report:(\d{1,20})$/;
export const WALL_SCOPE = 'read_wall';

const OF_LINKS = [READ_SCOPE, SET_UP_SCOPE, ON_AIR_SCOPE, REPORT_SCOPE];

export function broadcastScope(liveVideoId: string): string {
  return `read_broadcast:${liveVideoId}`;
}

export function setUpScope(liveVideoId: string): string {
  return `set_up_encoder:${liveVideoId}`;
}

export function onAirScope(inputStreamId: string): string {
  return `put_on_air:${inputStreamId}`;
}

export const isOnAirScope = (scope: string): boolean => ON_AIR_SCOPE.test(scope);

export function reportScope(liveVideoId: string): string {
  return `read_report:${liveVideoId}`;
}

export function isLinkScope(scope: string): boolean {
  return scope === WALL_SCOPE || OF_LINKS.some((pattern) => pattern.test(scope));
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
  if (method === 'POST') return edge === undefined && scopes.has(onAirScope(id));
  return method === 'GET' && edge === 'obs_profile' && rest.length === 0 && scopes.has(setUpScope(id));
}
