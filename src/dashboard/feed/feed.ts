/** The live feed: error records, states and observed values over WebSocket. A token is required. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { refusalText } from '../../lib/http-refusals.js';
import { defined } from '../../lib/objects.js';
import type { LiveVideoData, OwnerData } from '../../lifecycle/documents.js';
import {
  type Broadcasts,
  type Clock,
  type EdgeName,
  type ForwardReport,
  type ForwardState,
  forwardsOf,
  type Log,
  type RefusalLog,
  type StateMessage,
  type Store,
  TOPIC,
  VOLATILE,
} from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import { CLOSE, FEED_LIMITS } from '../view/limits.js';
import type { BroadcastView, FeedMessage } from '../view/protocol.js';
import type { AddressOf, Authenticate, LiveVideo } from '../view/viewer.js';
import { broadcastView } from '../view/views.js';
import { type EngagementMessage, Engagements } from './engagements.js';
import { FeedLink } from './feed-link.js';
import { type Described, FeedSession } from './feed-session.js';
import { HealthFeed } from './health-feed.js';
import { type Broadcast, recordsText } from './record-cursor.js';

export interface FeedDeps {
  readonly store: Store;
  /** The edge of all live videos whose stream is being received, by any process. */
  readonly running: EdgeName;
  readonly broadcasts: Pick<Broadcasts, 'health' | 'inputHealth'>;
  readonly authenticate: Authenticate;
  readonly addressOf: AddressOf;
  readonly refusals: RefusalLog;
  /** How long a broadcast outlasts the loss of its encoder. */
  readonly reconnectGraceMs: number;
  /** False: the operator has switched all forwards off. */
  readonly isForwarding: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export class LiveFeed {
  readonly #deps: FeedDeps;
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: FEED_LIMITS.messageBytes,
    perMessageDeflate: false,
  });
  readonly #sessions = new Set<FeedSession>();
  readonly #stop: (() => void)[];
  /** Broadcasts being read from the store; `again`: read once more, it has changed since. */
  readonly #reloading = new Map<string, { again: boolean }>();
  readonly #health: HealthFeed;
  /** Changes of videos and live videos that a session reads. */
  readonly #engagements = new Engagements({
    broadcastOf: (id) => [...this.#sessions].map((session) => session.broadcastOf(id)).find((found) => found),
    send: (broadcastId, text) =>
      this.#eachSession((session) => {
        if (session.reads(broadcastId)) session.link.send(text);
      }),
  });
  /** They run while there is a session. */
  #timers: readonly NodeJS.Timeout[] = [];
  #closed = false;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
    this.#health = new HealthFeed({
      ...deps,
      send: (broadcastId, text) =>
        this.#eachSession((session) => {
          if (session.reads(broadcastId)) session.link.sendIfDrained(text);
        }),
    });
    this.#server.on('wsClientError', (_error, socket, { method }) => {
      socket.end(refusalText(method === 'GET' ? 400 : 405, { 'Sec-WebSocket-Version': '13' }));
    });
    const { bus } = deps.store;
    this.#stop = [
      bus.subscribe(TOPIC.records, (message) => this.#sendRecords(message as RecordsMessage)),
      bus.subscribe(TOPIC.state, (message) => this.#sendState(message as StateMessage)),
      bus.subscribe(TOPIC.engagement, (message) => this.#engagements.add(message as EngagementMessage)),
      bus.subscribe(TOPIC.forwardState, (message) => this.#forwardsChanged((message as ForwardReport).liveVideoId)),
      bus.subscribe(TOPIC.forwards, (message) => this.#forwardsChanged((message as { subjectId: string }).subjectId)),
      // Deferred, so that token caches subscribed to the same topic have dropped the token first.
      bus.subscribe(TOPIC.tokens, () => setImmediate(() => this.#recheckAll(true))),
      deps.store.onAvailability((available) => {
        if (available) this.#catchUp();
      }),
      () => this.#stopTimers(),
      () => this.#engagements.close(),
    ];
  }

  /** `subjectId`: a live video, or an owner for all of its broadcasts. */
  #forwardsChanged(subjectId: string): void {
    for (const id of new Set([...this.#sessions].flatMap((session) => session.broadcastsOf(subjectId)))) {
      this.#engagements.add({ what: 'forward', videoId: id });
      this.#reloadSoon(id);
    }
  }

  #startTimers(): void {
    if (this.#timers.length > 0 || this.#closed) return;
    this.#timers = [
      setInterval(() => void this.#health.poll(this.#broadcastIds()), FEED_LIMITS.healthMs).unref(),
      setInterval(() => this.#heartbeat(), FEED_LIMITS.heartbeatMs).unref(),
      setInterval(() => this.#eachSession((session) => session.link.ping()), FEED_LIMITS.pingMs).unref(),
    ];
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    this.#health.forget();
  }

  get sockets(): number {
    return this.#sessions.size;
  }

  /** Takes over the socket of an `upgrade` event. `bySession`: who its session signs in; the client sends no token. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, bySession?: Authenticate): void {
    const from = this.#deps.addressOf(request);
    if (this.#closed || this.#sessions.size >= FEED_LIMITS.sockets) {
      const action = 'limit reached: feed sockets of this server';
      if (!this.#closed) this.#deps.refusals.add({ action, from }, 'server');
      socket.once('error', () => socket.destroy());
      socket.end(refusalText(503, { 'Retry-After': '5' }));
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (ws) => this.#accept(ws, from, bySession));
  }

  /** Closes the oldest socket without a subscription when there are too many, so that idle sockets cannot exhaust the limit. */
  #evictOldestPending(): void {
    const waiting = [...this.#sessions].filter((session) => !session.subscribed);
    const [oldest] = waiting;
    if (waiting.length >= FEED_LIMITS.waiting)
      oldest?.link.close(CLOSE.tryLater, 'too many sockets without a subscription; subscribe sooner');
  }

  #accept(ws: WebSocket, from: string, bySession: Authenticate | undefined): void {
    this.#evictOldestPending();
    const link = new FeedLink(ws);
    const session = new FeedSession(link, {
      ...this.#deps,
      authenticate: bySession ?? this.#deps.authenticate,
      needsToken: bySession === undefined,
      from,
      viewers: () => [...this.#sessions].flatMap(({ viewer }) => viewer ?? []),
      describe: (id) => this.#describe(id),
    });
    this.#sessions.add(session);
    this.#startTimers();
    const timer = setTimeout(() => {
      if (!session.subscribed) link.close(CLOSE.noSubscription, 'no subscribe message received');
    }, FEED_LIMITS.subscribeMs);
    ws.on('message', (data: RawData, isBinary: boolean) => {
      if (isBinary) link.close(CLOSE.badMessage, 'messages must be text');
      else void session.subscribe(data.toString());
    });
    // Protocol errors: ws closes the socket with the matching code and emits this event.
    ws.on('error', (error) => this.#deps.log.debug({ error }, 'live feed socket error'));
    ws.once('close', () => {
      clearTimeout(timer);
      this.#sessions.delete(session);
      if (this.#sessions.size === 0) this.#stopTimers();
    });
  }

  // ---------------------------------------------------------------- changes

  #sendRecords({ broadcastId, records }: RecordsMessage): void {
    let made: string | undefined;
    const ordered = [...records].sort((a, b) => a.revision - b.revision);
    const text = (broadcast: Broadcast): string => {
      made ??= recordsText(broadcast, ordered, ordered.at(-1)?.revision ?? 0);
      return made;
    };
    this.#eachSession((session) => session.addRecords(broadcastId, ordered, text));
  }

  #sendState({ liveVideoId, ownerId }: StateMessage): void {
    const wanted = [...this.#sessions].some((session) => session.reads(liveVideoId) || session.follows(ownerId));
    if (wanted) this.#reloadSoon(liveVideoId);
  }

  #reloadSoon(id: string): void {
    const running = this.#reloading.get(id);
    if (running === undefined) void this.#reload(id);
    else running.again = true;
  }

  /** One read at a time for each broadcast, so that an older state is never sent after a newer one. */
  async #reload(id: string): Promise<void> {
    const state = { again: true };
    this.#reloading.set(id, state);
    try {
      while (state.again) {
        state.again = false;
        const described = await this.#describe(id);
        this.#eachSession((session) => {
          if (described === undefined) session.drop(id);
          else session.setBroadcast(id, described.ownerId, described.text);
        });
      }
    } catch (error) {
      // The next state change or a new subscription sends it again.
      this.#deps.log.warn({ error, liveVideoId: id }, 'could not read the state of a broadcast for the live feed');
    } finally {
      this.#reloading.delete(id);
    }
  }

  async #describe(id: string): Promise<Described | undefined> {
    const { store, reconnectGraceMs } = this.#deps;
    const live = await store.objects.get<LiveVideoData>(id);
    if (live?.kind !== 'live_video') return undefined;
    const { ownerId, videoId } = live.data;
    const [owner, counts, forwards] = await Promise.all([
      store.objects.get<OwnerData>(ownerId),
      store.records.counts(id),
      this.#forwardsOf(live),
    ]);
    const { total, open, uncounted } = counts;
    const broadcast = broadcastView(live, owner?.data.name, { total, open, uncounted }, reconnectGraceMs);
    const message: FeedMessage = { type: 'broadcast', broadcast: { ...broadcast, ...defined({ forwards }) } };
    return { text: JSON.stringify(message), ownerId, videoId };
  }

  async #forwardsOf({ id, data }: LiveVideo): Promise<BroadcastView['forwards']> {
    const { store, isForwarding } = this.#deps;
    if (!isForwarding || data.status !== 'LIVE') return undefined;
    const enabled = (await forwardsOf(store.objects, [id, data.ownerId])).filter((each) => each.data.enabled);
    if (enabled.length === 0) return undefined;
    const reports = await Promise.all(enabled.map((each) => store.volatile.get(VOLATILE.forwardOf(each.id, id))));
    const states = reports.map((report) => (report as ForwardReport | undefined)?.state ?? 'waiting');
    const countOf = (some: readonly ForwardState[]): number => states.filter((state) => some.includes(state)).length;
    return { count: enabled.length, sending: countOf(SENDING), failing: countOf(FAILING) };
  }

  // ---------------------------------------------------------------- housekeeping

  #heartbeat(): void {
    const message: FeedMessage = { type: 'heartbeat', at: new Date(this.#deps.clock.wallMs()).toISOString() };
    const text = JSON.stringify(message);
    this.#eachSession((session) => {
      if (session.subscribed) session.link.sendIfDrained(text);
    });
    this.#recheckAll(false);
  }

  /** The bus does not replay messages published during an outage. */
  #catchUp(): void {
    const ids = this.#broadcastIds();
    this.#eachSession((session) => void session.catchUp());
    for (const id of ids) this.#reloadSoon(id);
  }

  /** Those that a session reads. */
  #broadcastIds(): Set<string> {
    return new Set([...this.#sessions].flatMap((session) => [...session.broadcastIds]));
  }

  #recheckAll(force: boolean): void {
    this.#eachSession((session) => void session.recheck(force));
  }

  #eachSession(work: (session: FeedSession) => void): void {
    for (const session of [...this.#sessions]) work(session);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const stop of this.#stop) stop();
    this.#eachSession((session) => session.link.close(CLOSE.goingAway, 'the server is stopping; subscribe again'));
    await Promise.all([...this.#sessions].map((session) => session.link.closed));
    this.#server.close();
  }
}

const SENDING: readonly ForwardState[] = ['sending', 'behind'];
const FAILING: readonly ForwardState[] = ['retrying', 'refused'];

interface RecordsMessage {
  readonly broadcastId: string;
  readonly records: readonly StoredRecord[];
}
