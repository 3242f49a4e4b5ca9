/** Environment, config file and flags made into one frozen Config. Flags win over the environment, which wins over the file. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isRecord } from '../lib/objects.js';
import { type Config, type ConfigKey, configSchema, SETTINGS, type Setting } from './schema.js';
import { isLoopback } from './values.js';

/** One setting that cannot be used, and where its value came from. */
export interface ConfigIssue {
  /** `AIRLOCK_RTMPS_PORT`, `--rtmps-port`, or `"rtmpsPort" in airlock.json`. */
  readonly source: string;
  readonly problem: string;
}

/** Every bad setting at once. The message is what the operator reads; it never repeats a secret's value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'BAD_CONFIG';
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    const lines = issues.map((issue) => `  ${issue.source} ${issue.problem}`);
    super(
      `${issues.length === 1 ? 'a setting is wrong' : `${issues.length} settings are wrong`}:\n${lines.join('\n')}`,
    );
    this.issues = issues;
  }
}

export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values of flags by key of the schema. */
  readonly flags?: Readonly<Partial<Record<ConfigKey, string | boolean | undefined>>>;
  /** Value of `--config`. */
  readonly file?: string | undefined;
  /** Relative paths are taken from here. */
  readonly cwd?: string;
}

export interface LoadedConfig {
  readonly config: Config;
  /** One sentence each: names that look like settings and are none. */
  readonly warnings: readonly string[];
}

interface Given {
  readonly value: unknown;
  readonly source: string;
}

/** @throws ConfigError naming every bad setting */
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
  // What belongs together is compared among the settings that stand on their own, so that one start reports everything.
  const alone = parsed.success ? parsed.data : configSchema.parse(withoutBad(values, parsed.error.issues));
  const config = fill(alone, sources.env, cwd);
  issues.push(...relations(config, sourceOf));
  if (issues.length > 0) throw new ConfigError(issues);
  return { config: Object.freeze(config), warnings: unknownNames(sources.env) };
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

function readConfigFile(path: string, shown: string, issues: ConfigIssue[]): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    issues.push({
      source: shown,
      problem: `cannot be read as JSON: ${error instanceof Error ? error.message : error}`,
    });
    return {};
  }
  if (!isRecord(content)) {
    issues.push({ source: shown, problem: 'must hold one JSON object' });
    return {};
  }
  for (const key of Object.keys(content)) {
    // "$schema" and "//" let a file explain itself.
    if (key === '$schema' || key.startsWith('//')) continue;
    if (!SETTINGS.some((setting) => setting.key === key)) {
      issues.push({ source: `"${key}" in ${shown}`, problem: 'is not a setting' });
    }
  }
  return content;
}

type Alone = ReturnType<typeof configSchema.parse>;

function withoutBad(
  values: Record<string, unknown>,
  issues: readonly { readonly path: readonly PropertyKey[] }[],
): Record<string, unknown> {
  const bad = new Set(issues.map((issue) => issue.path[0]));
  return Object.fromEntries(Object.entries(values).filter(([key]) => !bad.has(key)));
}

/** Conditional defaults, and absolute paths. */
function fill(alone: Alone, env: ConfigSources['env'], cwd: string): Config {
  const isDevelopment = env.NODE_ENV !== 'production';
  const quickstart = alone.quickstart ?? (isDevelopment && (alone.host === undefined || isLoopback(alone.host)));
  const host = alone.host ?? (quickstart ? '127.0.0.1' : '0.0.0.0');
  const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(cwd, path));
  // A program may be named by its bare name, which PATH resolves.
  const program = (path: string | undefined) => (path?.includes('/') ? absolute(path) : path);
  return {
    ...alone,
    quickstart,
    host,
    dataDir: resolve(cwd, alone.dataDir),
    certsDir: resolve(cwd, alone.certsDir),
    tlsCert: absolute(alone.tlsCert),
    tlsKey: absolute(alone.tlsKey),
    ffmpegPath: program(alone.ffmpegPath),
    ffprobePath: program(alone.ffprobePath),
  };
}

/** Settings that are sound alone and wrong together. */
function relations(config: Config, sourceOf: (key: ConfigKey) => string): ConfigIssue[] {
  const hasProxies = config.trustedProxies.networks.length > 0;
  const issues: ConfigIssue[] = [];
  const bad = (key: ConfigKey, problem: string) => issues.push({ source: sourceOf(key), problem });
  if (config.workers > 1 && config.redisUrl === undefined) {
    bad('workers', 'needs REDIS_URL when it is more than 1: the embedded store belongs to one process');
  }
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
    bad(
      config.tlsCert === undefined ? 'tlsCert' : 'tlsKey',
      'is missing: AIRLOCK_TLS_CERT and AIRLOCK_TLS_KEY go together',
    );
  }
  if (config.requireAppSecretProof && config.appSecret === undefined) {
    bad('requireAppSecretProof', 'needs AIRLOCK_APP_SECRET: there is nothing to check a proof with');
  }
  if (config.proxyProtocol && !hasProxies) {
    bad('proxyProtocol', 'needs AIRLOCK_TRUSTED_PROXIES: a PROXY header is taken from nobody else');
  }
  if (config.tlsInFront && !hasProxies && !isLoopback(config.host)) {
    bad('tlsInFront', 'needs AIRLOCK_TRUSTED_PROXIES when the plain port can be reached from other machines');
  }
  if (!isLoopback(config.host) && !config.https && !config.httpInsecure && !hasProxies) {
    bad(
      'https',
      `must be on, because ${config.host} can be reached from other machines and plain HTTP would show tokens and stream keys (or name AIRLOCK_TRUSTED_PROXIES that end TLS, or set AIRLOCK_HTTP_INSECURE=on)`,
    );
  }
  const ports = (['rtmpsPort', 'rtmpPort', 'httpPort'] as const).filter((key) => (config[key] ?? 0) !== 0);
  for (const [index, key] of ports.entries()) {
    const other = ports.slice(0, index).find((earlier) => config[earlier] === config[key]);
    if (other !== undefined) bad(key, `is the same port as ${sourceOf(other)}: ${config[key]}`);
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

function settingOf(key: ConfigKey): Setting {
  const setting = SETTINGS.find((candidate) => candidate.key === key);
  if (setting === undefined) throw new Error(`no setting is called ${key}`);
  return setting;
}

function shownValue(setting: Setting, given: Given | undefined): string {
  if (given === undefined || setting.secret !== undefined) return '';
  return `, not ${typeof given.value === 'string' ? `"${given.value}"` : JSON.stringify(given.value)}`;
}
