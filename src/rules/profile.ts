/** Maps a frame size to its row of the profile table and its bitrate range. */
import { LIVE, type LiveProfile } from '../spec/live.js';
import { PICTURE } from '../spec/tolerances.js';

const PROFILES: readonly LiveProfile[] = LIVE.profiles;
const SLACK = PICTURE.sizeSlack.value;

/** Rows of this size, within the tolerance on both axes. */
export function listedProfiles(width: number, height: number): readonly LiveProfile[] {
  return PROFILES.filter((row) => Math.abs(row.width - width) <= SLACK && Math.abs(row.height - height) <= SLACK);
}

/** Whether the size is listed, and at 30 fps only. */
export function isListedAt30Only(width: number, height: number): boolean {
  const rows = listedProfiles(width, height);
  return rows.length > 0 && rows.every((row) => row.fps === 30);
}

export interface BitrateRange {
  readonly minKbps: number;
  readonly maxKbps: number;
  /** Name of the row, or size and class of an unlisted size. */
  readonly name: string;
}

/** Cache: each stream looks its range up ten times a second, and few sizes are in use. */
const RANGE_CACHE = new Map<number, BitrateRange>();
const MAX_CACHED_RANGES = 64;

/**
 * Bitrate range for a size and class. A listed size without a row for its class uses its other row. An unlisted size uses
 * the minimum of the largest profile inside it and the maximum of the smallest profile that contains it.
 */
export function bitrateRange(width: number, height: number, frameRateClass: 30 | 60): BitrateRange {
  const key = (width * 0x100000 + height) * 64 + frameRateClass;
  let range = RANGE_CACHE.get(key);
  if (range === undefined) {
    if (RANGE_CACHE.size === MAX_CACHED_RANGES) RANGE_CACHE.clear();
    range = computeRange(width, height, frameRateClass);
    RANGE_CACHE.set(key, range);
  }
  return range;
}

function computeRange(width: number, height: number, frameRateClass: 30 | 60): BitrateRange {
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
