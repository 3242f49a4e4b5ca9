/** Charts of the report as SVG, stretched to the width of the page; their texts stand beside them, so that they keep their size. Pure. */
import { bitrateRange } from '../rules/profile.js';
import { HIGHEST_FPS, LIVE } from '../spec/live.js';
import { duration, MEASURES, type Measure, number } from './lines.js';
import type { BroadcastReport, RuleReport } from './report.js';

/** Units of the drawing. */
const WIDTH = 1_000;
const HEIGHT = 100;

/** '' without values. */
export function chartsOf(report: BroadcastReport): string {
  const { timeline, duration_ms: lengthMs } = report;
  if (timeline === undefined || lengthMs <= 0) return '';
  const charts = timeline.columns.flatMap((column, at) => {
    const measure = MEASURES[column];
    if (measure === undefined) return [];
    const points = timeline.points.map((point) => {
      const value = point[at];
      return [point[0] ?? 0, typeof value === 'number' ? value / measure.per : null] as const;
    });
    return chart(measure, points, boundsOf(column, report), lengthMs);
  });
  return `<div class="cols">${charts.join('')}</div>`;
}

interface Bounds {
  readonly from: number;
  readonly to: number;
}

function boundsOf(column: string, { stream }: BroadcastReport): Bounds | undefined {
  if (column === 'key_frame_interval_ms') return { from: 0, to: LIVE.keyFrameInterval.maxMs / 1_000 };
  if (column === 'frame_rate') return { from: 0, to: HIGHEST_FPS };
  if (column === 'audio_kbps') return { from: 0, to: LIVE.audio.bitrateKbps.max };
  if (stream?.width === undefined || stream.height === undefined) return undefined;
  const { minKbps, maxKbps } = bitrateRange(stream.width, stream.height, (stream.frame_rate ?? 30) > 45 ? 60 : 30);
  return { from: minKbps, to: maxKbps };
}

function chart(
  { name, unit, digits }: Measure,
  points: readonly (readonly [number, number | null])[],
  bounds: Bounds | undefined,
  lengthMs: number,
): readonly string[] {
  const known = points.flatMap(([, value]) => (value === null ? [] : [value]));
  if (known.length === 0) return [];
  const [lowest, highest] = [Math.min(...known), Math.max(...known)];
  const top = Math.max(highest, bounds?.to ?? 0) * 1.1 || 1;
  const y = (value: number): string => (HEIGHT * (1 - value / top)).toFixed(1);
  const x = (ms: number): string => ((WIDTH * Math.min(Math.max(ms, 0), lengthMs)) / lengthMs).toFixed(1);
  let isDrawing = false;
  const line = points
    .map(([ms, value]) => {
      const step = value === null ? '' : `${isDrawing ? 'L' : 'M'}${x(ms)} ${y(value)}`;
      isDrawing = value !== null;
      return step;
    })
    .join('');
  const band =
    bounds === undefined
      ? ''
      : `<rect class="band" x="0" y="${y(bounds.to)}" width="${WIDTH}" height="${(Number(y(bounds.from)) - Number(y(bounds.to))).toFixed(1)}"/>`;
  const allowed =
    bounds === undefined
      ? ''
      : `, allowed ${bounds.from === 0 ? 'up to' : `${number(bounds.from)} to`} ${number(bounds.to)} ${unit}`;
  const [least, most] = [number(lowest, digits), number(highest, digits)];
  const range = least === most ? least : `${least} to ${most}`;
  const text = `${range} ${unit}${allowed}`;
  return [
    `<figure><figcaption><b>${name}</b> ${text}</figcaption><div class="plot"><span class="axis"><span>${number(Number(top.toPrecision(2)))} ${unit}</span><span>0</span></span><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${name}: ${text}">${band}<path class="line" d="${line}"/></svg></div><div class="times"><span>0:00</span><span>${duration(lengthMs)}</span></div></figure>`,
  ];
}

/** At least this wide, so that a moment is seen. */
const LEAST = 6;

/** When a rule was broken, along the whole broadcast. */
export function spanStrip({ spans = [], severity }: RuleReport, lengthMs: number): string {
  if (lengthMs <= 0 || spans.length === 0) return '';
  const tone = severity === 'error' ? 'fail' : 'warn';
  const bars = spans.map(([fromMs, toMs]) => {
    const from = Math.min(WIDTH - LEAST, (WIDTH * fromMs) / lengthMs);
    const width = Math.max(LEAST, (WIDTH * Math.min(toMs, lengthMs)) / lengthMs - from);
    return `<rect class="${tone}" x="${from.toFixed(1)}" y="0" width="${width.toFixed(1)}" height="${HEIGHT}"/>`;
  });
  return `<svg class="strip" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${bars.join('')}</svg>`;
}
