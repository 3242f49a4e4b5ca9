/** Errors that opened since a moment, over all broadcasts of the feed. Pure. */
import type { ErrorView } from '../../../spec/error-view.js';
import { type FeedState, isOpen } from './feed-state.js';

export interface NewError {
  readonly record: ErrorView;
  readonly title: string;
}

/** Open errors that are not in `known`; adds them to it. Nothing is new before the feed is complete. */
export function takeNewErrors(
  { broadcasts, synced }: FeedState,
  known: Set<string>,
  isFirst: boolean,
): readonly NewError[] {
  if (!synced) return [];
  const found: NewError[] = [];
  for (const { view, records } of broadcasts.values()) {
    for (const record of records.values()) {
      if (record.severity !== 'error' || !isOpen(record) || known.has(record.id)) continue;
      known.add(record.id);
      if (!isFirst) found.push({ record, title: view?.title ?? 'Broadcast' });
    }
  }
  return found;
}
