/** 6201: the video codec is H.264. */
import { VIDEO_CONFIG } from '../../facts/measures/events.js';
import { codecName } from '../../spec/codec-names.js';
import { LIVE } from '../../spec/live.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

const ALLOWED = LIVE.videoCodec.allowed.map(codecName).join(' or ');

export const videoCodec: LiveRule = {
  entry: entry({
    code: 6201,
    type: 'VIDEO_CODEC_UNSUPPORTED',
    severity: 'error',
    title: `Video codec is not ${ALLOWED}`,
    passes: 'Video codec',
    row: 'video-codec',
    perTrack: true,
    bounds: ['videoCodec'],
    clause: `${CLAUSES.video}: Video codec`,
    raisedWhen: `The codec is not ${ALLOWED}, whether given by an FLV codec id or by an Enhanced RTMP FourCC.`,
    clears: CLEARS.nextHeader,
    delay: { ms: 0, text: 'with the first packet of that codec' },
    sentence: 'The video codec is {observed}; it must be {limit}.',
  }),
  remedy:
    ALLOWED === 'H.264' ? 'Choose an H.264 (AVC) video encoder.' : `Choose one of these video encoders: ${ALLOWED}.`,
  events: VIDEO_CONFIG,
  check({ video }) {
    if (video.codec === '') return SKIP;
    return LIVE.videoCodec.allowed.includes(video.codec) ? PASS : FAIL_NOW;
  },
  observed: ({ video }) => codecName(video.codec),
  limit: () => ALLOWED,
};
