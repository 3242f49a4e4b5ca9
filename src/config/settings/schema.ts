/**
 * All settings of the server, here and in the files `*-settings.ts`: environment name, flag, config key, type, default and one line of
 * documentation. The types, the table in docs/settings.md, the flags of the command line and the masked listing are derived
 * from this schema.
 */
import { z } from 'zod';
import { accessSettings } from './access-settings.js';
import { broadcastSettings } from './broadcast-settings.js';
import { listenerSettings } from './listener-settings.js';
import { processSettings } from './process-settings.js';
import { ON_OFF, type SettingMeta, settingMeta } from './setting-meta.js';
import { tlsSettings } from './tls-settings.js';
import { integer, onOff, redisUrl, text, url } from './values.js';

/** Settings of the HTTP interface and its webhook; part of the schema. */
const interfaceSettings = {
  webhookUrl: url('https', 'http').optional().register(settingMeta, {
    env: 'AIRLOCK_WEBHOOK_URL',
    shown: 'unset',
    placeholder: 'URL',
    summary: 'Receives error records and state changes, signed; `npx airlock webhook-secret` prints the signing key.',
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
};

/** Settings of where data is kept; part of the schema. */
const storageSettings = {
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
};

/** Keys in the order of the table. Absent values take the default; `loadConfig` fills in conditional defaults. */
export const configSchema = z.object({
  ...listenerSettings,
  ...storageSettings,
  ...tlsSettings,
  ...broadcastSettings,
  ...accessSettings,
  ...interfaceSettings,
  ...processSettings,
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
