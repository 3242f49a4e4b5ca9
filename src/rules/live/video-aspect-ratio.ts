/** 6207: the display aspect ratio is 16:9. */
import { VIDEO_CONFIG } from '../../facts/measures/events.js';
import type { VideoFacts } from '../../facts/video/video-facts.js';
import { LIVE } from '../../spec/live.js';
import { PICTURE } from '../../spec/tolerances.js';
import { AT_HEADER, CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

const TARGET = LIVE.aspectRatio.width / LIVE.aspectRatio.height;

function shownAspect({ width, height, sampleAspect }: VideoFacts): number {
  return height > 0 ? (width * sampleAspect) / height : Number.NaN;
}

function offTarget(video: VideoFacts): number {
  return Math.abs(shownAspect(video) / TARGET - 1);
}

/** Size, with the pixel aspect ratio where pixels are not square. */
function pictureOf({ width, height, sampleAspect }: VideoFacts): string {
  const pixels = Math.round(sampleAspect * 1000) / 1000;
  return pixels === 1 ? `${width}x${height}` : `${width}x${height} with pixels of ${pixels}:1`;
}

const SIZES = LIVE.profiles.map(({ width, height }) => `${width}x${height}`);
const EXAMPLE = SIZES.find((size) => size === '1280x720') ?? SIZES[0];
const SHAPE = `${LIVE.aspectRatio.width}:${LIVE.aspectRatio.height}`;
const percent = (share: number): string => `${Math.round(share * 100)} %`;

export const videoAspectRatio: LiveRule = {
  entry: entry({
    code: 6207,
    type: 'VIDEO_ASPECT_RATIO',
    severity: 'warning',
    title: `Picture is not ${SHAPE}`,
    passes: 'Aspect ratio',
    row: 'aspect-ratio',
    perTrack: true,
    bounds: ['profiles', 'aspectRatio'],
    clause: `${CLAUSES.video}: Pixel aspect ratio`,
    raisedWhen: `The display aspect ratio is more than ${percent(PICTURE.aspectWarning.value)} off ${SHAPE}. Above ${percent(PICTURE.aspectError.value)}, the severity is error.`,
    clears: CLEARS.nextHeader,
    delay: AT_HEADER,
    unit: 'ratio',
    sentence: 'The aspect ratio is {observed}:1 ({size}), {off} off; the target is {target}.',
  }),
  remedy: `Set a ${SHAPE} output size with square pixels, such as ${EXAMPLE}.`,
  events: VIDEO_CONFIG,
  check({ video }) {
    if (!video.hasParameterSets) return SKIP;
    return offTarget(video) > PICTURE.aspectWarning.value ? FAIL_NOW : PASS;
  },
  observed: ({ video }) => (video.hasParameterSets ? shownAspect(video) : Number.NaN),
  limit: () => TARGET,
  severity: ({ video }) => (offTarget(video) > PICTURE.aspectError.value ? 'error' : 'warning'),
  placeholders: ({ video }) => ({
    size: pictureOf(video),
    target: SHAPE,
    off: `${Math.round(offTarget(video) * 100)} %`,
  }),
};
