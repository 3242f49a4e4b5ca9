/** 6701: the content is in a listed container format, regardless of the file name. */
import { DEMUXERS_OF_CONTAINER, UPLOAD } from '../../spec/upload.js';
import { CLAUSES, fileEntry } from '../catalogue-entry.js';
import type { FileRule } from '../rule.js';

const DEMUXERS: ReadonlySet<string> = new Set(UPLOAD.containers.flatMap((name) => DEMUXERS_OF_CONTAINER[name]));

export const uploadContainer: FileRule = {
  entry: fileEntry({
    code: 6701,
    type: 'UPLOAD_CONTAINER_UNSUPPORTED',
    title: 'Unsupported container',
    passes: 'Container',
    clause: `${CLAUSES.upload}: Container formats`,
    raisedWhen: `The content is none of the ${UPLOAD.containers.length} listed container formats, regardless of the file name.`,
    sentence: 'The file is {observed}; it must be one of the {limit}.',
    hasLists: true,
  }),
  remedy: 'Export the video as MP4.',
  check({ formatNames, docType }) {
    const isListed = formatNames.some((name) => DEMUXERS.has(name)) && docType !== 'webm';
    if (isListed || formatNames.length === 0) return undefined;
    const observed = docType === 'webm' ? 'WebM' : formatNames.join(', ');
    return { observed, limit: `${UPLOAD.containers.length} listed container formats` };
  },
};
