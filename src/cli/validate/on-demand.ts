/** Modules that most recordings do not need. Not in the bundle, which gets this object from `src/cli/validate/bundle.ts`. */

export const onDemand = {
  otherContainer: () => import('./other-container.js'),
  uploadCheck: () => import('./upload-check.js'),
  fullLoudness: () => import('./full-loudness.js'),
  readAhead: () => import('./ahead/read-ahead.js'),
  watch: () => import('./watch.js'),
  log: () => import('../../server/system/log.js'),
};
