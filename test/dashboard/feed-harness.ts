/** The feed behind a real HTTP server on the embedded store; tests create broadcasts and tokens directly. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sessions } from '../../src/api/access/sessions.js';
import { createDashboard, type Dashboard, type DashboardDeps } from '../../src/dashboard/dashboard.js';
import { type FeedDeps, LiveFeed } from '../../src/dashboard/feed/feed.js';
import { HealthHistory } from '../../src/dashboard/history/history.js';
import type { Still } from '../../src/dashboard/stills.js';
import type { ServerState } from '../../src/dashboard/view/server-state.js';
import type { FeedViewer } from '../../src/dashboard/view/viewer.js';
import { reportPage } from '../../src/lib/report-style.js';
import type { LiveVideoData } from '../../src/lifecycle/documents.js';
import {
  edgeOf,
  type ForwardData,
  type ForwardState,
  type JournalEntry,
  type OpenSession,
  type RefusalLine,
  type Store,
  type StreamHealth,
  SYSTEM_EDGES,
  TOPIC,
  VOLATILE,
} from '../../src/ports/index.js';
import { wavHeader } from '../../src/probe/clip-maker.js';
import type { RecordBody, StoredRecord } from '../../src/spec/error-record.js';
import { openStore } from '../../src/store/open.js';
import { FeedClient } from '../support/feed-client.js';
import { memoryLog, raised, realClock, temporaryFolder } from '../support/store-harness.js';

/** As the operator's list has it. */
const MATCH = {
  id: '1_2_3000',
  state: 'disputed',
  found_ms: 1_700_000_000_000,
  subject_id: '1',
  subject_kind: 'video',
  owner_id: '7',
  reference_id: '2',
  page_id: '8',
  policy: 'monitor',
  start_ms: 3_000,
  offset_ms: 61_000,
  length_ms: 13_000,
  error_rate: 0.04,
  confidence: 0.92,
  dispute: 'We have a license.',
};

const IDLE_SERVER: ServerState = {
  roles: [{ role: 'web', is_idle: false, resident_bytes: 1, cpu_seconds: 2, loop_delay_ms: 3, restarts: 0 }],
  connections: 0,
  publishers: 0,
  received_bytes: 0,
  viewers: 0,
  feed_readers: 0,
  journal_pending: 0,
  recordings_paused: 0,
};

export class FeedHarness {
  readonly store: Store;
  readonly feed: LiveFeed;
  readonly dashboard: Dashboard;
  readonly history: HealthHistory;
  readonly sessions: Sessions;
  readonly health = new Map<string, StreamHealth>();
  readonly shared: string[] = [];
  readonly stills = new Map<string, Still>();
  readonly tokens = new Map<string, FeedViewer>();
  readonly refused: RefusalLine[] = [];
  /** Codes of sign-in links that were not used. */
  readonly codes = new Set(['a'.repeat(43)]);
  /** Requests that the interface would answer. */
  readonly passed: IncomingMessage[] = [];
  readonly log = memoryLog();
  readonly #server: Server;
  readonly #remove: () => void;
  #number = 0;

  private constructor(store: Store, server: Server, remove: () => void, pagesRoot: string) {
    this.store = store;
    this.#server = server;
    this.#remove = remove;
    this.history = new HealthHistory({ store, clock: realClock, log: this.log });
    this.history.start(() => [...this.health].map(([liveVideoId, health]) => ({ liveVideoId, health })));
    this.sessions = new Sessions({ store, clock: realClock, ids: { next: () => String(++this.#number) } });
    const deps: Omit<DashboardDeps, 'feed'> & FeedDeps = {
      store,
      running: SYSTEM_EDGES.connected,
      broadcasts: {
        health: async (id) => this.health.get(id),
        inputHealth: async (_id, inputStreamId) => this.health.get(inputStreamId),
      },
      reconnectGraceMs: 60_000,
      authenticate: async (token) => this.tokens.get(token),
      addressOf: ({ socket }) => socket.remoteAddress ?? '',
      isForwarding: true,
      refusals: { add: (line) => this.refused.push(line) },
      links: {
        issueLink: async (live, { withEncoderSetup }) => ({
          token: `dock-${live.id}${withEncoderSetup ? '-setup' : ''}`,
          expiresMs: 4_000_000_000_000,
        }),
        revokeLinks: async () => 1,
        issueReportLink: async ({ id }) => {
          this.shared.push(id);
          return { token: `report-${id}`, expiresMs: 4_000_000_000_000 };
        },
        issueWallLink: async (ownerId) => ({ token: `wall-${ownerId}`, expiresMs: 4_000_000_000_000 }),
        revokeWallLinks: async () => 2,
        reportLinks: async () => this.shared.map((id) => ({ id: `link-${id}` })),
        endReportLink: async (id, linkId) => linkId === `link-${id}` && this.shared.splice(0).length > 0,
      },
      matches: {
        list: async () => ({ rows: [MATCH] }),
        decide: async (_id, decision) => ({ ...MATCH, state: decision }),
        clip: async (_id, piece) => (piece === 'found' ? { wav: wavHeader(0) } : { gone: 'The video is gone.' }),
      },
      reports: { html: async (id) => (id === '1' ? reportPage('Report', []) : undefined) },
      opensReport: async (token, id) => token === `report-${id}` && this.shared.includes(id),
      serverState: async () => ({ ...IDLE_SERVER }),
      serverHistory: { read: async () => [[60_000, 1.5, 2e8, 1, 2_500, 0.4]] },
      sessions: this.sessions,
      signIn: async (code) => {
        const isGood = code === 'a'.repeat(43) && this.codes.delete(code);
        return isGood ? { token: 'page-7', tokenId: '1', ownerId: '7', expiresMs: 4_000_000_000_000 } : undefined;
      },
      identify: async (token) => this.tokens.get(token) ?? 'refused',
      originOf: ({ headers }) => ({ protocol: 'http', host: headers.host ?? '' }),
      publicUrl: 'https://video.example.com',
      history: this.history,
      stills: { read: async (id) => this.stills.get(id) },
      root: pagesRoot,
      help: { root: '/nonexistent', sources: '/nonexistent' },
      clock: realClock,
      log: this.log,
    };
    this.feed = new LiveFeed(deps);
    this.dashboard = createDashboard({ ...deps, feed: this.feed });
    server.on('upgrade', (request, socket, head) => {
      if (!this.dashboard.upgrade(request, socket, head)) socket.destroy();
    });
    server.on('request', (request, response) => this.#answer(request, response));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const mount = this.dashboard.mounts.find(({ path }) => request.url?.startsWith(path));
    if (mount) mount.handler(request, response, (...again) => this.#answer(...again));
    else {
      this.passed.push(request);
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":{"message":"Not in this test."}}');
    }
  }

  static async open(
    pagesRoot = '/nonexistent',
    port = 0,
    tokens?: FeedHarness['tokens'],
    redisUrl?: string,
  ): Promise<FeedHarness> {
    const folder = temporaryFolder();
    const store = await openStore({ dataDir: folder.path, redisUrl, log: memoryLog(), clock: realClock });
    const server = createServer();
    const harness = new FeedHarness(store, server, folder.remove, pagesRoot);
    await harness.owner('7', 'A Page');
    harness.tokens.set('page-7', harness.viewer(['7']));
    for (const [token, viewer] of tokens ?? []) harness.tokens.set(token, viewer);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return harness;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}/live`;
  }

  get httpUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  viewer(ownerIds: readonly string[], over: Partial<FeedViewer> = {}): FeedViewer {
    const mayRead: FeedViewer['mayRead'] = async (live) => ownerIds.includes(live.data.ownerId);
    return {
      tokenId: '1',
      ownerId: ownerIds[0] ?? '',
      ownerIds,
      mayRead,
      mayPicture: mayRead,
      mayShare: mayRead,
      ...over,
    };
  }

  async owner(id: string, name: string): Promise<void> {
    const object = { id, kind: 'page', createdMs: 1, updatedMs: 1, data: { name } } as const;
    await this.store.objects.commit([{ op: 'put', object }]);
  }

  async live(id: string, over: Partial<LiveVideoData> = {}): Promise<void> {
    const data: LiveVideoData = {
      ownerId: '7',
      ownerKind: 'page',
      videoId: `${id}0`,
      status: 'UNPUBLISHED',
      goLiveOnData: true,
      keyVersion: 1,
      stopOnDeleteStream: false,
      stream: 'waiting',
      title: `Broadcast ${id}`,
      ...over,
    };
    const createdMs = 1_700_000_000_000 + Number(id);
    const object = { id, kind: 'live_video', createdMs, updatedMs: createdMs, data } as const;
    await this.store.objects.commit([
      { op: 'put', object },
      { op: 'edgeAdd', owner: data.ownerId, edge: 'live_videos', member: id, score: createdMs },
    ]);
    this.publishState(id, data);
  }

  /** A forward of a live video or an owner, as it is stored and announced. */
  async forward(id: string, rootId: string, enabled = true): Promise<void> {
    const names = { name: 'Origin', url: 'rtmps://live.example.com/app', sealedKey: '' };
    const data: ForwardData = { rootId, ownerId: '7', ownerKind: 'page', when: 'always', enabled, ...names };
    const object = { id, kind: 'forward', createdMs: 1, updatedMs: 1, data } as const;
    await this.store.objects.commit([
      { op: 'put', object },
      { op: 'edgeAdd', ...edgeOf(rootId, 'forwards'), member: id, score: Number(id) },
    ]);
    this.store.bus.publish(TOPIC.forwards, { subjectId: rootId });
  }

  /** Its process reports for one broadcast. */
  async forwardIs(forwardId: string, liveVideoId: string, state: ForwardState): Promise<void> {
    const report = { forwardId, liveVideoId, state };
    await this.store.volatile.set(VOLATILE.forwardOf(forwardId, liveVideoId), report, 60_000);
    this.store.bus.publish(TOPIC.forwardState, report);
  }

  /** Both input streams of a live video that was made with `INPUTS`, one of which is on air. */
  inputsAre(id: string, onAir: 0 | 1, standby: Partial<StreamHealth> = {}): void {
    const [primary, backup] = [HEALTH, { ...HEALTH, encoder: 'Lavf60.16.100', sampleRate: 44_100 }].map(
      (health, index): StreamHealth => ({
        ...health,
        inputStream: INPUTS[index] ?? '',
        onAir: index === onAir,
        ...(index === onAir ? {} : standby),
      }),
    ) as [StreamHealth, StreamHealth];
    this.health.set(INPUTS[0], primary);
    this.health.set(INPUTS[1], backup);
    this.health.set(id, onAir === 0 ? primary : backup);
  }

  publishState(liveVideoId: string, { ownerId, status, stream }: LiveVideoData): void {
    this.store.bus.publish(TOPIC.state, { liveVideoId, ownerId, status, stream, atMs: Date.now() });
  }

  /** Raises `count` new records as the journal does: stored first, then published on the bus. */
  raise(id: string, count = 1, over: Partial<RecordBody> = {}): Promise<StoredRecord[]> {
    return this.append(Array.from({ length: count }, () => raised(id, 1, ++this.#number, over)));
  }

  async clear(record: StoredRecord): Promise<StoredRecord[]> {
    const { sequence, revision, ...body } = record;
    const broadcastId = record.id.slice(0, record.id.indexOf('_'));
    const change = { change: 'cleared', body: { ...body, cleared_time_ms: body.timestampMs + 1_000 } } as const;
    return this.append([{ broadcastId, fence: 1, number: ++this.#number, change }]);
  }

  async append(entries: readonly JournalEntry[]): Promise<StoredRecord[]> {
    const records = await this.store.records.append(entries);
    this.publishRecords(entries[0]?.broadcastId ?? '', records);
    return records;
  }

  publishRecords(broadcastId: string, records: readonly StoredRecord[]): void {
    this.store.bus.publish(TOPIC.records, { broadcastId, records });
  }

  subscribe(over: object = {}): Promise<FeedClient> {
    return FeedClient.open(this.url, { type: 'subscribe', token: 'page-7', ...over });
  }

  /** A session of the token, as a browser has it after signing in. */
  signIn(token: string): Promise<OpenSession> {
    const { tokenId, ownerId } = this.tokens.get(token) ?? { tokenId: '', ownerId: '' };
    return this.sessions.begin({ token, tokenId, ownerId, from: '127.0.0.1' });
  }

  /** The feed of a session, as a page opens it. */
  follow(cookie: string, origin = this.httpUrl): Promise<FeedClient> {
    const headers = { origin, cookie: `airlock-session-${this.port}=${cookie}` };
    return FeedClient.open(`ws://127.0.0.1:${this.port}/dashboard/live`, { type: 'subscribe' }, headers);
  }

  async close(): Promise<void> {
    await this.feed.close();
    await this.history.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.store.close();
    this.#remove();
  }
}

/** IDs of the primary input stream and of the backup. */
export const INPUTS = ['101', '102'] as const;

export const HEALTH: StreamHealth = {
  atMs: 1_700_000_000_000,
  connected: true,
  encoder: 'OBS Studio 30',
  streamTimeMs: 12_345.6,
  videoCodec: 'H.264',
  profileIdc: 100,
  levelIdc: 31,
  width: 1280,
  height: 720,
  frameRate: 30.0001,
  frameRateClass: 30,
  videoBitrateKbps: 2_512.4,
  audioBitrateKbps: 127.96,
  keyFrameIntervalMs: 2_000,
  sinceKeyFrameMs: 732.6,
  audioCodec: 'AAC-LC',
  sampleRate: 48_000,
  channels: 2,
  bytesReceived: 1_000_000,
  openErrors: [],
};
