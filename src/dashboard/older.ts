/** All broadcasts of a token's owners, newest first, in pages, and how many there are. The feed lists only the newest. */
import { setImmediate as turn } from 'node:timers/promises';
import { defined } from '../lib/objects.js';
import type { LiveVideoData, OwnerData } from '../lifecycle/documents.js';
import { type EdgeEntry, edgeOf, type Store } from '../ports/index.js';
import { type BroadcastCounts, type BroadcastFilter, groupOf } from './view/broadcast-group.js';
import { FEED_LIMITS } from './view/limits.js';
import type { BroadcastView } from './view/protocol.js';
import type { FeedViewer, LiveVideo } from './view/viewer.js';
import { broadcastView } from './view/views.js';

interface OlderDeps {
  readonly store: Store;
  readonly reconnectGraceMs: number;
}

export interface OlderQuery {
  /** `next` of the previous page. */
  readonly after: string | undefined;
  readonly filter: BroadcastFilter;
  /** Substring of a title, an owner's name or an id; case-insensitive. */
  readonly search: string;
}

export interface OlderPage {
  readonly broadcasts: readonly BroadcastView[];
  /** Cursor of the next page; absent on the last one. With a filter or a search, even an empty page may have it. */
  readonly next?: string;
}

const PAGE = 100;
/** Broadcasts scanned at most for one page of a filter or a search. */
const SCAN_MAX = 1_000;
/** Broadcasts counted at most: 5,000 take some 60 ms. */
const COUNT_MAX = 5_000;

type Placed = EdgeEntry & { readonly cursor: string };

interface Found {
  readonly live: LiveVideo;
  readonly ownerName: string | undefined;
  readonly errors: BroadcastView['errors'];
  readonly cursor: string;
}

/** @throws an error with code STORE_INVALID_CURSOR */
export async function olderBroadcasts(
  deps: OlderDeps,
  viewer: FeedViewer,
  { after, filter, search }: OlderQuery,
): Promise<OlderPage> {
  const broadcasts: BroadcastView[] = [];
  let next = after;
  for (let scanned = 0; scanned < SCAN_MAX; scanned += PAGE) {
    const { found, last } = await scan(deps, viewer, search, next);
    for (const { live, ownerName, errors, cursor } of found) {
      if (!passes(live, errors.open, filter)) continue;
      broadcasts.push(broadcastView(live, ownerName, errors, deps.reconnectGraceMs));
      if (broadcasts.length === PAGE) return { broadcasts, next: cursor };
    }
    if (last === undefined) return { broadcasts };
    next = last;
  }
  return { broadcasts, ...defined({ next }) };
}

/** How many broadcasts each filter shows, of those that a search finds. */
export async function countBroadcasts(deps: OlderDeps, viewer: FeedViewer, search: string): Promise<BroadcastCounts> {
  const counts = { all: 0, air: 0, errors: 0, waiting: 0, ended: 0 };
  let next: string | undefined;
  for (let scanned = 0; scanned < COUNT_MAX; scanned += PAGE) {
    const { found, last } = await scan(deps, viewer, search, next);
    for (const { live, errors } of found) {
      counts.all++;
      counts[groupOf(stateOf(live))]++;
      if (errors.open > 0) counts.errors++;
    }
    if (last === undefined) return counts;
    next = last;
    await turn();
  }
  return { ...counts, partial: true };
}

/** One page of the broadcasts that the token reads and the search finds. `last`: where the next page begins; absent on the last one. */
async function scan({ store }: OlderDeps, viewer: FeedViewer, search: string, after: string | undefined) {
  const owners = viewer.ownerIds.slice(0, FEED_LIMITS.owners);
  const names = new Map(
    (await store.objects.getMany(owners)).map((owner) => [owner?.id, (owner?.data as OwnerData)?.name]),
  );
  const wanted = search.trim().toLowerCase();
  const entries = await mergedPage(store, owners, after);
  const stored = await store.objects.getMany(entries.map(({ member }) => member));
  const found: Found[] = [];
  for (const [index, { cursor }] of entries.entries()) {
    const live = stored[index] as LiveVideo | undefined;
    if (live?.kind !== 'live_video' || !(await viewer.mayRead(live))) continue;
    const ownerName = names.get((live.data as LiveVideoData).ownerId);
    if (!matches(live, ownerName, wanted)) continue;
    const { total, open, uncounted } = await store.records.counts(live.id);
    found.push({ live, ownerName, errors: { total, open, uncounted }, cursor });
  }
  return { found, last: entries.length < PAGE ? undefined : entries.at(-1)?.cursor };
}

const stateOf = ({ data }: LiveVideo) => ({ status: data.status, stream_state: data.stream });

function passes(live: LiveVideo, open: number, filter: BroadcastFilter): boolean {
  if (filter === 'errors') return open > 0;
  return filter === 'all' || groupOf(stateOf(live)) === filter;
}

/** The next page over all owners. A cursor is a position in time, so one cursor works for each owner's list. */
async function mergedPage(store: Store, owners: readonly string[], after: string | undefined): Promise<Placed[]> {
  const query = { limit: PAGE, ...defined({ after }) };
  const pages = await store.objects.pages(owners.map((owner) => ({ name: edgeOf(owner, 'live_videos'), query })));
  return pages
    .flatMap(({ entries }) => entries)
    .sort((a, b) => b.score - a.score || Buffer.compare(Buffer.from(b.member), Buffer.from(a.member)))
    .slice(0, PAGE);
}

function matches({ id, data }: LiveVideo, ownerName: string | undefined, wanted: string): boolean {
  return [id, data.title ?? '', data.ownerId, ownerName ?? ''].some((text) => text.toLowerCase().includes(wanted));
}
