/** 6227: the sample aspect ratio is defined. */
import { VIDEO_CONFIG } from '../../facts/measures/events.js';
import type { VideoFacts } from '../../facts/video/video-facts.js';
import { AT_HEADER, analysisEntry, CLEARS } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

const EXTENDED_SAR = 255;

const FIRST_RESERVED = 17;

/** Two zeros mean unspecified (E.2.1), as idc 0 does. */
function isInvalid({ parameterSet }: VideoFacts): boolean {
  const vui = parameterSet?.vui;
  if (vui?.aspectRatioIdc === undefined || vui.aspectRatioIdc < FIRST_RESERVED) return false;
  return vui.aspectRatioIdc !== EXTENDED_SAR || (vui.sarWidth === 0) !== (vui.sarHeight === 0);
}

function shown({ parameterSet }: VideoFacts): string {
  const vui = parameterSet?.vui;
  if (vui?.aspectRatioIdc === undefined) return '';
  return vui.aspectRatioIdc === EXTENDED_SAR ? `${vui.sarWidth}:${vui.sarHeight}` : `idc ${vui.aspectRatioIdc}`;
}

/** Zeros, as no ratio at all, leave it unspecified. */
function passing({ parameterSet, sampleAspect }: VideoFacts): string {
  const vui = parameterSet?.vui;
  const isStated = vui?.aspectRatioIdc === EXTENDED_SAR ? vui.sarWidth !== 0 : (vui?.aspectRatioIdc ?? 0) !== 0;
  return isStated ? `${Number(sampleAspect.toFixed(3))}:1` : 'not stated';
}

export const sampleAspectInvalid: LiveRule = {
  entry: analysisEntry({
    code: 6227,
    type: 'SAMPLE_ASPECT_INVALID',
    severity: 'warning',
    title: 'Undefined sample aspect ratio',
    passes: 'Sample aspect ratio',
    row: 'bit-stream',
    clause: 'H.264 E.2.1, Table E-1',
    raisedWhen: 'The aspect_ratio_idc of the SPS is reserved (17 to 254), or one of sar_width and sar_height is 0.',
    clears: CLEARS.nextHeader,
    delay: AT_HEADER,
    sentence: 'The sample aspect ratio is {observed}; it must be {limit}.',
  }),
  remedy: 'Set square pixels (sample aspect ratio 1:1) in the encoder.',
  events: VIDEO_CONFIG,
  check({ video }) {
    if (video.parameterSet === undefined) return SKIP;
    return isInvalid(video) ? FAIL_NOW : PASS;
  },
  observed: ({ video }) => shown(video),
  passing: ({ video }) => passing(video),
  limit: () => 'a ratio of two positive numbers',
};
