/**
 * Parses `REDIS_URL`. With `rediss` in place of `redis` the connections use TLS, verified against the system's CA
 * certificates and those of NODE_EXTRA_CA_CERTS.
 *
 *   redis://[user:password@]host[:6379][/db]
 *   redis+sentinel://[user:password@]host[:26379],host…/master-name[/db]
 *   redis+cluster://[user:password@]host[:6379],host…
 *
 * User and password are those of the data nodes. Query: `prefix` (of all keys, `airlock`), and for Sentinel
 * `sentinelUsername` and `sentinelPassword`.
 */

export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

export interface RedisAddress {
  readonly form: 'single' | 'sentinel' | 'cluster';
  readonly hosts: readonly RedisHost[];
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  /** The master's name in Sentinel. */
  readonly masterName?: string;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
  readonly prefix: string;
  /** For logs and messages: the address without credentials. */
  readonly shown: string;
}

const FORM = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/?]*)@)?([^/?@]+)(?:\/([^?]*))?(?:\?(.*))?$/;
const QUERY_KEYS: ReadonlySet<string> = new Set(['prefix', 'sentinelUsername', 'sentinelPassword']);

/** @throws RangeError whose message names the problem and never contains a password */
export function parseRedisUrl(url: string): RedisAddress {
  const match = FORM.exec(url.trim());
  if (match === null) {
    throw new RangeError(
      'REDIS_URL must look like redis://host:port, redis+sentinel://h1,h2/name or redis+cluster://h1,h2',
    );
  }
  const [, scheme = '', variant, credentials = '', hostList = '', path = '', queryText = ''] = match;
  const form = variant === 'sentinel' || variant === 'cluster' ? variant : 'single';
  const hosts = hostList.split(',').map((text) => parseHost(text, form === 'sentinel' ? 26_379 : 6_379));
  if (form === 'single' && hosts.length > 1) {
    throw new RangeError('REDIS_URL has several hosts: use redis+sentinel:// or redis+cluster://');
  }
  const query = new URLSearchParams(queryText);
  for (const key of query.keys()) {
    if (!QUERY_KEYS.has(key)) throw new RangeError(`REDIS_URL has the unknown option ${key}`);
  }
  const parts = path.split('/').filter((part) => part !== '');
  const masterName = form === 'sentinel' ? decode(parts.shift() ?? '') : '';
  if (form === 'sentinel' && masterName === '')
    throw new RangeError('REDIS_URL with sentinel needs the name of the master');
  const db = parseDb(parts, form);
  const colon = credentials.indexOf(':');
  const username = decode(colon < 0 ? credentials : credentials.slice(0, colon));
  const password = colon < 0 ? '' : decode(credentials.slice(colon + 1));
  const sentinelUsername = query.get('sentinelUsername');
  const sentinelPassword = query.get('sentinelPassword');
  const shownPath = [masterName, db > 0 ? String(db) : ''].filter((part) => part !== '').join('/');
  return {
    form,
    hosts,
    tls: scheme === 'rediss',
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
    db,
    ...(masterName === '' ? {} : { masterName }),
    ...(sentinelUsername === null ? {} : { sentinelUsername }),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    prefix: parsePrefix(query.get('prefix') ?? 'airlock'),
    shown: `${scheme}${variant === undefined ? '' : `+${variant}`}://${hostList}${shownPath === '' ? '' : `/${shownPath}`}`,
  };
}

function parseHost(text: string, defaultPort: number): RedisHost {
  const match = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/.exec(text);
  const port = Number(match?.[2] ?? defaultPort);
  const host = match?.[1]?.replace(/^\[|\]$/g, '');
  if (host === undefined || port < 1 || port > 65_535)
    throw new RangeError(`REDIS_URL has a bad host or port: ${text}`);
  return { host, port };
}

function parseDb(parts: readonly string[], form: RedisAddress['form']): number {
  const [text, ...rest] = parts;
  if (text === undefined) return 0;
  if (rest.length > 0 || !/^\d{1,5}$/.test(text)) throw new RangeError('REDIS_URL: the path is a database number');
  if (form === 'cluster' && text !== '0') throw new RangeError('REDIS_URL: a cluster has only database 0');
  return Number(text);
}

function parsePrefix(text: string): string {
  if (!/^[A-Za-z0-9._:-]{1,64}$/.test(text))
    throw new RangeError('REDIS_URL: prefix takes letters, digits and . _ : -');
  return text;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new RangeError('REDIS_URL: user, password and name must be percent-encoded', { cause });
  }
}
