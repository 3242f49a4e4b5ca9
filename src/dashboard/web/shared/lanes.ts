/** Events of a broadcast in lanes along time: broken rules by group, missing data, changed settings. Pure. */
import { defined } from '../../../lib/objects.js';
import type { ErrorView } from '../../../spec/error-view.js';
import { shareOf, spanOf } from './broken-time.js';
import { clockTime, duration } from './format.js';
import { SPEC_ROWS } from './spec-rows.js';
import { titleOf } from './verdicts.js';

export const LANES = ['Video', 'Audio', 'Stream'] as const;
export type Lane = (typeof LANES)[number];

export interface Bar {
  readonly id: string;
  readonly kind: 'error' | 'warning' | 'change' | 'gap';
  readonly fromMs: number;
  readonly toMs: number;
  readonly label: string;
  /** The part of the time for which it was open: below 1, and absent if it was open without a break. */
  readonly share?: number;
  /** In the stream, and so in its recording. */
  readonly streamMs?: number;
}

export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
}

const GROUP_OF = new Map(SPEC_ROWS.flatMap(({ group, codes }) => codes.map((code) => [code, group] as const)));

export const laneOf = ({ error_code: code }: Pick<ErrorView, 'error_code'>): Lane => GROUP_OF.get(code) ?? 'Stream';

/** Gaps are in the lane of the stream. */
export function barsOf(
  lane: Lane,
  records: readonly ErrorView[],
  gaps: readonly Gap[],
  untilMs: number,
  timeText: (ms: number) => string = clockTime,
): readonly Bar[] {
  const missing = lane === 'Stream' ? gaps.map((gap) => gapBar(gap, timeText)) : [];
  const broken = records.filter(
    (record) => record.severity !== 'info' && record.source !== 'publish' && laneOf(record) === lane,
  );
  return [...missing, ...broken.map((record) => barOf(record, untilMs, timeText))];
}

function gapBar({ fromMs, toMs }: Gap, timeText: (ms: number) => string): Bar {
  const label = `No stream, ${timeText(fromMs)}, ${duration(toMs - fromMs)}`;
  return { id: `gap ${fromMs}`, kind: 'gap', fromMs, toMs, label };
}

function barOf(record: ErrorView, untilMs: number, timeText: (ms: number) => string): Bar {
  const { id, changes = [], severity, stream_time_ms: streamMs } = record;
  const span = spanOf(record, untilMs);
  const { fromMs, toMs, openMs } = span;
  const share = shareOf(span);
  const isChange = changes.length > 0;
  const what = isChange
    ? changes.map(({ setting, before, after }) => `${setting} ${before} → ${after}`).join(', ')
    : share !== undefined
      ? `${duration(openMs)} of ${duration(toMs - fromMs)}`
      : duration(openMs);
  return {
    id,
    kind: isChange ? 'change' : severity === 'error' ? 'error' : 'warning',
    fromMs,
    toMs: isChange ? fromMs : toMs,
    label: `${titleOf(record)}, ${timeText(fromMs)}, ${what}`,
    ...(isChange ? {} : defined({ share })),
    ...defined({ streamMs }),
  };
}
