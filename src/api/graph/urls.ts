/** Addresses of our own files in answers. */
import type { Call } from './call.js';

/** Paths of our own files are signed, so that a player needs no token. */
export function absolute(url: string | undefined, call: Call): string | undefined {
  if (!url?.startsWith('/')) return url;
  return `${call.origin}${call.services.links?.sign(url) ?? url}`;
}
