/** One subscriber of the live feed, from its first message until its socket closes. */
import type { OwnerData } from '../../lifecycle/documents.js';
import {
  type Clock,
  type EdgeName,
  edgeOf,
  type Log,
  type RefusalLog,
  type Store,
  type StoredObject,
  StoreUnavailableError,
} from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import { CLOSE, FEED_LIMITS } from '../view/limits.js';
import type { Authenticate, FeedViewer, LiveVideo } from '../view/viewer.js';
import { ownerView } from '../view/views.js';
import type { FeedLink } from './feed-link.js';
import { type Broadcast, RecordCursor } from './record-cursor.js';
import { readSubscribe, SubscribeFault, type Subscription } from './subscribe.js';

export interface SessionDeps {
  readonly store: Store;
  /** The edge of all live videos whose stream is being received, by any process. */
  readonly running: EdgeName;
  readonly authenticate: Authenticate;
  /** False: the session of the socket is its credential. */
  readonly needsToken: boolean;
  readonly refusals: RefusalLog;
  /** Address of the client. */
  readonly from: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Viewer of each subscribed socket. */
  viewers(): readonly FeedViewer[];
  /** `undefined` if the live video was deleted. */
  describe(id: string): Promise<Described | undefined>;
}

export interface Described {
  /** The current `broadcast` message as JSON. */
  readonly text: string;
  readonly ownerId: string;
  readonly videoId: string;
}

export class FeedSession {
  readonly link: FeedLink;
  readonly #deps: SessionDeps;
  readonly #cursors = new Map<string, RecordCursor>();
  /** The broadcast of each video: comments and likes belong to videos. */
  readonly #broadcasts = new Map<string, string>();
  /** The owner of each broadcast. */
  readonly #owners = new Map<string, string>();
  #subscription: Subscription | undefined;
  #viewer: FeedViewer | undefined;
  #checkedMs = 0;

  constructor(link: FeedLink, deps: SessionDeps) {
    this.link = link;
    this.#deps = deps;
  }

  get subscribed(): boolean {
    return this.#viewer !== undefined;
  }

  get viewer(): FeedViewer | undefined {
    return this.#viewer;
  }

  get broadcastIds(): Iterable<string> {
    return this.#cursors.keys();
  }

  reads(broadcastId: string): boolean {
    return this.#cursors.has(broadcastId);
  }

  /** The broadcast that this session reads, by its ID or that of its video. */
  broadcastOf(id: string): string | undefined {
    return this.#cursors.has(id) ? id : this.#broadcasts.get(id);
  }

  /** The broadcasts that this session reads, by the ID of one or that of their owner. */
  broadcastsOf(subjectId: string): readonly string[] {
    if (this.#cursors.has(subjectId)) return [subjectId];
    return [...this.#owners].flatMap(([id, ownerId]) => (ownerId === subjectId ? [id] : []));
  }

  /** Whether new broadcasts of this owner are added to the subscription. */
  follows(ownerId: string): boolean {
    return this.#subscription?.broadcasts === undefined && (this.#viewer?.ownerIds.includes(ownerId) ?? false);
  }

  // ---------------------------------------------------------------- the first message

  /** Never rejects: an error closes this socket. */
  async subscribe(text: string): Promise<void> {
    if (this.#subscription !== undefined) {
      this.link.close(CLOSE.badMessage, 'only one message is accepted');
      return;
    }
    await this.#guarded(async () => {
      this.#subscription = readSubscribe(text, this.#deps.needsToken);
      const viewer = await this.#deps.authenticate(this.#subscription.token, this.#deps.from);
      if (viewer === undefined) {
        this.#refuseToken();
        return;
      }
      // No await between this check and setting `#viewer`, so that concurrent sockets are all counted.
      const limit = reachedLimit(viewer, this.#deps.viewers());
      if (limit !== undefined) {
        const { ownerId: owner, tokenId: who } = viewer;
        const line = { action: `limit reached: feed sockets of ${limit}`, from: this.#deps.from, who, owner };
        this.#deps.refusals.add(line, limit === 'a dock link' ? who : owner);
        this.link.close(CLOSE.tooManySockets, `too many sockets of ${limit}; close one and subscribe again`);
        return;
      }
      this.#checkedMs = this.#deps.clock.monotonicMs();
      this.#viewer = viewer;
      await this.#begin(this.#subscription, viewer);
    });
  }

  async #begin(subscription: Subscription, viewer: FeedViewer): Promise<void> {
    const ids = subscription.broadcasts ?? viewer.broadcastIds ?? (await this.#newestOf(viewer.ownerIds));
    const owners = await this.#deps.store.objects.getMany(viewer.ownerIds.slice(0, FEED_LIMITS.owners));
    this.link.message({
      type: 'ready',
      owners: owners.flatMap((owner) => (owner === undefined ? [] : [ownerView(owner as StoredObject<OwnerData>)])),
      broadcasts: ids,
      ...(viewer.expiresMs === undefined ? {} : { expires: new Date(viewer.expiresMs).toISOString() }),
      ...(viewer.maySetUpEncoder === undefined ? {} : { encoder_setup: true }),
      ...(viewer.mayPutOnAir === undefined ? {} : { put_on_air: true }),
    });
    const found = await this.#deps.store.objects.getMany(ids);
    for (const [index, id] of ids.entries()) {
      if (!this.link.open) return;
      const live = liveVideoOf(found[index]);
      if (live !== undefined && (await viewer.mayRead(live))) await this.#add(id);
      else this.link.message({ type: 'missing', broadcast_id: id });
    }
    this.link.message({ type: 'synced' });
  }

  async #newestOf(ownerIds: readonly string[]): Promise<readonly string[]> {
    const owners = ownerIds.slice(0, FEED_LIMITS.owners);
    const limit = FEED_LIMITS.broadcastsListed;
    const pages = await this.#deps.store.objects.pages(
      owners.map((owner) => ({ name: edgeOf(owner, 'live_videos'), query: { limit } })),
    );
    const entries = pages.flatMap((page) => page.entries).sort((a, b) => b.score - a.score);
    const newest = [...new Set(entries.map((entry) => entry.member))];
    const all = newest.length <= limit && !pages.some((page) => page.hasNext);
    return all ? newest : [...new Set([...(await this.#runningOf(owners)), ...newest])].slice(0, limit);
  }

  /** Broadcasts being received are always listed, even if newer ones fill the list. */
  async #runningOf(ownerIds: readonly string[]): Promise<readonly string[]> {
    const { store, running } = this.#deps;
    const { entries } = await store.objects.page(running, { limit: FEED_LIMITS.runningLookedAt });
    const found = await store.objects.getMany(entries.map(({ member }) => member));
    const own = found.filter((each) => ownerIds.includes(liveVideoOf(each)?.data.ownerId ?? ''));
    return own.flatMap((each) => (each === undefined ? [] : [each.id]));
  }

  /** Adds broadcasts of owners on which the viewer has had a role since the last check. */
  async #addNewest(viewer: FeedViewer, ownerIds: readonly string[]): Promise<void> {
    const room = 2 * FEED_LIMITS.broadcastsListed - this.#cursors.size;
    const ids = (await this.#newestOf(ownerIds)).filter((id) => !this.#cursors.has(id)).slice(0, room);
    const found = await this.#deps.store.objects.getMany(ids);
    for (const each of found) {
      const live = liveVideoOf(each);
      if (live !== undefined && (await viewer.mayRead(live))) await this.#add(live.id);
    }
  }

  async #add(id: string): Promise<void> {
    const described = await this.#deps.describe(id);
    if (described === undefined) {
      this.link.message({ type: 'missing', broadcast_id: id });
      return;
    }
    const cursor = new RecordCursor(
      { broadcastId: id, videoId: described.videoId },
      this.#deps.store.records,
      this.link,
    );
    // Registered before the snapshot is read, so that changes published meanwhile reach the cursor.
    this.#cursors.set(id, cursor);
    this.#broadcasts.set(described.videoId, id);
    this.#owners.set(id, described.ownerId);
    this.link.send(described.text);
    await cursor.start(this.#subscription?.afterRevision.get(id), this.#subscription?.recent ?? 0);
  }

  // ---------------------------------------------------------------- changes

  addRecords(broadcastId: string, records: readonly StoredRecord[], text: (broadcast: Broadcast) => string): void {
    const cursor = this.#cursors.get(broadcastId);
    if (cursor !== undefined) void this.#guarded(() => cursor.add(records, text));
  }

  setBroadcast(broadcastId: string, ownerId: string, text: string): void {
    if (this.#cursors.has(broadcastId)) this.link.send(text);
    else if (this.follows(ownerId) && this.#cursors.size < 2 * FEED_LIMITS.broadcastsListed) {
      void this.#guarded(() => this.#add(broadcastId));
    }
  }

  /** The broadcast was deleted, or may no longer be read. */
  drop(broadcastId: string): void {
    for (const [videoId, id] of this.#broadcasts) if (id === broadcastId) this.#broadcasts.delete(videoId);
    this.#owners.delete(broadcastId);
    if (this.#cursors.delete(broadcastId)) this.link.message({ type: 'missing', broadcast_id: broadcastId });
  }

  /** Reads from the store what may have been published while the bus was down. */
  async catchUp(): Promise<void> {
    await this.#guarded(async () => {
      for (const cursor of this.#cursors.values()) await cursor.catchUp();
    });
  }

  // ---------------------------------------------------------------- authorization

  /** Closes the socket if its token has expired or been revoked; drops broadcasts it may no longer read. */
  async recheck(force = false): Promise<void> {
    const viewer = this.#viewer;
    const subscription = this.#subscription;
    if (viewer === undefined || subscription === undefined || !this.link.open) return;
    if (viewer.expiresMs !== undefined && viewer.expiresMs <= this.#deps.clock.wallMs()) {
      this.#refuseToken();
      return;
    }
    const nowMs = this.#deps.clock.monotonicMs();
    if (!force && nowMs - this.#checkedMs < FEED_LIMITS.recheckMs) return;
    this.#checkedMs = nowMs;
    await this.#guarded(async () => {
      const now = await this.#deps.authenticate(subscription.token, this.#deps.from);
      if (now === undefined) {
        this.#refuseToken();
        return;
      }
      this.#viewer = now;
      const gained = now.ownerIds.filter((id) => !viewer.ownerIds.includes(id));
      const ids = [...this.#cursors.keys()];
      const found = await this.#deps.store.objects.getMany(ids);
      for (const [index, id] of ids.entries()) {
        const live = liveVideoOf(found[index]);
        if (live === undefined || !(await now.mayRead(live))) this.drop(id);
      }
      if (gained.length > 0 && subscription.broadcasts === undefined) await this.#addNewest(now, gained);
      await this.catchUp();
    });
  }

  #refuseToken(): void {
    const what = this.#deps.needsToken ? 'token is unknown, expired or revoked' : 'session has ended';
    this.link.close(CLOSE.badToken, `the ${what}`);
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof SubscribeFault) this.link.close(CLOSE.badMessage, error.message);
      else if (error instanceof StoreUnavailableError) this.link.close(CLOSE.tryLater, 'the store is unavailable');
      else {
        this.#deps.log.error({ error }, 'live feed session failed');
        this.link.close(CLOSE.tryLater, 'internal error');
      }
    }
  }
}

/** A token limited to named broadcasts is a dock link. */
const isLink = ({ broadcastIds }: FeedViewer): boolean => broadcastIds !== undefined;

/** `current`: viewers of the sockets that are subscribed. */
function reachedLimit(viewer: FeedViewer, current: readonly FeedViewer[]): 'an owner' | 'a dock link' | undefined {
  const ofLink = current.filter(({ tokenId }) => tokenId === viewer.tokenId).length;
  if (isLink(viewer) && ofLink >= FEED_LIMITS.socketsPerLink) return 'a dock link';
  const ofOwner = current.filter((each) => each.ownerId === viewer.ownerId && isLink(each) === isLink(viewer)).length;
  const max = isLink(viewer) ? FEED_LIMITS.linkSocketsPerOwner : FEED_LIMITS.socketsPerOwner;
  return ofOwner >= max ? 'an owner' : undefined;
}

function liveVideoOf(found: StoredObject | undefined): LiveVideo | undefined {
  return found?.kind === 'live_video' ? (found as LiveVideo) : undefined;
}
