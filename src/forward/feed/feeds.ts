/**
 * Passes the packets of LIVE broadcasts that have forwards on to the forward process, over a socket file: one connection a broadcast,
 * however many forwards it has. Nothing here throws into ingest or blocks it: what the other process does not read in time is dropped.
 */
import { connect, type Socket } from 'node:net';
import type { SliceList } from '../../bytes/slices.js';
import { MAX_TRACKS } from '../../media/flv/enhanced-parser.js';
import { LatestHeaders, type MessageKind } from '../../media/flv/latest-headers.js';
import { forwardsOf, type Log, type MediaTap, type Store, type TappedStream, TOPIC } from '../../ports/index.js';
import { FORWARD_LIMITS } from '../core/limits.js';
import { HEADER_BYTES, jsonFrame, writeHeader } from './frames.js';

export interface FeedsDeps {
  readonly store: Pick<Store, 'objects' | 'bus'>;
  /** Socket file of the forward process. */
  readonly path: string;
  /** Name under which this process holds leases. */
  readonly holder: string;
  /** Asks for the forward process, which may run already. */
  readonly demand: () => void;
  readonly log: Log;
}

const BUFFER_BYTES = 64 * 1024;
/** Writes that the kernel has not taken. */
const PENDING_MOST = 4;

export class ForwardFeeds {
  readonly deps: FeedsDeps;
  readonly #feeds = new Map<string, Feed>();
  readonly #unsubscribe: () => void;
  /** Feeds with packets that were not written yet. */
  #dirty: Feed[] = [];
  #flushTimer: NodeJS.Timeout | undefined;
  readonly #flushAll = (): void => {
    this.#flushTimer = undefined;
    const dirty = this.#dirty;
    this.#dirty = [];
    for (const feed of dirty) feed.flush();
  };

  constructor(deps: FeedsDeps) {
    this.deps = deps;
    this.#unsubscribe = deps.store.bus.subscribe(TOPIC.forwards, (message) => {
      const { subjectId } = message as { readonly subjectId: string };
      for (const feed of this.#feeds.values()) if (feed.isOf(subjectId)) feed.look();
    });
  }

  /** Attached from the publish on, so that the first key frame of LIVE is not the one that asks the store. */
  open(stream: TappedStream, when: 'publish' | 'live'): Feed | undefined {
    if (when === 'live') {
      this.#feeds.get(stream.liveVideoId)?.goLive();
      return undefined;
    }
    const feed = new Feed(stream, this);
    this.#feeds.set(stream.liveVideoId, feed);
    feed.look();
    return feed;
  }

  /** Broadcasts that are passed on. */
  get count(): number {
    let count = 0;
    for (const feed of this.#feeds.values()) if (feed.isConnected) count++;
    return count;
  }

  remove(feed: Feed, liveVideoId: string): void {
    if (this.#feeds.get(liveVideoId) === feed) this.#feeds.delete(liveVideoId);
  }

  /** The packets of all broadcasts are written together at intervals, and so are the writes to the targets that follow. */
  markDirty(feed: Feed): void {
    this.#dirty.push(feed);
    this.#flushTimer ??= setTimeout(this.#flushAll, FORWARD_LIMITS.gatherMs);
  }

  close(): void {
    clearTimeout(this.#flushTimer);
    this.#unsubscribe();
    for (const feed of [...this.#feeds.values()]) feed.close();
  }
}

/** The packets of one broadcast. */
class Feed implements MediaTap {
  readonly copies = true;
  readonly allTracks = true;
  readonly #stream: TappedStream;
  readonly #feeds: ForwardFeeds;
  /** By track. */
  readonly #headers = new Map<number, LatestHeaders>();
  /** Undefined: the store has not answered yet. */
  #hasForwards: boolean | undefined;
  #isLive = false;
  #isClosed = false;
  #openErrors: readonly number[] = [];
  #isResumed: boolean;

  #socket: Socket | undefined;
  isConnected = false;
  #timer: NodeJS.Timeout | undefined;
  /** The connection, or the one to come, has had its beginning. */
  #isBegun = false;
  #buffer: Buffer | undefined;
  #used = 0;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #pending = 0;
  #isDirty = false;

  constructor(stream: TappedStream, feeds: ForwardFeeds) {
    this.#stream = stream;
    this.#feeds = feeds;
    this.#isResumed = stream.isResumed;
  }

  /** While it is not known whether there are forwards, packets of LIVE are kept. */
  get isIdle(): boolean {
    return this.#hasForwards === false || (this.#hasForwards === undefined && !this.#isLive);
  }

  isOf(subjectId: string): boolean {
    return subjectId === this.#stream.liveVideoId || subjectId === this.#stream.ownerId;
  }

  /** Asks the store whether there are forwards that are switched on. */
  look(): void {
    const { liveVideoId, ownerId } = this.#stream;
    const { store, log } = this.#feeds.deps;
    forwardsOf(store.objects, [liveVideoId, ownerId]).then(
      (found) => this.#found(found.some(({ data }) => data.enabled)),
      (error: unknown) => {
        log.warn({ error, liveVideoId }, 'the forwards of a broadcast could not be read');
        setTimeout(() => this.#isClosed || this.look(), FORWARD_LIMITS.feedRetryMs).unref();
      },
    );
  }

  #found(hasForwards: boolean): void {
    if (this.#isClosed) return;
    this.#hasForwards = hasForwards;
    if (hasForwards) this.#connect();
    else this.#drop();
  }

  goLive(): void {
    this.#isLive = true;
    if (this.#hasForwards === true) this.#connect();
  }

  packet(kind: MessageKind, timestampMs: number, payload: SliceList, track = 0): void {
    this.#headersOf(track).observe(kind, timestampMs, payload);
    if (!this.#isLive || this.#hasForwards === false || this.#isClosed) return;
    try {
      if (!this.#isBegun) this.#begin();
      this.#add(kind, track, timestampMs, payload);
      if (this.#waitingBytes > FORWARD_LIMITS.feedBytes) this.#overflow();
    } catch (error) {
      this.#feeds.deps.log.error({ error, liveVideoId: this.#stream.liveVideoId }, 'a broadcast is not forwarded');
      this.close();
    }
  }

  #headersOf(track: number): LatestHeaders {
    const known = this.#headers.get(track);
    if (known !== undefined) return known;
    const headers = new LatestHeaders();
    if (this.#headers.size < MAX_TRACKS) this.#headers.set(track, headers);
    return headers;
  }

  judged(openErrors: readonly number[]): void {
    if (openErrors.join() === this.#openErrors.join()) return;
    this.#openErrors = openErrors;
    if (this.#isBegun) this.#push(jsonFrame('judged', openErrors));
  }

  #begin(): void {
    const { liveVideoId, ownerId, passed } = this.#stream;
    const { holder } = this.#feeds.deps;
    this.#isBegun = true;
    this.#push(jsonFrame('begin', { liveVideoId, ownerId, holder, isResumed: this.#isResumed, passed }));
    this.#push(jsonFrame('judged', this.#openErrors));
    for (const [track, headers] of this.#headers)
      headers.replay((kind, timestampMs, payload) => this.#add(kind, track, timestampMs, payload));
    this.#isResumed = true;
  }

  #add(kind: MessageKind, track: number, timestampMs: number, payload: SliceList): void {
    const { length } = payload;
    const size = HEADER_BYTES + length;
    if (this.#buffer !== undefined && this.#used + size > this.#buffer.length) {
      this.#endBuffer();
      this.#buffer = undefined;
    }
    this.#waitingBytes += size;
    if (size > BUFFER_BYTES) {
      const large = Buffer.allocUnsafeSlow(size);
      payload.copyInto(large, writeHeader(large, 0, kind, timestampMs, length, track), 0, length);
      this.#waiting.push(large);
    } else {
      this.#buffer ??= Buffer.allocUnsafeSlow(BUFFER_BYTES);
      const at = writeHeader(this.#buffer, this.#used, kind, timestampMs, length, track);
      payload.copyInto(this.#buffer, at, 0, length);
      this.#used = at + length;
    }
    this.#markDirty();
  }

  #push(frame: Buffer): void {
    this.#endBuffer();
    this.#waiting.push(frame);
    this.#waitingBytes += frame.length;
    this.#markDirty();
  }

  #markDirty(): void {
    if (this.#isDirty) return;
    this.#isDirty = true;
    this.#feeds.markDirty(this);
  }

  /** The rest of a buffer that was written is filled next. */
  #endBuffer(): void {
    if (this.#buffer === undefined || this.#used === 0) return;
    this.#waiting.push(this.#buffer.subarray(0, this.#used));
    const rest = this.#buffer.subarray(this.#used);
    this.#buffer = rest.length < HEADER_BYTES ? undefined : rest;
    this.#used = 0;
  }

  flush(): void {
    this.#isDirty = false;
    this.#endBuffer();
    this.#write();
  }

  #write(): void {
    const socket = this.#socket;
    if (!this.isConnected || socket === undefined) return;
    while (this.#pending < PENDING_MOST) {
      const bytes = this.#waiting.shift();
      if (bytes === undefined) return;
      this.#pending++;
      socket.write(bytes, () => {
        if (this.#socket !== socket) return;
        this.#pending--;
        this.#waitingBytes -= bytes.length;
        this.#write();
      });
    }
  }

  /** The process does not read: what is kept is of no use without what is left out, so it begins anew. */
  #overflow(): void {
    const { liveVideoId } = this.#stream;
    if (this.isConnected) this.#feeds.deps.log.warn({ liveVideoId }, 'the forward process does not read a broadcast');
    this.#drop();
    this.#connectSoon();
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
    this.isConnected = false;
    this.#isBegun = false;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#buffer = undefined;
    this.#used = 0;
    this.#pending = 0;
  }

  #connectSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#connect();
    }, FORWARD_LIMITS.feedRetryMs).unref();
  }

  #connect(): void {
    if (this.#socket !== undefined || this.#isClosed || !this.#isLive) return;
    const { path, demand } = this.#feeds.deps;
    const socket = connect(path);
    this.#socket = socket;
    socket.on('connect', () => {
      this.isConnected = true;
      this.#write();
    });
    // The process sends nothing; its end is to be seen.
    socket.resume();
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      // Packets that wait for the first connection are kept; one that is lost has taken the beginning along.
      if (this.isConnected) this.#drop();
      if (this.#hasForwards !== true || this.#isClosed) return;
      demand();
      this.#connectSoon();
    });
  }

  /** The last packets are sent, for as long as the process reads. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#endBuffer();
    const socket = this.#socket;
    if (socket !== undefined && this.isConnected) {
      this.#socket = undefined;
      for (const bytes of this.#waiting) socket.write(bytes);
      socket.end();
      setTimeout(() => socket.destroy(), FORWARD_LIMITS.closeMs).unref();
    }
    this.#drop();
    this.#feeds.remove(this, this.#stream.liveVideoId);
  }
}
