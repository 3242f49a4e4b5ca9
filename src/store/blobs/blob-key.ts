/** Blob keys. Keys are built here, never taken from a request; the check guards against programming errors. */

const KEY = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/;
const KEY_LENGTH_MAX = 200;

/** @throws RangeError */
export function requireBlobKey(key: string): string {
  if (key.length > KEY_LENGTH_MAX || !KEY.test(key) || key.includes('..')) {
    throw new RangeError(`'${key}' is not a valid blob key`);
  }
  return key;
}

/** Prefix of all files of a video. */
export const videoPrefix = (videoId: string): string => `videos/${videoId}/`;
/** Parts of an unfinished upload. */
export const partsPrefix = (sessionId: string): string => `parts/${sessionId}/`;
/** A complete upload that waits for its job. */
export const incomingPrefix = (videoId: string): string => `incoming/${videoId}/`;
/** Uploaded segments of a recording, readable by every machine. */
export const segmentsPrefix = (liveVideoId: string): string => `segments/${liveVideoId}/`;
