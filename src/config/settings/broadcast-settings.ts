/** Settings of how broadcasts are received, judged and recorded; part of the schema. */
import { ON_OFF, settingMeta } from './setting-meta.js';
import { diskReserve, integer, oneOf, onOff, text } from './values.js';

export const broadcastSettings = {
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
  backupAfterMs: integer(200, 60_000).default(1500).register(settingMeta, {
    env: 'AIRLOCK_BACKUP_AFTER_MS',
    shown: '1500',
    placeholder: 'MS',
    summary: 'Silence of the encoder on air, in milliseconds, after which the backup encoder goes on air.',
  }),
  drainS: integer(0, 86_400).default(30).register(settingMeta, {
    env: 'AIRLOCK_DRAIN_S',
    shown: '30',
    placeholder: 'SECONDS',
    summary:
      'Seconds after `npx airlock drain` or `reload` within which encoders may reconnect before they are disconnected.',
  }),
  mediaIdleS: integer(0, 86_400).default(30).register(settingMeta, {
    env: 'AIRLOCK_MEDIA_IDLE_S',
    shown: '30',
    placeholder: 'SECONDS',
    summary: 'Seconds without work after which the media process ends until it is needed again; 0: it always runs.',
  }),
};
