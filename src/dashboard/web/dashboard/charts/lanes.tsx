/** Lanes above the charts, on the same time axis: bars where rules were broken, gaps, changes of settings. */
import { type JSX, type PointerEvent, type RefObject, useCallback, useRef } from 'react';
import uPlot from 'uplot';
import type { ErrorView } from '../../../../spec/error-view.js';
import { opacityOf } from '../../shared/broken-time.js';
import { type Bar, barsOf, type Gap, LANES } from '../../shared/lanes.js';
import { classes } from '../../ui/classes.js';
import { AXIS_PX, CURSOR_GROUP, RIGHT_PX, type Zoom } from './plot.js';

/** A bar is at least this wide, in percent, so that a point in time is visible. */
const LEAST_PERCENT = 0.5;

const COLORS: Readonly<Record<Bar['kind'], string>> = {
  error: 'bg-fail',
  warning: 'bg-warn',
  change: 'bg-accent',
  gap: 'bg-[repeating-linear-gradient(135deg,var(--muted)_0_2px,transparent_2px_6px)] border border-muted',
};

/** `seek`: moves the recording to this time of the stream. */
export function Lanes(props: {
  records: readonly ErrorView[];
  gaps: readonly Gap[];
  shown: Zoom;
  untilMs: number;
  cursor: RefObject<HTMLDivElement | null>;
  timeText: (ms: number) => string;
  seek?: (streamMs: number) => void;
}): JSX.Element {
  const { records, gaps, shown, untilMs, cursor, timeText, seek } = props;
  return (
    <div className="mb-4">
      <div className="relative" onPointerMove={moveCursor} onPointerLeave={hideCursor}>
        {LANES.map((lane) => (
          <div key={lane} className="flex items-center py-0.5">
            <span className="flex-none text-xs text-muted" style={{ width: AXIS_PX }}>
              {lane}
            </span>
            <ul
              className="relative h-5 flex-1 overflow-hidden rounded-xs bg-ground"
              style={{ marginRight: RIGHT_PX }}
              aria-label={`${lane}: what happened`}
            >
              {barsOf(lane, records, gaps, untilMs, timeText).map((bar) => (
                <BarItem key={bar.id} bar={bar} shown={shown} {...(seek ? { seek } : {})} />
              ))}
            </ul>
          </div>
        ))}
        <div
          ref={cursor}
          className="pointer-events-none absolute inset-y-0 hidden w-px border-l border-dashed border-muted"
          aria-hidden="true"
        />
      </div>
      <div className="flex justify-between text-xs text-muted" style={{ marginLeft: AXIS_PX, marginRight: RIGHT_PX }}>
        <span>{timeText(shown.from * 1_000)}</span>
        <span>{timeText(shown.to * 1_000)}</span>
      </div>
    </div>
  );
}

/** For the charts: puts the line over the lanes where their cursor is. */
export function useLaneCursor(): { cursor: RefObject<HTMLDivElement | null>; show: (left: number) => void } {
  const cursor = useRef<HTMLDivElement>(null);
  const show = useCallback((left: number) => {
    if (cursor.current === null) return;
    cursor.current.style.display = left < 0 ? 'none' : 'block';
    cursor.current.style.left = `${AXIS_PX + left}px`;
  }, []);
  return { cursor, show };
}

function moveCursor({ currentTarget, clientX }: PointerEvent<HTMLDivElement>): void {
  setCursors(clientX - currentTarget.getBoundingClientRect().left - AXIS_PX);
}

const hideCursor = (): void => setCursors(-10);

function setCursors(left: number): void {
  const [first] = uPlot.sync(CURSOR_GROUP).plots;
  // It moves the others, and the line over the lanes.
  first?.setCursor({ left, top: left < 0 ? -10 : 1 });
}

function BarItem(props: { bar: Bar; shown: Zoom; seek?: (streamMs: number) => void }): JSX.Element | null {
  const { bar, shown, seek } = props;
  const [from, to] = [shown.from * 1_000, shown.to * 1_000];
  if (bar.toMs < from || bar.fromMs > to) return null;
  const percent = (ms: number): number => (100 * (Math.min(to, Math.max(from, ms)) - from)) / (to - from);
  const left = Math.min(100 - LEAST_PERCENT, percent(bar.fromMs));
  const width = Math.max(LEAST_PERCENT, percent(bar.toMs) - percent(bar.fromMs));
  const { streamMs } = bar;
  const look = classes('block size-full rounded-xs', COLORS[bar.kind]);
  return (
    <li
      className="absolute inset-y-0.5"
      style={{ left: `${left}%`, width: `${width}%`, opacity: opacityOf(bar.share) }}
    >
      {seek === undefined || streamMs === undefined ? (
        <span title={bar.label} className={look}>
          <span className="sr-only">{bar.label}</span>
        </span>
      ) : (
        <button
          type="button"
          title={bar.label}
          aria-label={`${bar.label}: show in the recording`}
          onClick={() => seek(streamMs)}
          className={look}
        />
      )}
    </li>
  );
}
