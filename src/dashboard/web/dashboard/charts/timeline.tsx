/** Events and observations on one time axis: lanes, and charts under them, with one cursor and one zoom. */
import { type JSX, type RefObject, useEffect, useRef, useState } from 'react';
import type { ErrorView } from '../../../../spec/error-view.js';
import { clockTime } from '../../shared/format.js';
import { Fault } from '../../ui/callout.js';
import { Card, Loading } from '../../ui/card.js';
import { type ChartBounds, gapsOf } from './chart-data.js';
import { ChartGrid } from './charts.js';
import { Lanes, useLaneCursor } from './lanes.js';
import { RIGHT_PX, type Zoom } from './plot.js';
import { SpanButtons } from './span-buttons.js';
import type { Observed } from './use-history.js';

const SPANS = [
  { title: '10 min', ms: 600_000 },
  { title: '1 h', ms: 3_600_000 },
  { title: 'All', ms: Number.POSITIVE_INFINITY },
] as const;

export interface TimelineProps {
  readonly observed: Observed;
  readonly records: readonly ErrorView[];
  /** An encoder is connected. */
  readonly live: boolean;
  readonly fromMs: number;
  /** The end of the broadcast, or now. */
  readonly toMs: number;
  /** Bounds of the charts. Absent: those of the specification. */
  readonly bounds?: ChartBounds;
  /** Formats a time. Absent: the time of day. */
  readonly timeText?: (ms: number) => string;
  /** Moves the recording to this time of the stream. */
  readonly seek?: (streamMs: number) => void;
}

export function Timeline(props: TimelineProps): JSX.Element {
  const { fromMs, toMs } = props;
  const [spanMs, setSpan] = useState<number>(Number.POSITIVE_INFINITY);
  const [zoom, setZoom] = useState<Zoom>();
  const shown = zoom ?? { from: Math.max(fromMs, toMs - spanMs) / 1_000, to: Math.max(toMs, fromMs + 1_000) / 1_000 };
  const choose = (ms: number): void => {
    setSpan(ms);
    setZoom(undefined);
  };
  return (
    <Card
      title="Timeline"
      folds
      aside={
        <SpanButtons
          spans={SPANS}
          shownMs={zoom === undefined ? spanMs : undefined}
          choose={choose}
          resetZoom={() => setZoom(undefined)}
        />
      }
    >
      <Shown {...props} shown={shown} onZoom={setZoom} />
    </Card>
  );
}

function Shown(props: TimelineProps & { shown: Zoom; onZoom: (zoom: Zoom) => void }): JSX.Element {
  const { observed, records, live, toMs, bounds, timeText, seek, shown, onZoom } = props;
  const { history, fault, reload } = observed;
  const { cursor, show } = useLaneCursor();
  const box = useRef<HTMLDivElement>(null);
  const rightPx = useRightPx(box);
  const gaps = history === undefined ? [] : gapsOf(history, toMs);
  return (
    <div ref={box}>
      <Lanes
        records={records}
        gaps={gaps}
        shown={shown}
        untilMs={toMs}
        rightPx={rightPx}
        cursor={cursor}
        timeText={timeText ?? clockTime}
        {...(seek === undefined ? {} : { seek })}
      />
      {fault === '' ? null : <Fault message={fault} retry={reload} />}
      {history === undefined ? (
        fault === '' ? (
          <Loading what="Loading observed values" />
        ) : null
      ) : history.points.length < 2 ? (
        <p className="py-3 text-sm text-muted">No values yet. The charts start a few seconds into the stream.</p>
      ) : (
        <ChartGrid
          history={history}
          records={records}
          shown={shown}
          untilMs={toMs}
          rightPx={rightPx}
          onZoom={onZoom}
          onCursor={show}
          live={live}
          bounds={bounds}
          timeText={timeText}
        />
      )}
    </div>
  );
}

/** Room for the names of the bounds beside the charts; without it, their captions name them. */
const NARROW_PX = 560;

function useRightPx(box: RefObject<HTMLElement | null>): number {
  const [isNarrow, setNarrow] = useState(false);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const observer = new ResizeObserver(() => setNarrow(current.clientWidth < NARROW_PX));
    observer.observe(current);
    return () => observer.disconnect();
  }, [box]);
  return isNarrow ? RIGHT_PX.narrow : RIGHT_PX.wide;
}
