/** Charts of a broadcast: bitrates, key frame interval and frame rate, with allowed ranges and periods of errors. */
import type { JSX } from 'react';
import { bitrateRange } from '../../../../rules/profile.js';
import { HIGHEST_FPS, LIVE } from '../../../../spec/live.js';
import { clockTime, number } from '../../shared/format.js';
import {
  type Band,
  type ChartBounds,
  chartBounds,
  type History,
  type Line,
  lines,
  type Mark,
  marks,
  summary,
} from './chart-data.js';
import { Plot, RIGHT_PX, type Zoom } from './plot.js';
import { ValuesTable } from './values-table.js';

export function ChartGrid(props: {
  history: History;
  records: Parameters<typeof marks>[0];
  shown: Zoom;
  untilMs: number;
  rightPx: number;
  onZoom: (zoom: Zoom) => void;
  onCursor: (left: number) => void;
  live: boolean;
  bounds?: ChartBounds | undefined;
  timeText?: ((ms: number) => string) | undefined;
}): JSX.Element {
  const { history, records, shown, untilMs, onZoom, onCursor, live, rightPx, timeText } = props;
  const { times, column } = lines(history, shown.from * 1_000);
  const of = (...rows: string[]): readonly Mark[] => marks(records, rows, untilMs);
  const last = (name: string): number | undefined => column(name).findLast((value) => value !== null) ?? undefined;
  const bounds = props.bounds ?? boundsOf(last('width'), last('height'), last('frame_rate_class'));
  const keyFrames = column('key_frame_interval_ms').map((value) => (value === null ? null : value / 1000));
  const common = { live, shown, rightPx, onZoom, onCursor, times, timeText };
  return (
    <div className="flex flex-col gap-3">
      <Chart
        title="Video bitrate"
        unit="kbps"
        digits={0}
        {...common}
        line={column('video_kbps')}
        extremes={[column('video_kbps_min'), column('video_kbps_max')]}
        band={bounds.video}
        marks={of('video-bitrate')}
      />
      <Chart
        title="Key frame interval"
        unit="s"
        digits={2}
        {...common}
        line={keyFrames}
        band={bounds.keyFrameInterval}
        marks={of('key-frame-interval')}
      />
      <Chart
        title="Frame rate"
        unit="fps"
        digits={2}
        {...common}
        line={column('frame_rate')}
        band={bounds.frameRate}
        marks={of('frame-rate')}
      />
      <Chart
        title="Audio bitrate"
        unit="kbps"
        digits={0}
        {...common}
        line={column('audio_kbps')}
        band={bounds.audio}
        marks={of('audio-bitrate')}
      />
    </div>
  );
}

/** Those of the specification, which for the bitrate depend on the picture. */
function boundsOf(
  width: number | undefined,
  height: number | undefined,
  frameRateClass: number | undefined,
): ChartBounds {
  const known = width !== undefined && height !== undefined;
  const range = known ? bitrateRange(width, height, frameRateClass === 60 ? 60 : 30) : undefined;
  return chartBounds(LIVE, HIGHEST_FPS, range);
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
  rightPx: number;
  shown: Zoom;
  onZoom: (zoom: Zoom) => void;
  onCursor: (left: number) => void;
  timeText: ((ms: number) => string) | undefined;
}): JSX.Element {
  const { title, unit, digits, times, line, band, timeText = clockTime } = props;
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
  const failed = props.marks.reduce((sum, { record }) => sum + record.count, 0);
  const failures = failed === 0 ? '' : `, failed ${failed === 1 ? 'once' : `${failed} times`}`;
  return (
    <figure className="min-w-0">
      <figcaption className="flex flex-wrap items-baseline gap-x-2.5 text-sm font-semibold">
        {title}
        <span className="font-normal text-muted">
          {values}
          {props.rightPx < RIGHT_PX.wide ? allowed : ''}
        </span>
      </figcaption>
      <div
        role="img"
        aria-label={`${title}: ${values}${allowed}${failures}${first === undefined ? '' : `, since ${timeText(first * 1000)}`}`}
      >
        <Plot {...props} />
      </div>
      <ValuesTable {...props} timeText={timeText} />
    </figure>
  );
}
