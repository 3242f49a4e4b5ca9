import type { FeedState } from '../../../src/dashboard/web/shared/feed-state.js';
import { takeNewErrors } from '../../../src/dashboard/web/shared/new-errors.js';
import type { ErrorView } from '../../../src/spec/error-view.js';

const error = (id: string, over: Partial<ErrorView> = {}): ErrorView =>
  ({ id, severity: 'error', ...over }) as ErrorView;

function feed(synced: boolean, ...records: readonly ErrorView[]): FeedState {
  const held = { view: { title: 'Evening news' }, records: new Map(records.map((each) => [each.id, each])) };
  return { synced, broadcasts: new Map([['1', held]]) } as unknown as FeedState;
}

test('reports each error that opens once, and none that was open before', () => {
  const known = new Set<string>();
  expect(takeNewErrors(feed(false, error('a')), known, true)).toEqual([]);
  expect(takeNewErrors(feed(true, error('a')), known, true)).toEqual([]);
  const added = error('b');
  const warning = error('c', { severity: 'warning' });
  const cleared = error('d', { cleared_time: '2026-01-01T00:00:00+0000' });
  expect(takeNewErrors(feed(true, error('a'), added, warning, cleared), known, false)).toEqual([
    { record: added, title: 'Evening news' },
  ]);
  expect(takeNewErrors(feed(true, error('a'), added), known, false)).toEqual([]);
});
