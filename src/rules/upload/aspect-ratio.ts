/** 6702: the display aspect ratio is 16:9 or 9:16. */
import type { FileVideoFacts } from '../../facts/probed-file.js';
import { UPLOAD_SLACK } from '../../spec/tolerances.js';
import { UPLOAD } from '../../spec/upload.js';
import { CLAUSES, fileEntry } from '../catalogue-entry.js';
import type { FileRule } from '../rule.js';

/** Display size: sample aspect ratio and rotation applied. */
function shown({ width, height, sampleAspect, rotationDegrees }: FileVideoFacts): readonly [number, number] {
  const wide = width * sampleAspect;
  return Math.abs(rotationDegrees) % 180 === 90 ? [height, wide] : [wide, height];
}

const LISTED = UPLOAD.aspectRatios.map(({ name }) => name).join(' or ');

export const uploadAspectRatio: FileRule = {
  entry: fileEntry({
    code: 6702,
    type: 'UPLOAD_ASPECT_RATIO',
    title: 'Picture is not 16x9 or 9x16',
    passes: 'Aspect ratio',
    clause: `${CLAUSES.upload}: Aspect ratio`,
    raisedWhen: 'The display aspect ratio, after rotation, is more than 1 % off both 16:9 and 9:16.',
    unit: 'ratio',
    sentence: 'The video is displayed at {size}, {observed}:1; it must be {limit}.',
  }),
  remedy: 'Export the video in 16:9 or 9:16, such as 1920x1080 or 1080x1920.',
  check({ video }) {
    if (video === undefined || video.width === 0 || video.height === 0) return undefined;
    const [width, height] = shown(video);
    const aspect = width / height;
    const fits = UPLOAD.aspectRatios.some(
      (row) => Math.abs(aspect / (row.width / row.height) - 1) <= UPLOAD_SLACK.aspect.value,
    );
    if (fits) return undefined;
    return { observed: aspect, limit: LISTED, placeholders: { size: `${Math.round(width)}x${Math.round(height)}` } };
  },
};
