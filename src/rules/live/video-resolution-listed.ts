/** 6205: the frame size is that of a profile. */
import { VIDEO_CONFIG } from '../../facts/measures/events.js';
import { LIVE } from '../../spec/live.js';
import { PICTURE } from '../../spec/tolerances.js';
import { AT_HEADER, CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { listedProfiles } from '../profile.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

const SIZES = [...new Set(LIVE.profiles.map(({ width, height }) => `${width}x${height}`))];

/** '1920x1080, 1280x720, 854x480 or 640x360' */
const LISTED_SIZES = SIZES.length < 2 ? SIZES.join() : `${SIZES.slice(0, -1).join(', ')} or ${SIZES.at(-1)}`;

export const videoResolutionListed: LiveRule = {
  entry: entry({
    code: 6205,
    type: 'VIDEO_RESOLUTION_UNLISTED',
    severity: 'warning',
    title: 'Resolution not in the profile table',
    passes: 'Resolution of a profile',
    row: 'resolution',
    perTrack: true,
    bounds: ['profiles'],
    clause: CLAUSES.profiles,
    raisedWhen: `The width or height differs by more than ${PICTURE.sizeSlack.value} pixels from every listed size.`,
    clears: CLEARS.nextHeader,
    delay: AT_HEADER,
    unit: 'pixels',
    sentence: 'The resolution is {observed}; the listed sizes are {limit}.',
  }),
  remedy: `Set the output size to ${LISTED_SIZES}.`,
  events: VIDEO_CONFIG,
  check({ video }) {
    if (!video.hasParameterSets) return SKIP;
    return listedProfiles(video.width, video.height).length > 0 ? PASS : FAIL_NOW;
  },
  observed: ({ video }) => (video.hasParameterSets ? `${video.width}x${video.height}` : ''),
  limit: () => LISTED_SIZES,
};
