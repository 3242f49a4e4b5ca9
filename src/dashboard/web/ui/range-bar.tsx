/** A value on a scale with the allowed range. Hidden from screen readers: the numbers are beside it. */
import type { JSX } from 'react';
import type { Gauge } from '../shared/row.js';

export function RangeBar({ value, min, max, scale }: Gauge): JSX.Element {
  const { from, to } = scale ?? { from: 0, to: max * 1.25 };
  const percent = (part: number): number => Math.min(100, Math.max(0, (100 * (part - from)) / (to - from)));
  const css = (part: number): string => `${percent(part).toFixed(1)}%`;
  return (
    <span className="relative mt-1.5 block h-1 rounded-xs bg-line" aria-hidden="true" data-range="">
      <span
        className="absolute inset-y-0 rounded-xs bg-pass opacity-55"
        style={{ left: css(min), width: `${(percent(max) - percent(min)).toFixed(1)}%` }}
      />
      <span className="absolute -top-[3px] -ml-px h-2.5 w-0.5 bg-ink" style={{ left: css(value) }} />
    </span>
  );
}
