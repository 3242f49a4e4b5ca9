/** Settings of the HTTP interface and its webhook; part of the schema. */
import { ON_OFF, settingMeta } from './setting-meta.js';
import { integer, onOff, text, url } from './values.js';

export const interfaceSettings = {
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
