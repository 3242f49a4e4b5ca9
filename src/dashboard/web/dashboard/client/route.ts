/** Routes in the URL fragment: a reload stays on the page, and the server serves a single document. */
import { useEffect, useState } from 'react';

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
  if (path === '' || path === '/') return { page: 'broadcasts' };
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

export function useRoute(): Route {
  const [hash, setHash] = useState(window.location.hash);
  useEffect(() => {
    const onChange = (): void => {
      setHash(window.location.hash);
      window.scrollTo(0, 0);
    };
    window.addEventListener('hashchange', onChange);
    return () => window.removeEventListener('hashchange', onChange);
  }, []);
  return routeOf(hash);
}
