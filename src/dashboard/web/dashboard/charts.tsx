/** Charts of a broadcast: bitrates, key frame interval and frame rate, with allowed ranges and periods of errors. */
import { type JSX, useEffect, useRef, useState } from 'react';
import { bitrateRange } from '../../../rules/profile.js';
import type { ErrorView } from '../../../spec/error-view.js';
import { HIGHEST_FPS, LIVE } from '../../../spec/live.js';
import { SERIES_COLUMNS } from '../../view/health-series.js';
import type { HealthView } from '../../view/protocol.js';
import { clockTime, number } from '../shared/format.js';
import { Button } from '../ui/button.js';
import { Fault } from '../ui/callout.js';
import { Card, Empty, Loading } from '../ui/card.js';
import { messageOf } from './api.js';
import { type History, type Line, lines, type Mark, marks, summary } from './chart-data.js';
import { type Band, Plot, type Zoom } from './plot.js';
import { useSession } from './session.js';

const SPANS = [
  { title: '10 min', ms: 600_000 },
  { title: '1 h', ms: 3_600_000 },
  { title: 'All', ms: Number.POSITIVE_INFINITY },
] as const;

const SAMPLE_MS = 2_000;
const REREAD_MS = 60_000;

export function Charts(props: {
  id: string;
  health: HealthView | undefined;
  records: readonly ErrorView[];
  live: boolean;
}): JSX.Element {
  const { id, health, records, live } = props;
  const { history, fault, reload } = useHistory(id, health, live);
  const [spanMs, setSpan] = useState<number>(Number.POSITIVE_INFINITY);
  const [zoom, setZoom] = useState<Zoom>();
  return (
    <Card
      title="Over time"
      aside={
        <fieldset className="print:hidden inline-flex flex-wrap gap-1.5">
          <legend className="sr-only">Shown time</legend>
          {zoom === undefined ? null : <Button onClick={() => setZoom(undefined)}>Reset zoom</Button>}
          {SPANS.map((span) => (
            <Button
              key={span.title}
              aria-pressed={zoom === undefined && spanMs === span.ms}
              onClick={() => {
                setSpan(span.ms);
                setZoom(undefined);
              }}
            >
              {span.title}
            </Button>
          ))}
        </fieldset>
      }
    >
      {fault === '' ? null : <Fault message={fault} retry={reload} />}
      {history === undefined ? (
        fault === '' ? (
          <Loading what="Loading observed values" />
        ) : null
      ) : history.points.length < 2 ? (
        <Empty title="No data yet">
          <p>The charts start a few seconds into the stream.</p>
        </Empty>
      ) : (
        <ChartGrid history={history} records={records} spanMs={spanMs} zoom={zoom} onZoom={setZoom} live={live} />
      )}
    </Card>
  );
}

/** The stored history, extended with values from the feed at the same interval. */
function useHistory(
  id: string,
  health: HealthView | undefined,
  live: boolean,
): { history: History | undefined; fault: string; reload: () => void } {
  const { api } = useSession();
  const [history, setHistory] = useState<History>();
  const [fault, setFault] = useState('');
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const read = async (): Promise<void> => {
      try {
        setHistory(await api.get<History>(`/dashboard/data/history/${id}`, {}, controller.signal));
        setFault('');
      } catch (error) {
        if (!controller.signal.aborted) setFault(messageOf(error));
      }
    };
    void read();
    const timer = live ? window.setInterval(() => void read(), REREAD_MS) : undefined;
    return () => {
      controller.abort();
      window.clearInterval(timer);
    };
  }, [api, id, live, tries]);
  useEffect(() => {
    if (health === undefined || !live) return;
    setHistory((held) => (held === undefined ? held : withHealth(held, health)));
  }, [health, live]);
  return { history, fault, reload: () => setTries(tries + 1) };
}

function withHealth(history: History, health: HealthView): History {
  const atMs = Date.parse(health.at);
  const lastMs = history.points.at(-1)?.[0] ?? 0;
  if (atMs - lastMs < SAMPLE_MS) return history;
  const values: Readonly<Record<(typeof SERIES_COLUMNS)[number], number | undefined>> = {
    at: atMs,
    video_kbps: health.video_bitrate_kbps,
    video_kbps_min: health.video_bitrate_kbps,
    video_kbps_max: health.video_bitrate_kbps,
    audio_kbps: health.audio_bitrate_kbps,
    frame_rate: health.frame_rate,
    key_frame_interval_ms: health.key_frame_interval_ms,
    width: health.width,
    height: health.height,
    frame_rate_class: health.frame_rate_class,
  };
  return { ...history, points: [...history.points, SERIES_COLUMNS.map((column) => values[column] ?? null)] };
}

function ChartGrid(props: {
  history: History;
  records: Parameters<typeof marks>[0];
  spanMs: number;
  zoom: Zoom | undefined;
  onZoom: (zoom: Zoom) => void;
  live: boolean;
}): JSX.Element {
  const { history, records, spanMs, zoom, onZoom, live } = props;
  const endMs = history.points.at(-1)?.[0] ?? 0;
  const { times, column } = lines(history, endMs - spanMs);
  const of = (...rows: string[]): readonly Mark[] => marks(records, rows, endMs);
  const last = (name: string): number | undefined => column(name).findLast((value) => value !== null) ?? undefined;
  const width = last('width');
  const height = last('height');
  const range =
    width === undefined || height === undefined
      ? undefined
      : bitrateRange(width, height, last('frame_rate_class') === 60 ? 60 : 30);
  const keyFrames = column('key_frame_interval_ms').map((value) => (value === null ? null : value / 1000));
  const { audio, keyFrameInterval } = LIVE;
  const common = { live, zoom, onZoom, times };
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(380px,100%),1fr))] gap-x-6 gap-y-4">
      <Chart
        title="Video bitrate"
        unit="kbps"
        digits={0}
        {...common}
        line={column('video_kbps')}
        extremes={[column('video_kbps_min'), column('video_kbps_max')]}
        band={range === undefined ? undefined : { from: range.minKbps, to: range.maxKbps, what: 'allowed' }}
        marks={of('video-bitrate')}
      />
      <Chart
        title="Key frame interval"
        unit="s"
        digits={2}
        {...common}
        line={keyFrames}
        band={{
          from: 0,
          to: keyFrameInterval.maxMs / 1000,
          what: 'allowed',
          target: keyFrameInterval.recommendedMs / 1000,
        }}
        marks={of('key-frame-interval')}
      />
      <Chart
        title="Frame rate"
        unit="fps"
        digits={2}
        {...common}
        line={column('frame_rate')}
        band={{ from: 0, to: HIGHEST_FPS, what: 'allowed' }}
        marks={of('frame-rate')}
      />
      <Chart
        title="Audio bitrate"
        unit="kbps"
        digits={0}
        {...common}
        line={column('audio_kbps')}
        band={{ from: 0, to: audio.bitrateKbps.max, what: 'allowed', target: audio.bitrateKbps.preferred }}
        marks={of('audio-bitrate')}
      />
    </div>
  );
}

function Chart(props: {
  title: string;
  unit: string;
  digits: number;
  times: number[];
  line: Line;
  extremes?: readonly [Line, Line];
  band: Band | undefined;
  marks: readonly Mark[];
  live: boolean;
  zoom: Zoom | undefined;
  onZoom: (zoom: Zoom) => void;
}): JSX.Element {
  const { title, unit, digits, times, line, band } = props;
  const found = summary(line);
  const values =
    found === undefined
      ? 'no data'
      : `${props.live ? 'now' : 'last'} ${number(found.last, digits)} ${unit}, lowest ${number(found.lowest, digits)}, highest ${number(found.highest, digits)}`;
  const allowed =
    band === undefined
      ? ''
      : `, allowed ${band.from === 0 ? 'up to' : `${number(band.from)} to`} ${number(band.to)} ${unit}`;
  const first = times[0];
  const failures =
    props.marks.length === 0 ? '' : `, failed ${props.marks.length === 1 ? 'once' : `${props.marks.length} times`}`;
  const box = useRef<HTMLDivElement>(null);
  return (
    <figure className="min-w-0">
      <figcaption className="flex flex-wrap items-baseline gap-x-2.5 text-sm font-semibold">
        {title}
        <span className="font-normal text-muted">{values}</span>
      </figcaption>
      <div
        ref={box}
        role="img"
        aria-label={`${title}: ${values}${allowed}${failures}${first === undefined ? '' : `, since ${clockTime(first * 1000)}`}`}
      >
        <Plot {...props} />
      </div>
    </figure>
  );
}
