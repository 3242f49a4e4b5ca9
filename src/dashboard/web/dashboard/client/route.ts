/** Routes in the URL fragment: a reload stays on the page, and the server serves a single document. */
import { useEffect, useState } from 'react';
import { isRecord } from '../../../../lib/objects.js';
import { BROADCAST_FILTERS, type BroadcastFilter } from '../../../view/broadcast-group.js';

export type Route =
  | { readonly page: 'broadcasts' }
  | { readonly page: 'broadcast'; readonly id: string }
  | { readonly page: 'new' }
  | { readonly page: 'videos' }
  | { readonly page: 'video'; readonly id: string }
  | { readonly page: 'matches' }
  | { readonly page: 'overview' }
  | { readonly page: 'unknown' };

function routeOf(hash: string): Route {
  const path = hash.replace(/^#/, '');
  const broadcast = /^\/broadcasts\/(\d{1,20})$/.exec(path)?.[1];
  if (broadcast !== undefined) return { page: 'broadcast', id: broadcast };
  const video = /^\/videos\/(\d{1,20})$/.exec(path)?.[1];
  if (video !== undefined) return { page: 'video', id: video };
  if (/^\/?(\?|$)/.test(path)) return { page: 'broadcasts' };
  if (path === '/new') return { page: 'new' };
  if (path === '/videos') return { page: 'videos' };
  if (path === '/matches') return { page: 'matches' };
  if (path === '/overview') return { page: 'overview' };
  return { page: 'unknown' };
}

export const linkTo = {
  broadcasts: '#/',
  broadcast: (id: string): string => `#/broadcasts/${id}`,
  new: '#/new',
  videos: '#/videos',
  matches: '#/matches',
  overview: '#/overview',
  video: (id: string): string => `#/videos/${id}`,
} as const;

/** The list that the address names: a reload, a shared link and Back show it again. */
export interface ListQuery {
  readonly filter: BroadcastFilter;
  readonly search: string;
}

export function listQuery(): ListQuery {
  const params = new URLSearchParams(/^#\/?\?(.*)$/.exec(window.location.hash)?.[1]);
  const filter = BROADCAST_FILTERS.find((each) => each === params.get('filter')) ?? 'all';
  return { filter, search: params.get('search') ?? '' };
}

/** In place of the present entry of the history: a list that was filtered in five steps is left by one step back. */
export function showListQuery({ filter, search }: ListQuery): void {
  const params = new URLSearchParams();
  if (filter !== 'all') params.set('filter', filter);
  if (search !== '') params.set('search', search);
  const query = params.toString();
  window.history.replaceState(window.history.state, '', query === '' ? linkTo.broadcasts : `#/?${query}`);
}

const PLACE_KEPT_MS = 150;

/** Keeps how far the list is scrolled in its entry of the history, and returns there when Back leads to it. */
export function usePlace(): void {
  useEffect(() => {
    const place = placeOf(window.history.state);
    if (place !== undefined) window.scrollTo(0, place);
    let timer: number | undefined;
    const keep = (): void => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        // The address may name another page already.
        if (routeOf(window.location.hash).page === 'broadcasts')
          window.history.replaceState({ place: window.scrollY }, '');
      }, PLACE_KEPT_MS);
    };
    window.addEventListener('scroll', keep, { passive: true });
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener('scroll', keep);
    };
  }, []);
}

/** Back leads to a list that was scrolled. */
export const hasPlace = (): boolean => placeOf(window.history.state) !== undefined;

const placeOf = (state: unknown): number | undefined => {
  const place: unknown = isRecord(state) ? state.place : undefined;
  return typeof place === 'number' ? place : undefined;
};

export function useRoute(): Route {
  const [hash, setHash] = useState(window.location.hash);
  useEffect(() => {
    const onChange = (): void => {
      setHash(window.location.hash);
      if (placeOf(window.history.state) === undefined) window.scrollTo(0, 0);
    };
    window.addEventListener('hashchange', onChange);
    return () => window.removeEventListener('hashchange', onChange);
  }, []);
  return routeOf(hash);
}
