/** Settings of certificates and TLS; part of the schema. */
import { acmeSettings } from './acme-settings.js';
import { ON_OFF, settingMeta } from './setting-meta.js';
import { oneOf, onOff, text } from './values.js';

export const tlsSettings = {
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
};
