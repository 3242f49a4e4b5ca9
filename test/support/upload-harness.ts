/** The HTTP interface with uploads, jobs and files, on a real store and the real ffmpeg; it can be stopped and started again. */
import { existsSync, readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { FileAccess } from '../../src/api/access/file-access.js';
import { issueToken } from '../../src/api/access/token-issue.js';
import { createOwner } from '../../src/api/admin/owners.js';
import { createApi } from '../../src/api/create.js';
import type { VideoData } from '../../src/lifecycle/documents.js';
import type { Broadcasts, Store, StoredObject } from '../../src/ports/index.js';
import { MediaTools } from '../../src/probe/media-tools.js';
import type { ToolSettings } from '../../src/probe/tool-paths.js';
import { StoreOwnerQuota } from '../../src/server/services/owner-quota.js';
import { randomBytes, TimeOrderedIds } from '../../src/server/system/system.js';
import { openStore } from '../../src/store/open.js';
import { KEEP_ALIVE, pushableClock } from './api-harness.js';
import { strongCage } from './cage.js';
import { openVod, type Vod, type VodOptions } from './open-vod.js';
import { memoryLog, temporaryFolder } from './store-harness.js';

// biome-ignore lint/suspicious/noExplicitAny: answers of the interface are looked at, not typed
type Json = any;

export interface Reply {
  readonly status: number;
  readonly body: Json;
}

export class UploadHarness {
  readonly folder = temporaryFolder();
  readonly clock = pushableClock();
  readonly log = memoryLog();
  readonly ids = new TimeOrderedIds(this.clock, randomBytes);
  readonly #serverKey = randomBytes(32);
  readonly #options: Partial<VodOptions>;
  readonly #onRequest: (request: IncomingMessage) => void;
  store!: Store;
  vod!: Vod;
  media!: MediaTools;
  url = '';
  page = '';
  group = '';
  user = '';
  token = '';
  #server: Server | undefined;
  #closeApi: () => void = () => undefined;

  private constructor(options: Partial<VodOptions>, onRequest: (request: IncomingMessage) => void) {
    this.#options = options;
    this.#onRequest = onRequest;
  }

  static async open(
    options: Partial<VodOptions> = {},
    tools: ToolSettings = {},
    onRequest: (request: IncomingMessage) => void = () => undefined,
  ): Promise<UploadHarness> {
    const harness = new UploadHarness(options, onRequest);
    harness.media = await MediaTools.open({
      ...tools,
      cage: await strongCage(join(harness.folder.path, 'tools')),
      log: harness.log,
    });
    await harness.start();
    const at = { store: harness.store, clock: harness.clock, ids: harness.ids };
    harness.user = (await createOwner(at, { kind: 'user', name: 'Uma', profileAgeDays: 90, followers: 150 })).id;
    harness.page = (await createOwner(at, { kind: 'page', name: 'Paula', managerId: harness.user })).id;
    harness.group = (await createOwner(at, { kind: 'group', name: 'Gus', managerId: harness.user })).id;
    harness.token = (await issueToken(at, { ownerId: harness.user })).token;
    return harness;
  }

  get dataDir(): string {
    return join(this.folder.path, 'data');
  }

  async start(): Promise<void> {
    const { clock, ids, log, media, dataDir } = this;
    const store = await openStore({ dataDir, log, clock });
    const config = { publicHttpUrl: 'http://localhost:8080' };
    const access = new FileAccess({ store, clock, config });
    this.store = store;
    const quota = new StoreOwnerQuota(store, clock, { publishers: 0, objects: 0, bytes: 0 });
    this.vod = await openVod({
      quota,
      dataDir,
      enforce: 'report',
      store,
      clock,
      ids,
      log,
      media,
      prints: media.prints,
      holder: ids.next(),
      serverKey: this.#serverKey,
      errors: {
        stored: () => undefined,
        append: async (entries) => {
          await store.records.append(entries);
          return entries;
        },
      },
      tokens: access,
      ...this.#options,
    });
    const { vod } = this;
    const api = createApi({
      quota,
      store,
      broadcasts: {} as Broadcasts,
      checkPublish: () => Promise.reject(new Error('no broadcasts here')),
      clock,
      ids,
      log,
      config,
      blobs: vod.blobs,
      links: vod.links,
      uploads: vod.uploads,
      mounts: [{ path: '/files', handler: vod.files }],
      readiness: async () => ({ ready: true, checks: { store: 'ok' } }),
    });
    this.#closeApi = () => {
      api.close();
      access.close();
    };
    const server = createServer(KEEP_ALIVE, (request, response) => {
      this.#onRequest(request);
      api.app(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Simulates a crash, as far as possible within one process. */
  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
    this.#closeApi();
    await this.vod.close();
    await this.store.close();
  }

  async close(): Promise<void> {
    await this.stop();
    this.folder.remove();
  }

  async get(path: string, query: Record<string, string> = {}): Promise<Reply> {
    const url = new URL(path, this.url);
    for (const [name, value] of Object.entries({ access_token: this.token, ...query }))
      url.searchParams.set(name, value);
    const answer = await fetch(url);
    return { status: answer.status, body: await answer.json() };
  }

  async post(path: string, fields: Record<string, string | Blob>, token: string | null = this.token): Promise<Reply> {
    const form = new FormData();
    if (token !== null) form.set('access_token', token);
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string') form.append(name, value);
      else form.append(name, value, 'file.mp4');
    }
    const answer = await fetch(new URL(path, this.url), { method: 'POST', body: form });
    return { status: answer.status, body: await answer.json() };
  }

  async delete(path: string): Promise<Reply> {
    const url = new URL(path, this.url);
    url.searchParams.set('access_token', this.token);
    const answer = await fetch(url, { method: 'DELETE' });
    return { status: answer.status, body: await answer.json() };
  }

  /** Waits until its processing has come to an end. */
  async processed(videoId: string): Promise<StoredObject<VideoData>> {
    for (;;) {
      const video = await this.store.objects.get<VideoData>(videoId);
      const isOpen = await this.vod.jobs.has('upload', videoId);
      if (video !== undefined && !isOpen && video.data.videoStatus !== 'processing') return video;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Files below the data folder that belong to no finished video. */
  rubbish(): string[] {
    const below = (name: string): string[] => {
      const path = join(this.dataDir, name);
      if (!existsSync(path)) return [];
      return readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(this.dataDir.length + 1));
    };
    return [...below('work'), ...below('blobs').filter((path) => !path.startsWith('blobs/videos/'))];
  }
}
