import type { BroadcastView, FeedMessage, HealthView } from '../../../src/dashboard/view/protocol.js';
import {
  advanceFeed,
  type BroadcastState,
  EMPTY_FEED,
  openRecords,
  revisionsSeen,
} from '../../../src/dashboard/web/shared/feed-state.js';
import { healthOf } from '../../../src/dashboard/web/shared/verdicts.js';
import { type ErrorView, errorView } from '../../../src/spec/error-view.js';
import { recordBody } from '../../support/store-harness.js';

const view = (version: number, over: Partial<BroadcastView> = {}): BroadcastView => ({
  id: '1',
  version,
  status: 'LIVE',
  stream_state: 'connected',
  goes_live_on_data: false,
  from: { id: '7' },
  video_id: '2',
  creation_time: '2026-01-01T00:00:00+0000',
  errors: { total: 0, open: 0, uncounted: 0 },
  ...over,
});

const record = (sequence: number, revision: number, cleared_time_ms: number | null = null): ErrorView =>
  errorView(
    { ...recordBody('1', 1, sequence, { cleared_time_ms }), sequence, revision },
    { broadcastId: '1', videoId: '10' },
  );

const records = (revision: number, list: readonly ErrorView[], snapshot?: true): FeedMessage => ({
  type: 'records',
  broadcast_id: '1',
  records: list,
  revision,
  ...(snapshot ? { snapshot } : {}),
});

const after = (...messages: readonly FeedMessage[]) => messages.reduce(advanceFeed, EMPTY_FEED);

test('an older version of a broadcast does not replace a newer one', () => {
  const state = after(
    { type: 'broadcast', broadcast: view(3) },
    { type: 'broadcast', broadcast: view(2, { status: 'UNPUBLISHED' }) },
  );
  expect(state.broadcasts.get('1')?.view?.status).toBe('LIVE');
});

test('keeps the newest revision of each record and resumes from the last one', () => {
  const state = after(records(2, [record(1, 1), record(2, 2)]), records(3, [record(1, 3, 5)]));
  expect(openRecords(state.broadcasts.get('1')).map((each) => each.sequence)).toEqual([2]);
  expect(revisionsSeen(state)).toEqual({ 1: 3 });
});

test('a snapshot replaces all held records', () => {
  const state = after(records(9, [record(1, 9)]), records(1, [record(4, 1)], true));
  expect([...(state.broadcasts.get('1')?.records.values() ?? [])].map((each) => each.sequence)).toEqual([4]);
  expect(revisionsSeen(state)).toEqual({ 1: 1 });
});

test('drops the oldest cleared records of a long log, never an open one', () => {
  const long = Array.from({ length: 400 }, (_, index) => record(index + 2, index + 2, 1));
  const state = after(records(401, [record(1, 1), ...long]));
  const held = [...(state.broadcasts.get('1')?.records.values() ?? [])].map((each) => each.sequence);
  expect(held).toHaveLength(300);
  expect(held).toContain(1);
  expect(held).not.toContain(2);
  expect(held).toContain(401);
});

test('a deleted broadcast is missing until the next subscription', () => {
  const gone = after({ type: 'broadcast', broadcast: view(1) }, { type: 'missing', broadcast_id: '1' });
  expect(gone.broadcasts.has('1')).toBe(false);
  expect(gone.missing.has('1')).toBe(true);
  expect(advanceFeed(gone, { type: 'ready', owners: [], broadcasts: ['1'] }).missing.has('1')).toBe(false);
});

test('resumes the 200 newest broadcasts at most', () => {
  const many = Array.from(
    { length: 250 },
    (_, index): FeedMessage => ({ type: 'records', broadcast_id: String(1_000 + index), records: [], revision: 1 }),
  );
  const seen = Object.keys(revisionsSeen(after(...many)));
  expect(seen).toHaveLength(200);
  expect(seen).toContain('1249');
  expect(seen).not.toContain('1049');
});

test('counts changes of comments, likes and polls, and takes a reconnect for one of each', () => {
  const ready: FeedMessage = { type: 'ready', owners: [], broadcasts: [] };
  const once = after(
    ready,
    { type: 'broadcast', broadcast: view(1) },
    { type: 'engagement', broadcast_id: '1', changed: ['comments', 'polls'] },
  );
  expect(once.broadcasts.get('1')?.engagement).toEqual({ comments: 1, reactions: 0, polls: 1, forwards: 0 });
  expect(advanceFeed(once, ready).broadcasts.get('1')?.engagement).toEqual({
    comments: 2,
    reactions: 1,
    polls: 2,
    forwards: 1,
  });
});

test('the last values stay while the encoder is away, and go with the end', () => {
  const health = { connected: true, width: 1280 } as HealthView;
  const before = after(
    { type: 'broadcast', broadcast: view(1) },
    { type: 'health', broadcast_id: '1', health },
    { type: 'health', broadcast_id: '1', health: null },
  );
  const held = (over: Partial<BroadcastView>): BroadcastState => {
    const state = advanceFeed(before, { type: 'broadcast', broadcast: view(2, over) }).broadcasts.get('1');
    if (state === undefined) throw new Error('no broadcast');
    return state;
  };
  expect(healthOf(held({ stream_state: 'interrupted' }))).toEqual({ connected: false, width: 1280 });
  expect(healthOf(held({ status: 'VOD' }))).toBeUndefined();
  expect(healthOf(held({ status: 'UNPUBLISHED', stream_state: 'waiting' }))).toBeUndefined();
});
