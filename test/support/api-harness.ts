/** The HTTP interface on a real store and a real port, with owners, tokens, and broadcasts moved by the real lifecycle. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Refusals } from '../../src/api/access/refusals.js';
import { issueToken } from '../../src/api/access/token-issue.js';
import { createOwner, type NewOwner } from '../../src/api/admin/owners.js';
import type { ApiConfig } from '../../src/api/context/config.js';
import { type Api, createApi } from '../../src/api/create.js';
import { BroadcastEngine } from '../../src/broadcasts/broadcast-engine.js';
import type { BroadcastDeps } from '../../src/broadcasts/deps.js';
import { StateWriter } from '../../src/broadcasts/state-writer.js';
import { streamKeys } from '../../src/config/stream-key.js';
import type { OwnerData } from '../../src/lifecycle/documents.js';
import { type Broadcasts, type Clock, type ForwardSettings, type Store, updateObject } from '../../src/ports/index.js';
import { HTTP_LIMITS } from '../../src/server/http/listener.js';
import { StoreOwnerQuota } from '../../src/server/services/owner-quota.js';
import { broadcastRequests } from '../../src/server/services/shared.js';
import { randomBytes, TimeOrderedIds } from '../../src/server/system/system.js';
import { FolderBlobs } from '../../src/store/blobs/folder-blobs.js';
import { ErrorJournal } from '../../src/store/journal/error-journal.js';
import { openStore } from '../../src/store/open.js';
import { payloadBuffers } from './payload-buffers.js';
import { memoryLog, temporaryFolder } from './store-harness.js';

/** As the real listener: idle connections outlive a test that blocks this process for seconds while it makes media. */
export const KEEP_ALIVE = { keepAliveTimeout: HTTP_LIMITS.keepAliveMs };

// biome-ignore lint/suspicious/noExplicitAny: answers of the interface are looked at, not typed
type Json = any;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
  readonly text: string;
}

export const errorOf = ({ body }: Pick<Reply, 'body'>): Record<string, unknown> => body.error;

export const idsOf = ({ body }: Pick<Reply, 'body'>): string[] => body.data.map(({ id }: { id: string }) => id);

export interface Ask {
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string>;
  /** Sent urlencoded. */
  readonly form?: Record<string, string>;
  readonly json?: unknown;
  readonly body?: NonNullable<RequestInit['body']>;
}

/** A clock that runs, and can be pushed on. */
export function pushableClock(): Clock & { advance(byMs: number): void } {
  let ahead = 0;
  return {
    wallMs: () => Date.now() + ahead,
    monotonicMs: () => performance.now() + ahead,
    advance: (byMs) => {
      ahead += byMs;
    },
  };
}

interface Parts {
  readonly store: Store;
  readonly folder: ReturnType<typeof temporaryFolder>;
  readonly clock: ReturnType<typeof pushableClock>;
  readonly journal: ErrorJournal;
  readonly blobs: FolderBlobs;
}

/** As a server has them that may reach any address but its own. */
const HARNESS_FORWARDS: ForwardSettings = {
  isOn: true,
  perSubject: 3,
  perOwner: 12,
  seal: (key) => `sealed ${key.length}`,
  refusal: async (url) => (url.includes('refused') ? 'it may not be reached' : undefined),
};

export class ApiHarness {
  readonly store: Store;
  readonly clock: ReturnType<typeof pushableClock>;
  readonly log = memoryLog();
  readonly ids: TimeOrderedIds;
  readonly engine: BroadcastEngine;
  readonly journal: ErrorJournal;
  readonly blobs: FolderBlobs;
  readonly broadcasts: Broadcasts;
  readonly states: StateWriter;
  readonly api: Api;
  /** Of the broadcasts. */
  readonly settings: { -readonly [Name in keyof BroadcastDeps['settings']]: BroadcastDeps['settings'][Name] };
  readonly #server: Server;
  readonly #folder: ReturnType<typeof temporaryFolder>;
  url = '';
  user = '';
  page = '';
  group = '';
  /** Of the user, who manages the Page and the group. */
  token = '';
  /** Of another user. */
  stranger = '';
  strangerToken = '';

  private constructor(parts: Parts, config: Partial<ApiConfig>) {
    this.store = parts.store;
    this.clock = parts.clock;
    this.journal = parts.journal;
    this.blobs = parts.blobs;
    this.#folder = parts.folder;
    this.ids = new TimeOrderedIds(this.clock, randomBytes);
    this.states = new StateWriter(this.store, this.clock);
    const refusals = new Refusals(this);
    this.settings = {
      publicStreamUrl: 'rtmps://localhost:1936/live',
      deploymentIds: [],
      backupAfterMs: 1_500,
      reconnectGraceMs: 60_000,
      enforce: config.enforce ?? 'report',
      analysis: true,
      record: true,
    };
    const deps: BroadcastDeps = {
      store: this.store,
      clock: this.clock,
      ids: this.ids,
      log: this.log,
      refusals,
      keys: streamKeys(randomBytes(32)),
      errors: this.journal,
      quota: new StoreOwnerQuota(this.store, this.clock, { publishers: 0, objects: 0, bytes: 0 }),
      recordings: { ended: () => undefined },
      holder: 'this-process',
      pause: async () => true,
      settings: this.settings,
    };
    this.engine = new BroadcastEngine({ ...deps, taps: [], buffers: payloadBuffers() });
    this.broadcasts = this.engine.service;
    const { store } = this;
    this.api = createApi(
      {
        store,
        quota: new StoreOwnerQuota(store, this.clock, { publishers: 0, objects: 0, bytes: 0 }),
        broadcasts: this.broadcasts,
        forwards: HARNESS_FORWARDS,
        checkPublish: broadcastRequests(deps).checkPublish,
        clock: this.clock,
        ids: this.ids,
        log: this.log,
        config: { publicHttpUrl: 'http://localhost:8080', goLiveAnswerMs: 60_000, ...config },
        blobs: parts.blobs,
        readiness: async () => ({ ready: true, checks: { store: 'ok' } }),
        playbackLinks: (id) => ({ flv: `/playback/${id}.flv?ticket=t`, hls: `/playback/${id}/index.m3u8?ticket=t` }),
        recordsStored: (broadcastId) => this.journal.stored(broadcastId, 10_000),
      },
      refusals,
    );
    this.#server = createServer(KEEP_ALIVE, this.api.app);
  }

  /** `redisUrl`: on that store in place of the embedded one. */
  static async open(config: Partial<ApiConfig> = {}, redisUrl?: string): Promise<ApiHarness> {
    const folder = temporaryFolder();
    const clock = pushableClock();
    const log = memoryLog();
    const store = await openStore({ dataDir: folder.path, log, clock, redisUrl });
    const journal = await ErrorJournal.open({ dataDir: folder.path, store, log, clock });
    const blobs = await FolderBlobs.open(`${folder.path}/blobs`, Date.now());
    const harness = new ApiHarness({ store, folder, clock, journal, blobs }, config);
    await new Promise<void>((resolve) => harness.#server.listen(0, '127.0.0.1', resolve));
    harness.url = `http://127.0.0.1:${(harness.#server.address() as AddressInfo).port}`;
    harness.user = await harness.owner({ kind: 'user', name: 'Uma User', profileAgeDays: 90, followers: 150 });
    harness.page = await harness.owner({ kind: 'page', name: 'Paula Page', managerId: harness.user });
    harness.group = await harness.owner({ kind: 'group', name: 'Gus Group', managerId: harness.user });
    harness.stranger = await harness.owner({ kind: 'user', name: 'Stan Stranger', profileAgeDays: 90, followers: 150 });
    harness.token = await harness.tokenOf(harness.user);
    harness.strangerToken = await harness.tokenOf(harness.stranger);
    return harness;
  }

  async owner(owner: NewOwner): Promise<string> {
    return (await createOwner(this, owner)).id;
  }

  /** Changes a profile after its creation. */
  async profile(userId: string, { ageDays }: { readonly ageDays: number }): Promise<void> {
    const profileCreatedMs = this.clock.wallMs() - ageDays * 86_400_000;
    await updateObject<OwnerData>(this.store.objects, this.clock, userId, ({ data }) => ({
      data: { ...data, profileCreatedMs },
    }));
  }

  async tokenOf(ownerId: string, more: { scopes?: readonly string[]; expiresMs?: number } = {}): Promise<string> {
    return (await issueToken(this, { ownerId, ...more })).token;
  }

  async ask(method: string, path: string, ask: Ask = {}): Promise<Reply> {
    const url = new URL(path, this.url);
    for (const [name, value] of Object.entries(ask.query ?? {})) url.searchParams.set(name, value);
    const token = ask.token === undefined ? this.token : ask.token;
    const headers: Record<string, string> = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...ask.headers,
    };
    const init: RequestInit = { method, headers, redirect: 'manual' };
    if (ask.form) init.body = new URLSearchParams(ask.form);
    if (ask.json !== undefined) {
      init.body = JSON.stringify(ask.json);
      headers['content-type'] = 'application/json';
    }
    if (ask.body !== undefined) init.body = ask.body;
    const response = await fetch(url, init);
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').includes('json') && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  get(path: string, query: Record<string, string> = {}, ask: Ask = {}): Promise<Reply> {
    return this.ask('GET', path, { ...ask, query });
  }

  post(path: string, form: Record<string, string> = {}, ask: Ask = {}): Promise<Reply> {
    return this.ask('POST', path, { ...ask, form });
  }

  delete(path: string, ask: Ask = {}): Promise<Reply> {
    return this.ask('DELETE', path, ask);
  }

  /** The stream key of a live video. */
  async keyOf(id: string): Promise<string> {
    const { body } = await this.get(`/${id}`, { fields: 'stream_url' });
    return String(body.stream_url).split('/').at(-1) ?? '';
  }

  /** A live video of the Page, or of another owner. */
  async live(form: Record<string, string> = {}, owner = this.page): Promise<string> {
    const reply = await this.post(`/${owner}/live_videos`, { title: 'A broadcast', ...form });
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.body.id as string;
  }

  /** What the ingest side does when an encoder publishes and valid data arrives. */
  async goLive(liveVideoId: string): Promise<void> {
    const wallMs = this.clock.wallMs();
    await this.states.move(liveVideoId, { type: 'publish', wallMs });
    await this.states.move(liveVideoId, { type: 'valid-data', wallMs });
  }

  async endTo(liveVideoId: string, status: 'LIVE_STOPPED' | 'PROCESSING' | 'VOD'): Promise<void> {
    const wallMs = this.clock.wallMs();
    await this.states.move(liveVideoId, { type: 'end', wallMs });
    if (status === 'LIVE_STOPPED') return;
    await this.states.move(liveVideoId, { type: 'processing-started', wallMs });
    if (status === 'VOD') await this.states.move(liveVideoId, { type: 'processing-done', wallMs });
  }

  /** A recorded broadcast of the Page: the id of its Video. */
  async video(owner = this.page): Promise<string> {
    const live = await this.live(owner === this.user ? { privacy: 'EVERYONE' } : {}, owner);
    await this.goLive(live);
    await this.endTo(live, 'VOD');
    return (await this.get(`/${live}`, { fields: 'video' })).body.video.id as string;
  }

  async close(): Promise<void> {
    this.api.close();
    await this.engine.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.journal.close();
    await this.store.close();
    this.#folder.remove();
  }
}
