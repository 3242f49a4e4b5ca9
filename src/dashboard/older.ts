/** All broadcasts of a token's owners, newest first, in pages. The feed lists only the newest. */

import { defined } from '../lib/objects.js';
import type { LiveVideoData, OwnerData } from '../lifecycle/documents.js';
import { type EdgeEntry, edgeOf, type Store } from '../ports/index.js';
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
  /** Substring of a title, an owner's name or an id; case-insensitive. */
  readonly search: string;
}

export interface OlderPage {
  readonly broadcasts: readonly BroadcastView[];
  /** Cursor of the next page; absent on the last one. With a search, even an empty page may have it. */
  readonly next?: string;
}

const PAGE = 100;
/** Broadcasts scanned at most for one page of a search. */
const SCAN_MAX = 1_000;

type Placed = EdgeEntry & { readonly cursor: string };

/** @throws an error with code STORE_INVALID_CURSOR */
export async function olderBroadcasts(
  { store, reconnectGraceMs }: OlderDeps,
  viewer: FeedViewer,
  query: OlderQuery,
): Promise<OlderPage> {
  const owners = viewer.ownerIds.slice(0, FEED_LIMITS.owners);
  const names = new Map(
    (await store.objects.getMany(owners)).map((owner) => [owner?.id, (owner?.data as OwnerData)?.name]),
  );
  const wanted = query.search.trim().toLowerCase();
  const broadcasts: BroadcastView[] = [];
  let after = query.after;
  for (let scanned = 0; scanned < SCAN_MAX && broadcasts.length < PAGE; scanned += PAGE) {
    const entries = await mergedPage(store, owners, after);
    const found = await store.objects.getMany(entries.map(({ member }) => member));
    for (const [index, { cursor }] of entries.entries()) {
      after = cursor;
      const live = found[index];
      if (live?.kind !== 'live_video' || !(await viewer.mayRead(live as LiveVideo))) continue;
      const ownerName = names.get((live.data as LiveVideoData).ownerId);
      if (!matches(live as LiveVideo, ownerName, wanted)) continue;
      const { total, open, uncounted } = await store.records.counts(live.id);
      broadcasts.push(broadcastView(live as LiveVideo, ownerName, { total, open, uncounted }, reconnectGraceMs));
      if (broadcasts.length === PAGE) break;
    }
    if (entries.length < PAGE && broadcasts.length < PAGE) return { broadcasts };
  }
  return { broadcasts, ...defined({ next: after }) };
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
