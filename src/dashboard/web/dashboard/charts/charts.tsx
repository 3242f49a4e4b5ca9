/** Charts of a broadcast: bitrates, key frame interval and frame rate, with allowed ranges and periods of errors. */
import type { JSX } from 'react';
import { bitrateRange } from '../../../../rules/profile.js';
import { HIGHEST_FPS, LIVE } from '../../../../spec/live.js';
import { clockTime, number } from '../../shared/format.js';
import { type History, type Line, lines, type Mark, marks, summary } from './chart-data.js';
import { type Band, Plot, type Zoom } from './plot.js';

export function ChartGrid(props: {
  history: History;
  records: Parameters<typeof marks>[0];
  shown: Zoom;
  untilMs: number;
  onZoom: (zoom: Zoom) => void;
  onCursor: (left: number) => void;
  live: boolean;
}): JSX.Element {
  const { history, records, shown, untilMs, onZoom, onCursor, live } = props;
  const { times, column } = lines(history, shown.from * 1_000);
  const of = (...rows: string[]): readonly Mark[] => marks(records, rows, untilMs);
  const last = (name: string): number | undefined => column(name).findLast((value) => value !== null) ?? undefined;
  const width = last('width');
  const height = last('height');
  const range =
    width === undefined || height === undefined
      ? undefined
      : bitrateRange(width, height, last('frame_rate_class') === 60 ? 60 : 30);
  const keyFrames = column('key_frame_interval_ms').map((value) => (value === null ? null : value / 1000));
  const { audio, keyFrameInterval } = LIVE;
  const common = { live, shown, onZoom, onCursor, times };
  return (
    <div className="flex flex-col gap-3">
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
  shown: Zoom;
  onZoom: (zoom: Zoom) => void;
  onCursor: (left: number) => void;
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
  const failed = props.marks.reduce((sum, { record }) => sum + record.count, 0);
  const failures = failed === 0 ? '' : `, failed ${failed === 1 ? 'once' : `${failed} times`}`;
  return (
    <figure className="min-w-0">
      <figcaption className="flex flex-wrap items-baseline gap-x-2.5 text-sm font-semibold">
        {title}
        <span className="font-normal text-muted">{values}</span>
      </figcaption>
      <div
        role="img"
        aria-label={`${title}: ${values}${allowed}${failures}${first === undefined ? '' : `, since ${clockTime(first * 1000)}`}`}
      >
        <Plot {...props} />
      </div>
    </figure>
  );
}
