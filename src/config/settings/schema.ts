/**
 * All settings of the server, from the files `*-settings.ts`: environment name, flag, config key, type, default and one line of
 * documentation. The types, the table in docs/operations.md, the flags of the command line and the masked listing are derived
 * from this schema.
 */
import { z } from 'zod';
import { accessSettings } from './access-settings.js';
import { broadcastSettings } from './broadcast-settings.js';
import { interfaceSettings } from './interface-settings.js';
import { listenerSettings } from './listener-settings.js';
import { processSettings } from './process-settings.js';
import { type SettingMeta, settingMeta } from './setting-meta.js';
import { storageSettings } from './storage-settings.js';
import { tlsSettings } from './tls-settings.js';

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
