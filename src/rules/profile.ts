/** Which row of the profile table a picture falls under, and what that row allows. */
import type { StreamFacts } from '../facts/stream-facts.js';
import { LIVE, type LiveProfile } from '../spec/live.js';
import { PICTURE } from '../spec/tolerances.js';

const PROFILES: readonly LiveProfile[] = LIVE.profiles;
const SLACK = PICTURE.sizeSlack.value;

/** Rows whose size this is, within the tolerance on both axes. */
export function listedProfiles(width: number, height: number): readonly LiveProfile[] {
  return PROFILES.filter((row) => Math.abs(row.width - width) <= SLACK && Math.abs(row.height - height) <= SLACK);
}

/** The size is listed, and only at 30 fps. */
export function isListedAt30Only(width: number, height: number): boolean {
  const rows = listedProfiles(width, height);
  return rows.length > 0 && rows.every((row) => row.fps === 30);
}

export interface BitrateRange {
  readonly minKbps: number;
  readonly maxKbps: number;
  /** The row's name, or what the size was measured by. */
  readonly name: string;
}

/** A stream asks ten times a second, and few pictures are in use: each is worked out once. */
const RANGES = new Map<number, BitrateRange>();
const MAX_RANGES = 64;

/**
 * The range for a size and class. A listed size without a row for its class takes the row that it has. An unlisted size
 * takes the bottom of the largest profile inside it and the top of the smallest that holds it.
 */
export function bitrateRange(width: number, height: number, frameRateClass: 30 | 60): BitrateRange {
  const key = (width * 0x100000 + height) * 64 + frameRateClass;
  let range = RANGES.get(key);
  if (range === undefined) {
    if (RANGES.size === MAX_RANGES) RANGES.clear();
    range = workOutRange(width, height, frameRateClass);
    RANGES.set(key, range);
  }
  return range;
}

/** The range of the picture as it is; undefined while size or class is unknown. */
export function rangeOf({ video }: StreamFacts): BitrateRange | undefined {
  if (!video.hasParameterSets || video.rate.class === undefined) return undefined;
  return bitrateRange(video.width, video.height, video.rate.class);
}

function workOutRange(width: number, height: number, frameRateClass: 30 | 60): BitrateRange {
  const listed = listedProfiles(width, height);
  const row = listed.find(({ fps }) => fps === undefined || fps === frameRateClass) ?? listed[0];
  if (row !== undefined) {
    return { minKbps: row.videoBitrateKbps.min, maxKbps: row.videoBitrateKbps.max, name: row.name };
  }
  const candidates = PROFILES.filter(({ fps }) => fps === undefined || fps === frameRateClass);
  const inside = candidates.filter((other) => other.width <= width && other.height <= height).sort(byArea);
  const holding = candidates.filter((other) => other.width >= width && other.height >= height).sort(byArea);
  const largest = [...candidates].sort(byArea).at(-1);
  return {
    minKbps: inside.at(-1)?.videoBitrateKbps.min ?? 0,
    maxKbps: (holding[0] ?? largest)?.videoBitrateKbps.max ?? 0,
    name: `${width}x${height} at ${frameRateClass} FPS`,
  };
}

function byArea(a: LiveProfile, b: LiveProfile): number {
  return a.width * a.height - b.width * b.height;
}
