/** Settings of the process: first start, log, secrets, tools; part of the schema. */
import { MIN_SECRET_BITS, secretBits } from './secret-strength.js';
import { ON_OFF, settingMeta } from './setting-meta.js';
import { oneOf, onOff, text } from './values.js';

const LOG_LEVELS = ['info', 'debug', 'warn', 'error', 'silent'] as const;

export const processSettings = {
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
};
