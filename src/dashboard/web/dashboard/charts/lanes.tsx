/** Lanes above the charts, on the same time axis: bars where rules were broken, gaps, changes of settings. */
import { type JSX, type PointerEvent, type RefObject, useCallback, useRef } from 'react';
import uPlot from 'uplot';
import type { ErrorView } from '../../../../spec/error-view.js';
import { type Bar, barsOf, type Gap, LANES } from '../../shared/lanes.js';
import { Marks, type Press } from './marks.js';
import { AXIS_PX, CURSOR_GROUP, type Zoom } from './plot.js';

/** `seek`: moves the recording to this time of the stream. */
export function Lanes(props: {
  records: readonly ErrorView[];
  gaps: readonly Gap[];
  shown: Zoom;
  untilMs: number;
  /** Right of the marks, as of the charts. */
  rightPx: number;
  cursor: RefObject<HTMLDivElement | null>;
  timeText: (ms: number) => string;
  seek?: (streamMs: number) => void;
}): JSX.Element {
  const { records, gaps, shown, untilMs, rightPx, cursor, timeText, seek } = props;
  const press = seek === undefined ? undefined : pressFor(seek);
  return (
    <div className="mb-4">
      <div className="relative" onPointerMove={moveCursor} onPointerLeave={hideCursor}>
        {LANES.map((lane) => (
          <div key={lane} className="flex py-0.5">
            <span className="flex-none text-xs leading-6 text-muted" style={{ width: AXIS_PX }}>
              {lane}
            </span>
            <Marks
              label={`${lane}: what happened`}
              marks={barsOf(lane, records, gaps, untilMs, timeText)}
              shown={{ fromMs: shown.from * 1_000, toMs: shown.to * 1_000 }}
              press={press}
            />
            <span className="flex-none" style={{ width: rightPx }} />
          </div>
        ))}
        <div
          ref={cursor}
          className="pointer-events-none absolute inset-y-0 hidden w-px border-l border-dashed border-muted"
          aria-hidden="true"
        />
      </div>
      <div className="flex justify-between text-xs text-muted" style={{ marginLeft: AXIS_PX, marginRight: rightPx }}>
        <span>{timeText(shown.from * 1_000)}</span>
        <span>{timeText(shown.to * 1_000)}</span>
      </div>
    </div>
  );
}

/** A gap is not in the recording. */
function pressFor(seek: (streamMs: number) => void): Press<Bar> {
  return ({ label, streamMs }, others) =>
    streamMs === undefined
      ? undefined
      : { name: `${label}${others}: show in the recording`, act: () => seek(streamMs) };
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
