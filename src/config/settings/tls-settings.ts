/** Settings of certificates and TLS; part of the schema. */
import { ON_OFF, settingMeta } from './setting-meta.js';
import { domains, oneOf, onOff, port, text, url } from './values.js';

/** The certificate from an ACME authority. */
const acmeSettings = {
  acmeDomains: domains().default([]).register(settingMeta, {
    env: 'AIRLOCK_ACME_DOMAINS',
    shown: 'none',
    placeholder: 'NAME,…',
    summary:
      'Get and renew a certificate for these names from an ACME authority, whose terms are accepted with this setting.',
  }),
  acmeDirectory: url('https', 'http').default('https://acme-v02.api.letsencrypt.org/directory').register(settingMeta, {
    env: 'AIRLOCK_ACME_DIRECTORY',
    shown: "Let's Encrypt",
    placeholder: 'URL',
    summary: 'Directory URL of the ACME authority.',
  }),
  acmeEmail: text('an e-mail address').optional().register(settingMeta, {
    env: 'AIRLOCK_ACME_EMAIL',
    shown: 'unset',
    placeholder: 'ADDRESS',
    summary: 'Contact address that the authority gets with the account.',
  }),
  acmePort: port().default(80).register(settingMeta, {
    env: 'AIRLOCK_ACME_PORT',
    shown: '80',
    placeholder: 'PORT',
    summary: 'Port on which the authority is answered (HTTP-01). It must reach it as port 80 of each name.',
  }),
};

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
