/** Settings of the certificate from an ACME authority; part of the schema. */
import { settingMeta } from './setting-meta.js';
import { domains, port, text, url } from './values.js';

export const acmeSettings = {
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
