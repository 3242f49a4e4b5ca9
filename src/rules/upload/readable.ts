/** 6707: the file can be probed and has a video track with pictures. */
import { CLAUSES, fileEntry } from '../catalogue-entry.js';
import type { FileRule } from '../rule.js';

export const uploadReadable: FileRule = {
  entry: fileEntry({
    code: 6707,
    type: 'UPLOAD_UNREADABLE',
    title: 'File cannot be read',
    passes: 'Readable file',
    clause: `${CLAUSES.upload}: Container formats`,
    raisedWhen: 'The file cannot be probed, or has no video track.',
    sentence: 'The file cannot be read as a video ({observed}).',
  }),
  remedy: 'Open the file in a player; if it plays, export it again as MP4 with H.264 and AAC.',
  check({ fault, video }) {
    const reason =
      fault ??
      (video === undefined
        ? 'it has no video track'
        : video.width === 0 && video.isSizeUnknown !== true
          ? 'its video track has no picture'
          : undefined);
    return reason === undefined ? undefined : { observed: reason, limit: 'a readable video' };
  },
};
