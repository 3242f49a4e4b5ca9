/** Which broadcasts the list shows, in which groups: those of the feed as they are now, and older ones that the server was asked for. */
import { defined } from '../../../../lib/objects.js';
import {
  type BroadcastCounts,
  type BroadcastFilter,
  type BroadcastGroup,
  groupOf,
} from '../../../view/broadcast-group.js';
import { FEED_LIMITS } from '../../../view/limits.js';
import type { BroadcastView } from '../../../view/protocol.js';
import type { BroadcastState, FeedState } from '../../shared/feed-state.js';
import { useSelected } from '../../shared/value.js';
import { badness } from '../../shared/worst-first.js';
import { type Paged, usePages } from '../client/pages.js';
import { useAnswer } from '../client/queries.js';
import type { ListQuery } from '../client/route.js';
import { useSession } from '../client/session.js';

export const LISTED_QUERY = 'listed broadcasts';
const COUNTS_EVERY_MS = 15_000;

type Seen = BroadcastState & { readonly view: BroadcastView };

const seen = (state: FeedState): Seen[] =>
  [...state.broadcasts.values()].filter((each): each is Seen => each.view !== undefined);

function finds(view: BroadcastView, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [view.title ?? '', view.from.name ?? '', view.id, view.from.id].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

const passes = (each: Seen, filter: BroadcastFilter): boolean =>
  filter === 'errors' ? badness(each) > 0 : filter === 'all' || groupOf(each.view) === filter;

const GROUPS: readonly BroadcastGroup[] = ['air', 'waiting', 'ended'];

/** IDs by group, those on air with the worst first, the others with the newest first. Text, so that it is compared by its value. */
function orderOf(state: FeedState, { filter, search }: ListQuery): string {
  const listed = seen(state)
    .filter((each) => finds(each.view, search) && passes(each, filter))
    .sort((a, b) => Number(b.view.id) - Number(a.view.id));
  return GROUPS.map((group) => {
    const members = listed.filter(({ view }) => groupOf(view) === group);
    if (group === 'air') members.sort((a, b) => badness(b) - badness(a));
    return members.map(({ view }) => view.id).join(' ');
  }).join('|');
}

function countsOf(state: FeedState, search: string): string {
  const found = seen(state).filter(({ view }) => finds(view, search));
  const count = (filter: BroadcastFilter) => found.filter((each) => passes(each, filter)).length;
  const counts: BroadcastCounts = {
    all: found.length,
    air: count('air'),
    errors: count('errors'),
    waiting: count('waiting'),
    ended: count('ended'),
  };
  return JSON.stringify(counts);
}

/** `view`: of a broadcast that is not in the feed, as it was when it was read. */
export interface Member {
  readonly id: string;
  readonly view?: BroadcastView;
}

export interface Listed {
  readonly groups: Readonly<Record<BroadcastGroup, readonly Member[]>>;
  readonly synced: boolean;
  /** Broadcasts in all, without a filter; of those that the feed has. */
  readonly known: number;
  /** Undefined while they are not known. */
  readonly counts: BroadcastCounts | undefined;
  /** Those that the feed does not have; undefined: it has all. */
  readonly older: Paged<BroadcastView> | undefined;
}

interface Page {
  readonly broadcasts: readonly BroadcastView[];
  readonly next?: string;
}

/** `isAsked`: older broadcasts are to be read. */
export function useListed(query: ListQuery, isAsked: boolean): Listed {
  const { api, feed } = useSession();
  const state = feed.feed;
  const isHeld = (id: string): boolean => state.get().broadcasts.get(id)?.view !== undefined;
  const synced = useSelected(state, (now) => now.synced);
  const known = useSelected(state, (now) => seen(now).length);
  const order = useSelected(state, (now) => orderOf(now, query));
  const ownCounts = useSelected(state, (now) => countsOf(now, query.search));
  // The feed's list is full, so there may be older broadcasts.
  const isPart = synced && known >= FEED_LIMITS.broadcastsListed;
  const { filter, search } = query;
  const params = { filter, search: search.trim() };
  const older = usePages<BroadcastView>({
    key: [LISTED_QUERY, params],
    isAsked: isPart && isAsked,
    /** Reads pages until one has a broadcast that is not listed yet. */
    read: async (after, signal) => {
      let next = after;
      for (;;) {
        const page: Page = await api.get(
          '/dashboard/data/broadcasts',
          { ...params, ...defined({ after: next }) },
          signal,
        );
        next = page.next;
        const rows = page.broadcasts.filter(({ id }) => !isHeld(id));
        if (rows.length > 0 || next === undefined) return { rows, next };
      }
    },
  });
  const counted = useAnswer<BroadcastCounts>(
    api,
    '/dashboard/data/broadcast-counts',
    { search: params.search },
    { everyMs: COUNTS_EVERY_MS, isAsked: isPart },
  ).answer;
  const [air = '', waiting = '', ended = ''] = order.split('|');
  const rows = isPart && isAsked ? (older.rows ?? []).filter(({ id }) => !isHeld(id)) : [];
  const members = (ids: string, group: BroadcastGroup): readonly Member[] => [
    ...(ids === '' ? [] : ids.split(' ').map((id) => ({ id }))),
    ...rows.filter((view) => groupOf(view) === group).map((view) => ({ id: view.id, view })),
  ];
  return {
    groups: { air: members(air, 'air'), waiting: members(waiting, 'waiting'), ended: members(ended, 'ended') },
    synced,
    known,
    counts: isPart ? counted : (JSON.parse(ownCounts) as BroadcastCounts),
    older: isPart ? older : undefined,
  };
}
