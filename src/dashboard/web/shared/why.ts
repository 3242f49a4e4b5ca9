/** Why a stream got worse: the record that another one names as its cause. */
import type { ErrorView } from '../../../spec/error-view.js';
import { sentenceOf } from './format.js';

/** The sentence of the newest record that `record` names as its cause; undefined without one. */
export function whyOf(record: ErrorView, records: Iterable<ErrorView>): string | undefined {
  if (record.cause === undefined) return undefined;
  let cause: ErrorView | undefined;
  for (const each of records) {
    if (each.error_code === record.cause && each.sequence > (cause?.sequence ?? -1)) cause = each;
  }
  return cause === undefined ? undefined : sentenceOf(cause);
}
