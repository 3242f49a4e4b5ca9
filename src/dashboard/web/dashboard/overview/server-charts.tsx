/** Charts of the state of the server over the last hour or day, each with its newest and highest value. */
import { type JSX, useState } from 'react';
import { SERVER_HISTORY, type ServerColumn } from '../../../view/server-series.js';
import { number } from '../../shared/format.js';
import { Fault } from '../../ui/callout.js';
import { Card, Loading } from '../../ui/card.js';
import { type History, lines, summary } from '../charts/chart-data.js';
import { Plot, RIGHT_PX, type Zoom } from '../charts/plot.js';
import { SpanButtons } from '../charts/span-buttons.js';
import { useAnswer } from '../client/queries.js';
import { useSession } from '../client/session.js';

const HOUR_MS = 3_600_000;
const SPANS = [
  { title: 'Last hour', ms: HOUR_MS },
  { title: 'Last day', ms: 24 * HOUR_MS },
] as const;

interface ChartOf {
  readonly column: ServerColumn;
  readonly title: string;
  readonly unit: string;
  readonly digits: number;
  /** In the unit of the chart. */
  readonly of?: (value: number) => number;
}

const CHARTS: readonly ChartOf[] = [
  { column: 'cpu_percent', title: 'CPU', unit: '% of a core', digits: 1 },
  { column: 'resident_bytes', title: 'Memory', unit: 'MB', digits: 0, of: (value) => value / 1e6 },
  { column: 'publishers', title: 'Encoders', unit: '', digits: 0 },
  { column: 'received_kbps', title: 'Received', unit: 'Mbps', digits: 2, of: (value) => value / 1e3 },
  { column: 'loop_delay_ms', title: 'Loop delay', unit: 'ms', digits: 1 },
];

function useServerHistory(): { readonly history: History | undefined; readonly fault: string } {
  const { api } = useSession();
  const { answer, fault } = useAnswer<Omit<History, 'step_ms'>>(
    api,
    '/dashboard/data/server-history',
    {},
    {
      everyMs: SERVER_HISTORY.everyMs,
    },
  );
  return { history: answer && { ...answer, step_ms: SERVER_HISTORY.everyMs }, fault };
}

export function ServerCharts(): JSX.Element {
  const { history, fault } = useServerHistory();
  const [spanMs, setSpan] = useState<number>(HOUR_MS);
  const [zoom, setZoom] = useState<Zoom>();
  const choose = (ms: number): void => {
    setSpan(ms);
    setZoom(undefined);
  };
  return (
    <Card
      title="The server over time"
      aside={
        <SpanButtons
          spans={SPANS}
          shownMs={zoom === undefined ? spanMs : undefined}
          choose={choose}
          resetZoom={() => setZoom(undefined)}
        />
      }
    >
      {fault === '' ? null : <Fault message={fault} />}
      {history === undefined ? (
        fault === '' ? (
          <Loading what="Loading the values of the last day" />
        ) : null
      ) : (
        <Charts history={history} spanMs={spanMs} zoom={zoom} onZoom={setZoom} />
      )}
    </Card>
  );
}

function Charts(props: {
  history: History;
  spanMs: number;
  zoom: Zoom | undefined;
  onZoom: (zoom: Zoom) => void;
}): JSX.Element {
  const { history, spanMs, zoom, onZoom } = props;
  const lastMs = history.points.at(-1)?.[0];
  if (typeof lastMs !== 'number')
    return <p className="py-3 text-sm text-muted">No values yet. One is kept each minute.</p>;
  const shown = zoom ?? { from: (lastMs - spanMs) / 1_000, to: lastMs / 1_000 };
  const { times, column } = lines(history, shown.from * 1_000);
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-2 2xl:grid-cols-3">
      {CHARTS.map(({ column: name, title, unit, digits, of = (value) => value }) => {
        const line = column(name).map((value) => (value === null ? null : of(value)));
        const found = summary(line);
        const words =
          found === undefined
            ? 'no values'
            : `now ${number(found.last, digits)}${unit === '' ? '' : ` ${unit}`}, highest ${number(found.highest, digits)}`;
        return (
          <figure key={name} className="min-w-0">
            <figcaption className="flex flex-wrap items-baseline gap-x-2.5 text-sm font-semibold">
              {title}
              <span className="font-normal text-muted">{words}</span>
            </figcaption>
            <div role="img" aria-label={`${title}: ${words}`}>
              <Plot
                title={title}
                unit={unit}
                digits={digits}
                times={times}
                line={line}
                band={undefined}
                rightPx={RIGHT_PX.narrow}
                marks={NO_MARKS}
                shown={shown}
                onZoom={onZoom}
                onCursor={nothing}
              />
            </div>
          </figure>
        );
      })}
    </div>
  );
}

const NO_MARKS = [] as const;
const nothing = (): void => undefined;
