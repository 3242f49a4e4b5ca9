/** Settings of where data is kept; part of the schema. */
import { settingMeta } from './setting-meta.js';
import { redisUrl, text, url } from './values.js';

export const storageSettings = {
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
