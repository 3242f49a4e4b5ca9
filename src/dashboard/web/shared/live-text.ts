/** How long and how often a check failed, its worst value, and why. Pure. */
import type { ErrorView } from '../../../spec/error-view.js';
import { spanOf } from './broken-time.js';
import { duration, number, sentenceOf, valueText } from './format.js';

/** `open for 0:42 · 3 times · worst 8.33 s`; of a file, only how often. */
export function liveText(record: ErrorView, nowMs: number): string {
  const times = record.count > 1 ? [`${number(record.count)} times`] : [];
  if (record.evidence?.first.kind === 'file') return times.join('');
  const lasted = duration(spanOf(record, nowMs).openMs);
  const worst =
    typeof record.worst !== 'number' || record.worst === record.observed
      ? undefined
      : (valueText(record.worst, record.unit) ?? number(record.worst, 2));
  return [
    record.cleared_time === undefined ? `open for ${lasted}` : `lasted ${lasted}`,
    ...times,
    ...(worst === undefined ? [] : [`worst ${worst}`]),
  ].join(' · ');
}

/** The sentence of the newest record that `record` names as its cause; undefined without one. */
export function whyOf(record: ErrorView, records: Iterable<ErrorView>): string | undefined {
  if (record.cause === undefined) return undefined;
  let cause: ErrorView | undefined;
  for (const each of records) {
    if (each.error_code === record.cause && each.sequence > (cause?.sequence ?? -1)) cause = each;
  }
  return cause === undefined ? undefined : sentenceOf(cause);
}
