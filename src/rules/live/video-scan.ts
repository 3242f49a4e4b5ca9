/** 6212: the video is progressive. A header that merely permits field coding (frame_mbs_only_flag 0) conforms. */
import { KEY_FRAME, VIDEO_CONFIG } from '../../facts/measures/events.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

export const videoScan: LiveRule = {
  entry: entry({
    code: 6212,
    type: 'VIDEO_INTERLACED',
    severity: 'warning',
    title: 'Video is interlaced',
    passes: 'Progressive video',
    row: 'video-format',
    perTrack: true,
    clause: CLAUSES.profiles,
    raisedWhen: 'Pictures are coded as fields or as MBAFF frames. frame_mbs_only_flag 0 alone conforms.',
    clears: CLEARS.nextHeader,
    delay: { ms: 0, text: 'with the header (MBAFF) or the first field-coded key frame' },
    sentence: 'The video is interlaced ({observed}); it must be {limit}, as the profiles are.',
  }),
  remedy: 'Deinterlace the source and encode progressive frames.',
  events: VIDEO_CONFIG | KEY_FRAME,
  check({ video }) {
    if (!video.hasParameterSets) return SKIP;
    return video.mbaff || video.fieldCoded ? FAIL_NOW : PASS;
  },
  observed({ video }) {
    if (!video.hasParameterSets) return '';
    if (video.fieldCoded) return 'field coding';
    return video.mbaff ? 'MBAFF' : 'progressive';
  },
  limit: () => 'progressive',
};
