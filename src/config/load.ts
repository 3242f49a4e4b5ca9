/** Merges flags, environment and config file, in this order of precedence, into one frozen Config. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { codeOf } from '../lib/errors.js';
import { isRecord } from '../lib/objects.js';
import { ConfigError, type ConfigIssue } from './folders.js';
import { LISTENERS } from './listeners.js';
import { isOutOfReach, publicUrls } from './public-urls.js';
import { isLoopback } from './settings/networks.js';
import { type Config, type ConfigKey, configSchema, SETTINGS, type Setting } from './settings/schema.js';

export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values of flags, by schema key. */
  readonly flags?: Readonly<Partial<Record<ConfigKey, string | boolean | undefined>>>;
  /** Value of `--config`. */
  readonly file?: string | undefined;
  /** Base of relative paths. */
  readonly cwd?: string;
}

export interface LoadedConfig {
  readonly config: Config;
  /** One sentence each: variables that look like settings but are not, and settings that something is missing for. */
  readonly warnings: readonly string[];
}

interface Given {
  readonly value: unknown;
  readonly source: string;
}

/** @throws ConfigError that lists every invalid setting */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const cwd = sources.cwd ?? process.cwd();
  const issues: ConfigIssue[] = [];
  const given = collect(sources, cwd, issues);
  const values = Object.fromEntries([...given].map(([key, { value }]) => [key, value]));
  const parsed = configSchema.safeParse(values);
  const sourceOf = (key: ConfigKey): string => given.get(key)?.source ?? settingOf(key).env;
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const key = issue.path[0] as ConfigKey;
      issues.push({ source: sourceOf(key), problem: `${issue.message}${shownValue(settingOf(key), given.get(key))}` });
    }
  }
  // Combinations are checked among the settings that are valid by themselves, so that one start reports every problem.
  const valid = parsed.success ? parsed.data : configSchema.parse(withoutInvalid(values, parsed.error.issues));
  const config = resolveDefaults(valid, sources.env, cwd);
  issues.push(...conflicts(config, sourceOf));
  if (issues.length > 0) throw new ConfigError(issues);
  const warnings = [...unknownNames(sources.env), ...doubts(config, sources.env)];
  return { config: Object.freeze(config), warnings };
}

function collect(sources: ConfigSources, cwd: string, issues: ConfigIssue[]): Map<ConfigKey, Given> {
  const given = new Map<ConfigKey, Given>();
  const file = sources.file ?? sources.env.AIRLOCK_CONFIG;
  const fromFile = file ? readConfigFile(resolve(cwd, file), file, issues) : {};
  for (const setting of SETTINGS) {
    const candidates: Given[] = [
      { value: sources.flags?.[setting.key], source: `--${setting.flag}` },
      { value: sources.env[setting.env] || undefined, source: setting.env },
      { value: fromFile[setting.key] ?? undefined, source: `"${setting.key}" in ${file}` },
    ];
    const first = candidates.find((candidate) => candidate.value !== undefined);
    if (first !== undefined) given.set(setting.key, first);
  }
  return given;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function readConfigFile(path: string, shown: string, issues: ConfigIssue[]): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    issues.push({
      source: shown,
      problem: codeOf(error) === 'ENOENT' ? 'does not exist' : `cannot be read as JSON: ${messageOf(error)}`,
    });
    return {};
  }
  if (!isRecord(content)) {
    issues.push({ source: shown, problem: 'must contain a JSON object' });
    return {};
  }
  for (const key of Object.keys(content)) {
    // "$schema" and "//" allow a schema reference and comments in the file.
    if (key === '$schema' || key.startsWith('//')) continue;
    if (!SETTINGS.some((setting) => setting.key === key)) {
      issues.push({ source: `"${key}" in ${shown}`, problem: 'is not a setting' });
    }
  }
  return content;
}

type ParsedSettings = ReturnType<typeof configSchema.parse>;

function withoutInvalid(
  values: Record<string, unknown>,
  issues: readonly { readonly path: readonly PropertyKey[] }[],
): Record<string, unknown> {
  const invalid = new Set(issues.map((issue) => issue.path[0]));
  return Object.fromEntries(Object.entries(values).filter(([key]) => !invalid.has(key)));
}

/** Fills in the conditional defaults and makes paths absolute. */
function resolveDefaults(parsed: ParsedSettings, env: ConfigSources['env'], cwd: string): Config {
  const isDevelopment = env.NODE_ENV !== 'production';
  const quickstart = parsed.quickstart ?? (isDevelopment && (parsed.host === undefined || isLoopback(parsed.host)));
  const host = parsed.host ?? (quickstart ? '127.0.0.1' : '0.0.0.0');
  const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(cwd, path));
  // A name without a slash is looked up in PATH.
  const program = (path: string | undefined) => (path?.includes('/') ? absolute(path) : path);
  return {
    ...parsed,
    quickstart,
    host,
    dataDir: resolve(cwd, parsed.dataDir),
    certsDir: resolve(cwd, parsed.certsDir),
    spec: absolute(parsed.spec),
    tlsCert: absolute(parsed.tlsCert),
    tlsKey: absolute(parsed.tlsKey),
    ffmpegPath: program(parsed.ffmpegPath),
    ffprobePath: program(parsed.ffprobePath),
  };
}

/** Combinations of valid settings that are not allowed. */
function conflicts(config: Config, sourceOf: (key: ConfigKey) => string): ConfigIssue[] {
  const hasProxies = config.trustedProxies.networks.length > 0;
  const issues: ConfigIssue[] = [];
  const reject = (key: ConfigKey, problem: string) => issues.push({ source: sourceOf(key), problem });
  if (config.workers > 1 && config.redisUrl === undefined) {
    reject('workers', 'needs REDIS_URL when it is more than 1: the embedded store belongs to one process');
  }
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
    reject(
      config.tlsCert === undefined ? 'tlsCert' : 'tlsKey',
      'is missing: AIRLOCK_TLS_CERT and AIRLOCK_TLS_KEY must be set together',
    );
  }
  if (config.acmeDomains.length > 0 && config.tlsCert !== undefined) {
    reject('acmeDomains', 'cannot be used with AIRLOCK_TLS_CERT: choose one of the two certificates');
  }
  if (config.requireAppSecretProof && config.appSecret === undefined) {
    reject('requireAppSecretProof', 'needs AIRLOCK_APP_SECRET, with which proofs are verified');
  }
  if (config.proxyProtocol && !hasProxies) {
    reject('proxyProtocol', 'needs AIRLOCK_TRUSTED_PROXIES: only trusted proxies may send a PROXY header');
  }
  if (config.tlsInFront && !hasProxies && !isLoopback(config.host)) {
    reject('tlsInFront', 'needs AIRLOCK_TRUSTED_PROXIES when other machines can reach the plain port');
  }
  if (!isLoopback(config.host) && !config.https && !config.httpInsecure && !hasProxies) {
    reject(
      'https',
      `must be on, because other machines can reach ${config.host} and plain HTTP would expose tokens and stream keys (or set AIRLOCK_TRUSTED_PROXIES to the proxies that terminate TLS, or set AIRLOCK_HTTP_INSECURE=on)`,
    );
  }
  const ports = new Map<number, ConfigKey>();
  for (const { setting, port } of LISTENERS) {
    const number = port(config) ?? 0;
    const other = ports.get(number);
    if (other !== undefined) reject(setting, `is the same port as ${sourceOf(other)}: ${number}`);
    else if (number !== 0) ports.set(number, setting);
  }
  return issues;
}

function unknownNames(env: ConfigSources['env']): string[] {
  const known = new Set(['AIRLOCK_CONFIG', ...SETTINGS.map((setting) => setting.env)]);
  return Object.keys(env)
    .filter((name) => name.startsWith('AIRLOCK_') && !known.has(name))
    .sort()
    .map((name) => `${name} is set but is not a setting`);
}

/** Combinations that are allowed, because they make sense somewhere, and that are a mistake elsewhere. */
function doubts(config: Config, env: ConfigSources['env']): string[] {
  const found: string[] = [];
  if (isOutOfReach(config)) {
    found.push(
      `other machines cannot reach ${publicUrls(config, config).streamUrlBase}: the server listens on ${config.host} only. Set AIRLOCK_HOST=0.0.0.0, or NODE_ENV=production, which also turns the quickstart off`,
    );
  }
  if (config.redisUrl !== undefined && config.blobUrl === undefined) {
    found.push(
      'REDIS_URL without AIRLOCK_BLOB_URL: videos and recordings are in the data folder of this server, and other servers on this Redis answer 404 for them',
    );
  }
  if (config.redisUrl !== undefined && config.internalHttpUrl === undefined) {
    found.push(
      'REDIS_URL without AIRLOCK_INTERNAL_HTTP_URL: other servers on this Redis cannot play the broadcasts that this one receives',
    );
  }
  const missing = config.blobUrl === undefined ? [] : missingCredentials(config.blobUrl, env);
  if (missing.length > 0) {
    found.push(
      `AIRLOCK_BLOB_URL without ${missing.join(' and ')}: the storage refuses every video and recording (or name a profile or a role, as AWS tools do)`,
    );
  }
  return found;
}

const ACCESS_KEY = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;
/** Other places of credentials, in which the client of the storage looks. */
const OTHER_CREDENTIALS =
  /^AWS_(PROFILE|CONFIG_FILE|SHARED_CREDENTIALS_FILE|WEB_IDENTITY_TOKEN_FILE|CONTAINER_CREDENTIALS_(RELATIVE|FULL)_URI)$/;

/** A machine at AWS may have a role that no variable shows; a storage elsewhere, with an endpoint of its own, has none. */
function missingCredentials(blobUrl: string, env: ConfigSources['env']): string[] {
  const isSet = (name: string) => (env[name] ?? '') !== '';
  const missing = ACCESS_KEY.filter((name) => !isSet(name));
  if (missing.length < ACCESS_KEY.length) return missing;
  const isElsewhere = new URL(blobUrl).searchParams.has('endpoint');
  const hasOthers =
    Object.keys(env).some((name) => OTHER_CREDENTIALS.test(name) && isSet(name)) ||
    (env.HOME !== undefined && existsSync(join(env.HOME, '.aws')));
  return isElsewhere && !hasOthers ? missing : [];
}

function settingOf(key: ConfigKey): Setting {
  const setting = SETTINGS.find((candidate) => candidate.key === key);
  if (setting === undefined) throw new Error(`unknown setting: ${key}`);
  return setting;
}

function shownValue(setting: Setting, given: Given | undefined): string {
  if (given === undefined || setting.secret !== undefined) return '';
  return `, not ${typeof given.value === 'string' ? `"${given.value}"` : JSON.stringify(given.value)}`;
}

/** The settings with secrets and passwords masked, for logs. */
const MASK = '***';

/** Environment name → masked value, in the order of the schema. */
export function maskedSettings(config: Config): Readonly<Record<string, string>> {
  return Object.fromEntries(SETTINGS.map((setting) => [setting.env, shown(setting, config[setting.key])]));
}

function shown(setting: Setting, value: Config[keyof Config]): string {
  if (value === undefined) return setting.key === 'rtmpPort' ? 'off' : '';
  if (setting.secret === 'whole') return MASK;
  if (setting.secret === 'url') return maskUrl(String(value));
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value !== 'object') return String(value);
  if ('networks' in value) return value.networks.join(',');
  return 'text' in value ? value.text : value.join(',');
}

/** Masks the password and the query values of a URL; also accepts a URL with several hosts. */
export function maskUrl(url: string): string {
  return url.replace(/^([^/]*\/\/[^:@/?]*):[^/?]*@/, `$1:${MASK}@`).replace(/(?<=[?&][^=&]*=)[^&#]*/g, MASK);
}
