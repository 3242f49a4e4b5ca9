/** The bounds for one stream: those of the specification, and of each condition that the stream meets. */
import type { StreamFacts } from '../facts/stream-facts.js';
import { codecName } from '../spec/codec-names.js';
import { type Condition, overlaid, type Range } from '../spec/house.js';
import { CONDITIONS } from '../spec/in-force.js';
import { LIVE, type LiveSpecification, shortName } from '../spec/live.js';
import { type BitrateRange, bitrateRange, listedProfiles } from './profile.js';

export type Bounds = Pick<LiveSpecification, 'keyFrameInterval' | 'audio'> & {
  /** Range of a condition; else the range is that of the profile. */
  readonly videoBitrateKbps?: Range | undefined;
};

/** By the conditions that are met, as bits: few combinations occur. */
const CACHE = new Map<string, Bounds>();

export function boundsOf(facts: StreamFacts): Bounds {
  // The published document has no conditions.
  return CONDITIONS.length === 0 ? LIVE : conditionalBounds(facts);
}

/** The range of video bitrates; undefined while it depends on a size or class that is not known. */
export function rangeOf(facts: StreamFacts): BitrateRange | undefined {
  const { video } = facts;
  const isSizeKnown = video.hasParameterSets && video.rate.class !== undefined;
  const own = boundsOf(facts).videoBitrateKbps;
  const row = isSizeKnown ? bitrateRange(video.width, video.height, video.rate.class ?? 30) : undefined;
  if (own === undefined) return row;
  return { minKbps: own.min, maxKbps: own.max, name: row?.name ?? codecName(video.codec) };
}

function conditionalBounds(facts: StreamFacts): Bounds {
  const met = CONDITIONS.filter(({ when }) => isMet(when, facts));
  if (met.length === 0) return LIVE;
  const key = met.map((condition) => CONDITIONS.indexOf(condition)).join();
  let bounds = CACHE.get(key);
  if (bounds === undefined) {
    bounds = met.reduce<Bounds>((sum, { when: _when, ...over }) => overlaid(sum, over), {
      keyFrameInterval: LIVE.keyFrameInterval,
      audio: LIVE.audio,
    });
    CACHE.set(key, bounds);
  }
  return bounds;
}

/** Later conditions win. A condition on what is not known yet is not met. */
function isMet(when: Condition['when'], { video }: StreamFacts): boolean {
  const { class: rateClass } = video.rate;
  if (when.codec !== undefined && when.codec !== video.codec) return false;
  if (when.class !== undefined && when.class !== rateClass) return false;
  if (when.profile === undefined) return true;
  return (
    video.hasParameterSets &&
    listedProfiles(video.width, video.height).some(
      (row) => shortName(row) === when.profile && (row.fps === undefined || row.fps === rateClass),
    )
  );
}
