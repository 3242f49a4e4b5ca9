/** The settings with secrets and passwords masked, for logs. */
import { type Config, SETTINGS, type Setting } from './settings/schema.js';

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
