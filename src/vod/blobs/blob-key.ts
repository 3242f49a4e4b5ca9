/** What a blob may be called. Keys are made here, never taken from a request; the check is against our own mistakes. */

const KEY = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/;
const KEY_LENGTH_MAX = 200;

/** @throws RangeError */
export function requireBlobKey(key: string): string {
  if (key.length > KEY_LENGTH_MAX || !KEY.test(key) || key.includes('..')) {
    throw new RangeError(`'${key}' is no key of a blob`);
  }
  return key;
}

/** All files of a video stand below this. */
export const videoPrefix = (videoId: string): string => `videos/${videoId}/`;
/** Parts of an unfinished upload. */
export const partsPrefix = (sessionId: string): string => `parts/${sessionId}/`;
/** A whole file that waits for its job. */
export const incomingPrefix = (videoId: string): string => `incoming/${videoId}/`;
/** Segments of a recording that were uploaded, so that every machine can read them. */
export const segmentsPrefix = (liveVideoId: string): string => `segments/${liveVideoId}/`;
