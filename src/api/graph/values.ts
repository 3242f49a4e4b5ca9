/** Formats of values in responses: times, and URLs of our own files. */
import { isRecord } from '../../lib/objects.js';
import type { Call } from './call.js';
import { formatDate } from './date-format.js';

/** `2018-12-05T23:58:52+0000`, or the format of PHP that `date_format` gives; a number for `U`. */
export function graphTime(ms: number | undefined, call: Call): string | number | undefined {
  if (ms === undefined) return undefined;
  const format = call.params.date_format;
  if (typeof format === 'string' && format !== '') return formatDate(ms, format);
  return `${new Date(ms).toISOString().slice(0, 19)}+0000`;
}

/** Unix seconds, or the format that `date_format` gives. */
export function graphUnixTime(ms: number, call: Call): string | number | undefined {
  const format = call.params.date_format;
  return format === undefined || format === '' ? Math.floor(ms / 1000) : graphTime(ms, call);
}

/** A stored value whose `atMs` follows `date_format`. */
export function withFormattedTime(value: unknown, call: Call): unknown {
  if (!isRecord(value) || typeof value.atMs !== 'number' || call.params.date_format === undefined) return value;
  return { ...value, atMs: graphTime(value.atMs, call) };
}

/** Makes paths of our own files absolute and signs them, so that a player needs no token. The link ends with the token. */
export function absolute(url: string | undefined, call: Call): string | undefined {
  if (!url?.startsWith('/')) return url;
  return `${call.originOf()}${call.services.links?.sign(url, call.viewer?.tokenId) ?? url}`;
}
