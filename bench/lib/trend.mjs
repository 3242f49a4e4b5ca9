// Does a series grow? By ranks, so that single peaks (a collection that is due) count no more than others.
import { median } from './measure.mjs';

/** Below this, as a share of the median in an hour, a slope is no growth that an operator would ever meet. */
const TOLERATED_SHARE = 0.02;
/** Two-sided 1 %. */
const SIGNIFICANT = 2.58;

/** Theil-Sen: the median of the slopes between all pairs, in units of value by units of time. */
export function slope(times, values) {
  const slopes = [];
  for (let i = 0; i < values.length; i++)
    for (let j = i + 1; j < values.length; j++) slopes.push((values[j] - values[i]) / (times[j] - times[i]));
  return median(slopes) ?? 0;
}

/** Mann-Kendall's z: how far the number of pairs that rise is from chance. */
export function trendScore(values) {
  const n = values.length;
  let rising = 0;
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) rising += Math.sign(values[j] - values[i]);
  const spread = Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  return rising === 0 ? 0 : (rising - Math.sign(rising)) / spread;
}

/** The second half of a run is judged: before it heap and compiled code still find their size. */
export function growth(seconds, values) {
  const from = Math.floor(values.length / 2);
  const late = values.slice(from);
  const perHour = slope(seconds.slice(from), late) * 3600;
  const share = perHour / (median(late) || 1);
  const score = trendScore(late);
  return { perHour, share, score, grows: score > SIGNIFICANT && share > TOLERATED_SHARE };
}
