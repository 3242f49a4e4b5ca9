/**
 * Value types of settings. Each accepts text (environment, flags) and JSON values (config file: numbers, booleans, lists), so
 * that one schema serves all sources.
 */
import { isIP } from 'node:net';
import { z } from 'zod';
import type { DiskReserve } from '../../ports/index.js';
import { parseDiskReserve } from './disk-reserve.js';
import { type NetworkList, networkList, type TargetNetworks, targetNetworks } from './networks.js';

function wholeNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  return typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : undefined;
}

function fail(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

export const integer = (min: number, max: number) =>
  z.unknown().transform((value, context): number => {
    const number = wholeNumber(value);
    if (number === undefined || number < min || number > max) {
      return fail(context, `must be a whole number from ${min} to ${max}`);
    }
    return number;
  });

/** A TCP port; 0 lets the system pick a free one. */
export const port = () => integer(0, 65_535);

/** A TCP port, or `off` for no listener. */
export const portOrOff = () =>
  z.unknown().transform((value, context): number | undefined => {
    if (value === 'off' || value === false) return undefined;
    const number = wholeNumber(value);
    if (number === undefined || number > 65_535) return fail(context, 'must be "off" or a port from 0 to 65535');
    return number;
  });

const ON = new Set<unknown>(['on', 'true', '1', 'yes', true]);
const OFF = new Set<unknown>(['off', 'false', '0', 'no', false]);

export const onOff = () =>
  z.unknown().transform((value, context): boolean => {
    const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
    if (ON.has(word)) return true;
    if (OFF.has(word)) return false;
    return fail(context, 'must be "on" or "off"');
  });

export const oneOf = <const Choice extends string>(choices: readonly Choice[]) =>
  z.unknown().transform((value, context): Choice => {
    const choice = choices.find((candidate) => candidate === value);
    return choice ?? fail(context, `must be ${choices.map((candidate) => `"${candidate}"`).join(' or ')}`);
  });

/** Non-empty text without control characters. */
export const text = (what: string) =>
  z.unknown().transform((value, context): string => {
    if (typeof value !== 'string' || value.trim() === '' || /\p{Cc}/u.test(value)) {
      return fail(context, `must be ${what}`);
    }
    return value.trim();
  });

/** A percentage of the disk or a size. */
export const diskReserve = () =>
  z.unknown().transform((value, context): DiskReserve => {
    const problem =
      'must be a percentage of the disk from 1% to 90%, or a size of at least 100 MB, such as 20GB or 512MiB';
    return parseDiskReserve(typeof value === 'string' ? value : '') ?? fail(context, problem);
  });

/** A host name or an IP address, without a port; brackets around an IPv6 address are removed. */
export const host = () =>
  z.unknown().transform((value, context): string => {
    const name = typeof value === 'string' ? value.trim().replace(/^\[(.*)\]$/, '$1') : '';
    const isName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*\.?$/i.test(name);
    if (isIP(name) === 0 && !isName) return fail(context, 'must be a host name or an IP address, without a port');
    return name;
  });

/** Public names for which an authority can check control over HTTP: no addresses, no wildcards. */
export const domains = () =>
  z.unknown().transform((value, context): readonly string[] => {
    const written = typeof value === 'string' ? value.split(',') : value;
    if (!Array.isArray(written)) return fail(context, 'must be a list of names such as live.example.org');
    const names = written.map((part) => String(part).trim().toLowerCase()).filter((name) => name !== '');
    const isName = (name: string) =>
      /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,62})(\.[a-z0-9]([a-z0-9-]{0,62}))*$/.test(name);
    const wrong = names.find((name) => isIP(name) !== 0 || !isName(name));
    if (wrong !== undefined)
      return fail(context, `must name hosts such as live.example.org; "${wrong}" is an address, a wildcard or no name`);
    return [...new Set(names)];
  });

/** An absolute URL with one of the schemes (without the colon). */
export const url = (...schemes: readonly string[]) =>
  z.unknown().transform((value, context): string => {
    const parsed = typeof value === 'string' && URL.canParse(value.trim()) ? new URL(value.trim()) : undefined;
    if (parsed === undefined || !schemes.includes(parsed.protocol.slice(0, -1)) || parsed.hostname === '') {
      return fail(context, `must be a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`);
    }
    return (value as string).trim();
  });

/** One Redis, or the hosts of Sentinel or Cluster. No URL parser accepts several hosts, so the store parses the rest. */
export const redisUrl = () =>
  z.unknown().transform((value, context): string => {
    if (typeof value !== 'string' || !/^rediss?(\+sentinel|\+cluster)?:\/\/[^\s/]+/.test(value.trim())) {
      return fail(
        context,
        'must be a URL such as redis://host:6379, redis+sentinel://h1,h2/name or redis+cluster://h1,h2',
      );
    }
    return value.trim();
  });

/** Networks, comma-separated or as a JSON list: `10.0.0.0/8, 192.0.2.7, fd00::/8`. */
export const networks = () => listOfNetworks<NetworkList>(networkList);

/** Networks with optional ports, comma-separated or as a JSON list: `10.0.0.0/8, 192.0.2.7:9000, [fd00::/8]:8000-8999`. */
export const targets = () => listOfNetworks<TargetNetworks>(targetNetworks);

function listOfNetworks<List>(parse: (written: readonly string[]) => List) {
  return z.unknown().transform((value, context): List => {
    const written = typeof value === 'string' ? value.split(',') : value;
    if (!Array.isArray(written)) return fail(context, 'must be a list of networks such as 10.0.0.0/8');
    const list = written.map((part) => String(part).trim()).filter((part) => part !== '');
    try {
      return parse(list);
    } catch (error) {
      return fail(context, error instanceof RangeError ? error.message : 'must be a list of networks');
    }
  });
}
