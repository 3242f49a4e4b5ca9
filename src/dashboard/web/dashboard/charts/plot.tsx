/** One uPlot chart: a line, the allowed band, periods of errors, and a cursor synchronized with the other charts. */
import { type JSX, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { opacityOf } from '../../shared/broken-time.js';
import { number } from '../../shared/format.js';
import { theme } from '../../shared/theme.js';
import { useValue } from '../../shared/value.js';
import { apart, type Band, type Line, limitsOf, type Mark } from './chart-data.js';

/** The part of the time axis that is shown, in seconds since 1970. */
export interface Zoom {
  readonly from: number;
  readonly to: number;
}

export interface PlotProps {
  readonly title: string;
  readonly unit: string;
  readonly digits: number;
  readonly times: number[];
  readonly line: Line;
  /** Lowest and highest of merged points. */
  readonly extremes?: readonly [Line, Line];
  readonly band: Band | undefined;
  readonly marks: readonly Mark[];
  readonly rightPx: number;
  /** Time range of all charts and lanes of a broadcast. */
  readonly shown: Zoom;
  readonly onZoom: (zoom: Zoom) => void;
  /** Formats a time of the axis. Absent: the axis has the time of day. */
  readonly timeText?: ((ms: number) => string) | undefined;
  /** The cursor in pixels from the start of the axis; negative: none. */
  readonly onCursor: (left: number) => void;
}

const HEIGHT = 152;
/** Left of the plotted area; the lanes above the charts begin there, too. */
export const AXIS_PX = 56;
/** Right of it: the names of the bounds, or half of the widest time label, which would be cut off at the end of the axis. */
export const RIGHT_PX = { wide: 104, narrow: 24 } as const;
/** Above it: the unit of the axis, and the value at the cursor. */
const TOP_PX = 20;
export const CURSOR_GROUP = 'broadcast';
const LABEL_PX = 11;
const LABEL_STEP_PX = 14;
/** Least width of a mark, so that a point in time is visible. */
const MARK_PIXELS = 3;
const LEAST_DRAG_PIXELS = 8;

interface Colors {
  readonly line: string;
  readonly extremes: string;
  readonly band: string;
  readonly target: string;
  readonly error: string;
  readonly warning: string;
  readonly text: string;
  readonly grid: string;
}

function currentColors(): Colors {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return {
    line: of('--accent'),
    extremes: of('--chart-extremes'),
    band: of('--chart-band'),
    target: of('--chart-target'),
    error: of('--chart-error'),
    warning: of('--chart-warning'),
    text: of('--muted'),
    grid: of('--line'),
  };
}

export function Plot(props: PlotProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const colors = useValue(theme);
  const { rightPx } = props;
  const hasExtremes = props.extremes !== undefined;

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const made = new uPlot(optionsOf(latest, currentColors(), element.clientWidth), dataOf(latest.current), element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [colors, hasExtremes, rightPx]);

  useEffect(() => plot.current?.setData(dataOf(props)));
  return <div className="relative min-h-[152px] overflow-hidden" ref={box} />;
}

function dataOf({ times, line, extremes }: PlotProps): uPlot.AlignedData {
  return extremes === undefined ? [times, line] : [times, line, extremes[0], extremes[1]];
}

function optionsOf(latest: { readonly current: PlotProps }, colors: Colors, width: number): uPlot.Options {
  const { unit, extremes, rightPx } = latest.current;
  const axis = {
    stroke: colors.text,
    grid: { stroke: colors.grid, width: 1 },
    ticks: { stroke: colors.grid, width: 1 },
  };
  const hidden: uPlot.Series = { stroke: 'transparent', points: { show: false }, scale: 'y' };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    padding: [TOP_PX, rightPx, 0, 0],
    cursor: {
      sync: { key: CURSOR_GROUP },
      y: false,
      points: { size: 7 },
      drag: { x: true, y: false, setScale: false },
    },
    scales: {
      x: { time: true, range: () => [latest.current.shown.from, latest.current.shown.to] },
      y: { range: (_, low, high) => rangeOf(latest.current, low, high) },
    },
    axes: [
      { ...axis, size: 30, ...timesOf(latest.current) },
      { ...axis, size: AXIS_PX, values: (_, values) => values.map((value) => number(value, 2)) },
    ],
    series: [
      {},
      { label: unit, stroke: colors.line, width: 1.75, points: { size: 4, fill: colors.line }, spanGaps: false },
      ...(extremes === undefined ? [] : [hidden, hidden]),
    ],
    ...(extremes === undefined ? {} : { bands: [{ series: [3, 2], fill: colors.extremes }] }),
    hooks: {
      setSelect: [(plot) => zoomTo(plot, latest.current)],
      drawClear: [(plot) => drawBackground(plot, latest.current, colors)],
      draw: [(plot) => drawLimits(plot, latest.current, colors)],
      setCursor: [
        (plot) => {
          showValue(plot, latest.current);
          latest.current.onCursor(plot.cursor.left ?? -1);
        },
      ],
    },
  };
}

function timesOf({ timeText }: PlotProps): Pick<uPlot.Axis, 'values'> {
  return timeText === undefined ? {} : { values: (_, times) => times.map((time) => timeText(time * 1_000)) };
}

function timeOfDay(ms: number): string {
  return new Date(ms).toLocaleTimeString();
}

/** The dragged part of the time axis, if it is wide enough to be meant. */
function zoomTo(plot: uPlot, { onZoom }: PlotProps): void {
  const { left, width } = plot.select;
  if (width < LEAST_DRAG_PIXELS) return;
  onZoom({ from: plot.posToVal(left, 'x'), to: plot.posToVal(left + width, 'x') });
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

/** From zero to slightly above the line and the band, so that charts are comparable. */
function rangeOf({ band }: PlotProps, _low: number | null, high: number | null): [number, number] {
  const top = Math.max(high ?? 0, band === undefined ? 0 : band.to);
  return [0, top === 0 ? 1 : top * 1.2];
}

function drawBackground(plot: uPlot, { band, marks }: PlotProps, colors: Colors): void {
  const { ctx } = plot;
  const { left, top, width, height } = plot.bbox;
  const y = (value: number): number => Math.min(top + height, Math.max(top, plot.valToPos(value, 'y', true)));
  const x = (time: number): number => Math.min(left + width, Math.max(left, plot.valToPos(time, 'x', true)));
  ctx.save();
  if (band !== undefined) {
    ctx.fillStyle = colors.band;
    ctx.fillRect(left, y(band.to), width, y(band.from) - y(band.to));
    ctx.fillStyle = colors.target;
    ctx.fillRect(left, y(band.to) - 1, width, 2);
    if (band.from > 0) ctx.fillRect(left, y(band.from) - 1, width, 2);
    if (band.target !== undefined) dashes(ctx, colors.target, left, y(band.target), width);
  }
  const { min = 0, max = 0 } = plot.scales.x ?? {};
  for (const { from, to, severity, share } of marks) {
    if (to < (min ?? 0) || from > (max ?? 0)) continue;
    const start = x(from);
    ctx.fillStyle = severity === 'error' ? colors.error : colors.warning;
    ctx.globalAlpha = opacityOf(share);
    ctx.fillRect(start, top, Math.max(MARK_PIXELS, x(to) - start), height);
  }
  ctx.restore();
}

/** The unit above its axis, and beside the chart the bounds by their values, each at its line or as near as the others let it. */
function drawLimits(plot: uPlot, { band, unit, rightPx }: PlotProps, colors: Colors): void {
  const { ctx } = plot;
  const { left, top, width, height } = plot.bbox;
  const ratio = uPlot.pxRatio;
  ctx.save();
  ctx.font = `${LABEL_PX * ratio}px system-ui, sans-serif`;
  ctx.fillStyle = colors.text;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'right';
  ctx.fillText(unit, left - 10 * ratio, top - 12 * ratio);
  ctx.textAlign = 'left';
  const limits = rightPx < RIGHT_PX.wide ? [] : limitsOf(band);
  const wanted = limits.map(([value]) => Math.min(top + height, Math.max(top, plot.valToPos(value, 'y', true))));
  const spread = apart(wanted, LABEL_STEP_PX * ratio, top + height);
  for (const [index, [, text]] of limits.entries())
    ctx.fillText(text, left + width + 6 * ratio, spread[index] ?? 0, (rightPx - 8) * ratio);
  ctx.restore();
}

function dashes(ctx: CanvasRenderingContext2D, color: string, left: number, y: number, width: number): void {
  ctx.strokeStyle = color;
  ctx.setLineDash([6, 5]);
  ctx.beginPath();
  ctx.moveTo(left, y);
  ctx.lineTo(left + width, y);
  ctx.stroke();
}

/** Shows the value at the cursor above the chart, where it covers nothing. */
function showValue(plot: uPlot, { times, line, unit, digits, timeText = timeOfDay }: PlotProps): void {
  const output = plot.root.parentElement?.querySelector('output') ?? document.createElement('output');
  output.className = 'pointer-events-none absolute left-16 top-0.5 rounded-sm bg-card px-1.5 text-xs';
  if (output.parentElement === null) plot.root.parentElement?.append(output);
  const at = plot.cursor.idx;
  const time = at === null || at === undefined ? undefined : times[at];
  const value = at === null || at === undefined ? undefined : line[at];
  output.textContent =
    time === undefined || value === undefined || value === null
      ? ''
      : `${timeText(time * 1000)}  ${number(value, digits)} ${unit}`;
}
