/**
 * All settings of the server: environment name, flag, config key, type, default and one line of documentation. The types, the
 * table in docs/operations.md, the flags of the command line and the masked listing are derived from this schema.
 */
import { z } from 'zod';
import { acmeSettings } from './acme-settings.js';
import { MIN_SECRET_BITS, secretBits } from './secret-strength.js';
import { type SettingMeta, settingMeta } from './setting-meta.js';
import { diskReserve, host, integer, networks, oneOf, onOff, port, portOrOff, redisUrl, text, url } from './values.js';

export { type SettingMeta, settingMeta } from './setting-meta.js';

export const LOG_LEVELS = ['info', 'debug', 'warn', 'error', 'silent'] as const;

const ON_OFF = 'on|off';

/** Keys in the order of the table. Absent values take the default; `loadConfig` fills in conditional defaults. */
export const configSchema = z.object({
  rtmpsPort: port().default(1936).register(settingMeta, {
    env: 'AIRLOCK_RTMPS_PORT',
    shown: '1936',
    placeholder: 'PORT',
    summary: 'Port of the RTMPS listener; 0 picks a free one.',
  }),
  rtmpPort: portOrOff().optional().register(settingMeta, {
    env: 'AIRLOCK_RTMP_PORT',
    shown: 'off',
    placeholder: 'PORT|off',
    summary:
      'Port of a listener for plain RTMP. Its streams violate rule 6101 unless a proxy terminates TLS in front of it.',
  }),
  httpPort: port().default(8080).register(settingMeta, {
    env: 'AIRLOCK_HTTP_PORT',
    shown: '8080',
    placeholder: 'PORT',
    summary: 'Port of the HTTP interface and the dashboard; 0 picks a free one.',
  }),
  probePort: portOrOff().optional().register(settingMeta, {
    env: 'AIRLOCK_PROBE_PORT',
    shown: 'off',
    placeholder: 'PORT|off',
    summary: 'Port of its own for /healthz, /readyz and /metrics, so that probes do not share the HTTP port.',
  }),
  host: host().optional().register(settingMeta, {
    env: 'AIRLOCK_HOST',
    shown: '127.0.0.1 with quickstart, else 0.0.0.0',
    placeholder: 'HOST',
    summary: 'Address that the listeners bind to.',
  }),
  publicHost: host().default('localhost').register(settingMeta, {
    env: 'AIRLOCK_PUBLIC_HOST',
    shown: 'localhost',
    placeholder: 'HOST',
    summary: 'Host name that encoders and browsers use; part of the certificate and of all published URLs.',
  }),
  publicRtmpsUrl: url('rtmps', 'rtmp').optional().register(settingMeta, {
    env: 'AIRLOCK_PUBLIC_RTMPS_URL',
    shown: 'rtmps://<public host>:<RTMPS port>/live/',
    placeholder: 'URL',
    summary: 'Stream URL for encoders, if a load balancer or another port is in front of the server.',
  }),
  publicHttpUrl: url('http', 'https').optional().register(settingMeta, {
    env: 'AIRLOCK_PUBLIC_HTTP_URL',
    shown: 'http(s)://<public host>:<HTTP port>',
    placeholder: 'URL',
    summary: 'HTTP address in published links, if a load balancer or another port is in front of the server.',
  }),
  internalHttpUrl: url('http', 'https').optional().register(settingMeta, {
    env: 'AIRLOCK_INTERNAL_HTTP_URL',
    shown: 'unset: broadcasts received here can be watched only here',
    placeholder: 'URL',
    summary: 'HTTP address at which other servers on the same Redis reach this one to relay playback from it.',
  }),
  dataDir: text('a folder').default('./data').register(settingMeta, {
    env: 'AIRLOCK_DATA_DIR',
    shown: './data',
    placeholder: 'FOLDER',
    summary: 'Folder of the embedded store, the journal, the server key and the recordings. Must be on a local disk.',
  }),
  certsDir: text('a folder').default('./certs').register(settingMeta, {
    env: 'AIRLOCK_CERTS_DIR',
    shown: './certs',
    placeholder: 'FOLDER',
    summary: 'Folder of the local authority and its certificate, created when no certificate is configured.',
  }),
  redisUrl: redisUrl().optional().register(settingMeta, {
    env: 'REDIS_URL',
    shown: 'unset: the embedded store',
    placeholder: 'URL',
    summary: 'Redis as the store, shared by several processes and machines.',
    secret: 'url',
  }),
  blobUrl: url('s3').optional().register(settingMeta, {
    env: 'AIRLOCK_BLOB_URL',
    shown: 'unset: <data folder>/blobs',
    placeholder: 'URL',
    summary:
      'S3-compatible storage for videos and recordings: s3://bucket/prefix?endpoint=URL&region=NAME, with path_style=true where the storage needs it; credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    secret: 'url',
  }),
  tlsCert: text('a file').optional().register(settingMeta, {
    env: 'AIRLOCK_TLS_CERT',
    shown: 'unset: a certificate of the local authority',
    placeholder: 'FILE',
    summary: 'Certificate for RTMPS and HTTPS: PEM, leaf first, then all intermediates.',
  }),
  tlsKey: text('a file').optional().register(settingMeta, {
    env: 'AIRLOCK_TLS_KEY',
    shown: 'unset',
    placeholder: 'FILE',
    summary: 'Private key of that certificate (PEM). Both files are reloaded when they change.',
  }),
  ...acmeSettings,
  tlsSuites: oneOf(['modern', 'legacy']).default('modern').register(settingMeta, {
    env: 'AIRLOCK_TLS_SUITES',
    shown: 'modern',
    placeholder: 'modern|legacy',
    summary:
      'legacy: the RTMPS port also accepts suites without forward secrecy, and CBC with SHA-1, for old firmware.',
  }),
  tlsMax: oneOf(['1.2', '1.3']).default('1.2').register(settingMeta, {
    env: 'AIRLOCK_TLS_MAX',
    shown: '1.2',
    placeholder: '1.2|1.3',
    summary: 'Highest TLS version on the RTMPS port. Some encoders fail on the session tickets of TLS 1.3.',
  }),
  https: onOff().default(false).register(settingMeta, {
    env: 'AIRLOCK_HTTPS',
    shown: 'off',
    placeholder: ON_OFF,
    summary: 'Serve HTTP over TLS, with the same certificate.',
  }),
  httpInsecure: onOff().default(false).register(settingMeta, {
    env: 'AIRLOCK_HTTP_INSECURE',
    shown: 'off',
    placeholder: ON_OFF,
    summary:
      'Allow plain HTTP on an address that other machines can reach; tokens and stream keys are then sent unencrypted.',
  }),
  workers: integer(1, 256).default(1).register(settingMeta, {
    env: 'AIRLOCK_WORKERS',
    shown: '1',
    placeholder: 'N',
    summary: 'Ingest processes behind the RTMPS port. More than one needs REDIS_URL.',
  }),
  enforce: oneOf(['report', 'strict']).default('report').register(settingMeta, {
    env: 'AIRLOCK_ENFORCE',
    shown: 'report',
    placeholder: 'report|strict',
    summary: '`strict` also ends a broadcast when an error stays open for 10 s.',
  }),
  analysis: onOff().default(true).register(settingMeta, {
    env: 'AIRLOCK_ANALYSIS',
    shown: 'on',
    placeholder: ON_OFF,
    summary: 'Judge bitstream and timestamps beyond the published document (warnings and notes only).',
  }),
  spec: text('a file').optional().register(settingMeta, {
    env: 'AIRLOCK_SPEC',
    shown: 'unset: the published specification',
    placeholder: 'FILE',
    summary: 'JSON file with bounds over those of the published specification (docs/house-spec.md).',
  }),
  loudnessTarget: oneOf(['off', '-14', '-16', '-23', '-24']).default('off').register(settingMeta, {
    env: 'AIRLOCK_LOUDNESS_TARGET',
    shown: 'off',
    placeholder: 'LUFS',
    summary: 'Note broadcasts whose loudness of ten minutes is off this target: -14, -16, -23 or -24.',
  }),
  copyrightBlock: onOff().default(false).register(settingMeta, {
    env: 'AIRLOCK_COPYRIGHT_BLOCK',
    shown: 'off',
    placeholder: ON_OFF,
    summary: 'Stop a broadcast that matches a copyright reference with the policy `block`; off: only warn.',
  }),
  record: onOff().default(true).register(settingMeta, {
    env: 'AIRLOCK_RECORD',
    shown: 'on',
    placeholder: ON_OFF,
    summary: 'Record broadcasts as videos.',
  }),
  diskReserve: diskReserve().default(diskReserve().parse('10%')).register(settingMeta, {
    env: 'AIRLOCK_DISK_RESERVE',
    shown: '10%',
    placeholder: 'PERCENT|SIZE',
    summary:
      'Free disk space (10%, 20GB) kept for the store and the journal: below it, recordings stop, uploads are refused and conversions wait.',
  }),
  recordingRetentionDays: integer(0, 36_500).default(0).register(settingMeta, {
    env: 'AIRLOCK_RECORDING_RETENTION_DAYS',
    shown: '0',
    placeholder: 'DAYS',
    summary: 'Days after which the file of a recording is deleted; 0 keeps it forever. Uploads are always kept.',
  }),
  reconnectGraceS: integer(0, 86_400).default(60).register(settingMeta, {
    env: 'AIRLOCK_RECONNECT_GRACE_S',
    shown: '60',
    placeholder: 'SECONDS',
    summary: 'Seconds within which a disconnected encoder may resume the same broadcast.',
  }),
  drainS: integer(0, 86_400).default(30).register(settingMeta, {
    env: 'AIRLOCK_DRAIN_S',
    shown: '30',
    placeholder: 'SECONDS',
    summary:
      'Seconds after `airlock drain` or `reload` within which encoders may reconnect before they are disconnected.',
  }),
  maxConnections: integer(1, 1_000_000).default(2000).register(settingMeta, {
    env: 'AIRLOCK_MAX_CONNECTIONS',
    shown: '2000',
    placeholder: 'N',
    summary: 'Concurrent RTMP connections per process.',
  }),
  ownerMaxPublishers: integer(0, 1_000_000).default(500).register(settingMeta, {
    env: 'AIRLOCK_OWNER_MAX_PUBLISHERS',
    shown: '500',
    placeholder: 'N',
    summary: 'Concurrent streams per owner, including previews and preflights; 0 for no limit.',
  }),
  ownerMaxObjects: integer(0, 1_000_000_000).default(100_000).register(settingMeta, {
    env: 'AIRLOCK_OWNER_MAX_OBJECTS',
    shown: '100000',
    placeholder: 'N',
    summary: 'Live videos and videos per owner; 0 for no limit.',
  }),
  ownerMaxBytes: integer(0, Number.MAX_SAFE_INTEGER).default(0).register(settingMeta, {
    env: 'AIRLOCK_OWNER_MAX_BYTES',
    shown: '0',
    placeholder: 'BYTES',
    summary: 'Bytes of uploads and recordings per owner; 0 for no limit.',
  }),
  proxyProtocol: onOff().default(false).register(settingMeta, {
    env: 'AIRLOCK_PROXY_PROTOCOL',
    shown: 'off',
    placeholder: ON_OFF,
    summary: 'Require a PROXY protocol header (v1 or v2) from the trusted proxies.',
  }),
  trustedProxies: networks().default(networks().parse([])).register(settingMeta, {
    env: 'AIRLOCK_TRUSTED_PROXIES',
    shown: 'none',
    placeholder: 'CIDR,…',
    summary: 'Networks whose PROXY header or X-Forwarded-For is accepted as the client address.',
  }),
  tlsInFront: onOff().default(false).register(settingMeta, {
    env: 'AIRLOCK_TLS_IN_FRONT',
    shown: 'off',
    placeholder: ON_OFF,
    summary: 'Trusted proxies terminate TLS: their streams on the plain port count as RTMPS.',
  }),
  webhookUrl: url('https', 'http').optional().register(settingMeta, {
    env: 'AIRLOCK_WEBHOOK_URL',
    shown: 'unset',
    placeholder: 'URL',
    summary: 'Receives error records and state changes, signed; `airlock webhook-secret` prints the signing key.',
    secret: 'url',
  }),
  appId: text('a text').optional().register(settingMeta, {
    env: 'AIRLOCK_APP_ID',
    shown: 'unset',
    placeholder: 'ID',
    summary: 'Application ID reported for tokens; together with the secret, ID|SECRET is the app token.',
  }),
  appSecret: text('a text').optional().register(settingMeta, {
    env: 'AIRLOCK_APP_SECRET',
    shown: 'unset',
    placeholder: 'SECRET',
    summary: 'Secret for verifying appsecret_proof; a wrong proof is refused.',
    secret: 'whole',
  }),
  requireAppSecretProof: onOff().default(false).register(settingMeta, {
    env: 'AIRLOCK_REQUIRE_APP_SECRET_PROOF',
    shown: 'off',
    placeholder: ON_OFF,
    summary: 'Refuse access tokens without an appsecret_proof. Needs AIRLOCK_APP_SECRET.',
  }),
  rateLimitPerToken: integer(1, 1_000_000_000).default(6_000).register(settingMeta, {
    env: 'AIRLOCK_RATE_LIMIT_PER_TOKEN',
    shown: '6000',
    placeholder: 'N',
    summary: 'HTTP calls per minute and access token; each call of a batch counts.',
  }),
  rateLimitPerAddress: integer(1, 1_000_000_000).default(12_000).register(settingMeta, {
    env: 'AIRLOCK_RATE_LIMIT_PER_ADDRESS',
    shown: '12000',
    placeholder: 'N',
    summary: 'HTTP calls per minute and client address.',
  }),
  quickstart: onOff().optional().register(settingMeta, {
    env: 'AIRLOCK_QUICKSTART',
    shown: 'on, unless NODE_ENV=production or the host is not loopback',
    placeholder: ON_OFF,
    summary: 'On an empty store, create an owner, a token and a live video, and print the encoder settings.',
  }),
  logLevel: oneOf(LOG_LEVELS)
    .default('info')
    .register(settingMeta, {
      env: 'AIRLOCK_LOG_LEVEL',
      shown: 'info',
      placeholder: LOG_LEVELS.join('|'),
      summary: 'Lowest log level that is written.',
    }),
  logFormat: oneOf(['auto', 'json', 'pretty']).default('auto').register(settingMeta, {
    env: 'AIRLOCK_LOG_FORMAT',
    shown: 'auto',
    placeholder: 'auto|json|pretty',
    summary: 'Form of log lines. auto: pretty on a terminal, else JSON.',
  }),
  keySecret: text('a text of at least 32 characters')
    .refine((secret) => secret.length >= 32, { message: 'must have at least 32 characters' })
    .refine((secret) => secret.length < 32 || secretBits(secret) >= MIN_SECRET_BITS, {
      message: 'can be guessed: use random text, such as the output of "openssl rand -hex 32"',
    })
    .optional()
    .register(settingMeta, {
      env: 'AIRLOCK_KEY_SECRET',
      shown: 'unset: <data folder>/key-secret',
      placeholder: 'SECRET',
      summary: 'Secret that stream keys are derived from; must be the same on every machine.',
      secret: 'whole',
    }),
  keySecretPrevious: text('the earlier secret').optional().register(settingMeta, {
    env: 'AIRLOCK_KEY_SECRET_PREVIOUS',
    shown: 'unset',
    placeholder: 'SECRET',
    summary:
      'The key secret before the last change: stream keys, links and signatures of it stay valid while it is set.',
    secret: 'whole',
  }),
  sandbox: oneOf(['auto', 'require', 'off']).default('auto').register(settingMeta, {
    env: 'AIRLOCK_SANDBOX',
    shown: 'auto',
    placeholder: 'auto|require|off',
    summary: 'Sandbox of ffmpeg and ffprobe. auto: bubblewrap, else limits only; require: no start without bubblewrap.',
  }),
  ffmpegPath: text('a file').optional().register(settingMeta, {
    env: 'FFMPEG_PATH',
    shown: 'from PATH, else the bundled one on loopback',
    placeholder: 'FILE',
    summary: 'Path of ffmpeg.',
  }),
  ffprobePath: text('a file').optional().register(settingMeta, {
    env: 'FFPROBE_PATH',
    shown: 'from PATH, else the bundled one on loopback',
    placeholder: 'FILE',
    summary: 'Path of ffprobe.',
  }),
});

type Parsed = z.output<typeof configSchema>;
type Filled = 'host' | 'quickstart';

/** All settings, validated and frozen, including conditional defaults. Folders and files are absolute paths. */
export type Config = Readonly<Omit<Parsed, Filled> & { readonly [Key in Filled]-?: NonNullable<Parsed[Key]> }>;

export type ConfigKey = keyof typeof configSchema.shape;

export interface Setting extends SettingMeta {
  readonly key: ConfigKey;
  /** Long flag without dashes: `rtmps-port`. */
  readonly flag: string;
}

export const SETTINGS: readonly Setting[] = Object.entries(configSchema.shape).map(([key, schema]) => {
  const meta = settingMeta.get(schema);
  if (meta === undefined) throw new Error(`setting ${key} has no metadata`);
  return {
    ...meta,
    key: key as ConfigKey,
    flag: meta.env
      .replace(/^AIRLOCK_/, '')
      .toLowerCase()
      .replaceAll('_', '-'),
  };
});
