/** Formats of values in responses: times, and URLs of our own files. */
import type { Call } from './call.js';

/** `2018-12-05T23:58:52+0000`; Unix seconds with `date_format=U`. */
export function graphTime(ms: number | undefined, call: Call): string | number | undefined {
  if (ms === undefined) return undefined;
  const format = call.params.date_format;
  if (format === 'U') return Math.floor(ms / 1000);
  const seconds = new Date(ms).toISOString().slice(0, 19);
  return format === 'Y-m-d\\TH:i:sP' ? `${seconds}+00:00` : `${seconds}+0000`;
}

/** Makes paths of our own files absolute and signs them, so that a player needs no token. */
export function absolute(url: string | undefined, call: Call): string | undefined {
  if (!url?.startsWith('/')) return url;
  return `${call.origin}${call.services.links?.sign(url) ?? url}`;
}
