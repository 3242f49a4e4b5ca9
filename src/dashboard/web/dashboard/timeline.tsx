/** One lane for each group of rules, under the picture: bars where one was broken, gaps and changes of settings. */
import type { JSX } from 'react';
import type { ErrorView } from '../../../spec/error-view.js';
import { spanOf } from '../shared/broken-time.js';
import { clockTime, duration } from '../shared/format.js';
import { SPEC_ROWS } from '../shared/spec-rows.js';
import { titleOf } from '../shared/verdicts.js';
import { Card } from '../ui/card.js';
import { classes } from '../ui/classes.js';

const GROUP_OF = new Map(SPEC_ROWS.flatMap(({ group, codes }) => codes.map((code) => [code, group] as const)));
const LANES = ['Video', 'Audio', 'Stream'] as const;

/** A bar is at least this wide, in percent, so that a point in time is visible. */
const LEAST_PERCENT = 0.4;

export interface TimelineProps {
  readonly records: readonly ErrorView[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Moves the recording to this second of the stream. */
  readonly seek?: (streamMs: number) => void;
}

export function Timeline({ records, fromMs, toMs, seek }: TimelineProps): JSX.Element | null {
  const shown = records.filter(({ severity, source }) => severity !== 'info' && source !== 'publish');
  if (toMs <= fromMs || shown.length === 0) return null;
  return (
    <Card title="Timeline">
      {LANES.map((lane) => (
        <div key={lane} className="grid grid-cols-[64px_minmax(0,1fr)] items-center gap-2 py-0.5">
          <span className="text-sm text-muted">{lane}</span>
          <ul className="relative h-5 rounded-sm bg-ground" aria-label={`${lane}: periods with errors`}>
            {shown
              .filter(({ error_code: code }) => (GROUP_OF.get(code) ?? 'Stream') === lane)
              .map((record) => (
                <Bar key={record.id} record={record} fromMs={fromMs} toMs={toMs} {...(seek ? { seek } : {})} />
              ))}
          </ul>
        </div>
      ))}
      <div className="ml-[72px] flex justify-between text-xs text-muted">
        <span>{clockTime(fromMs)}</span>
        <span>{clockTime(toMs)}</span>
      </div>
    </Card>
  );
}

function Bar(props: { record: ErrorView } & Omit<TimelineProps, 'records'>): JSX.Element | null {
  const { record, fromMs, toMs, seek } = props;
  const span = spanOf(record, toMs);
  if (span.toMs < fromMs || span.fromMs > toMs) return null;
  const percent = (ms: number): number => (100 * (Math.min(toMs, Math.max(fromMs, ms)) - fromMs)) / (toMs - fromMs);
  const left = Math.min(100 - LEAST_PERCENT, percent(span.fromMs));
  const width = Math.max(LEAST_PERCENT, percent(span.toMs) - percent(span.fromMs));
  const label = `${titleOf(record)}, ${clockTime(span.fromMs)}, ${duration(span.toMs - span.fromMs)}`;
  const streamMs = record.stream_time_ms;
  return (
    <li className="absolute inset-y-0.5" style={{ left: `${left}%`, width: `${width}%` }}>
      <button
        type="button"
        title={label}
        aria-label={seek === undefined ? label : `${label}: show in the recording`}
        disabled={seek === undefined || streamMs === undefined}
        onClick={() => seek?.(streamMs ?? 0)}
        className={classes('block size-full rounded-xs', record.severity === 'error' ? 'bg-fail' : 'bg-warn')}
      />
    </li>
  );
}
