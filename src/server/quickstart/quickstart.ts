/**
 * Quickstart: on an empty store a Page, a group, a user, a token and a live video, so that one command is enough to
 * broadcast; and `quickstart.json`, rewritten at every start with the ports in use. The token lives only in that file.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../lib/objects.js';
import type { LiveVideoData, OwnerData, OwnerKind } from '../../lifecycle/documents.js';
import { isOver } from '../../lifecycle/lifecycle.js';
import {
  ALIAS,
  type Broadcasts,
  type Clock,
  type IdSource,
  retryConflicts,
  type Store,
  type StoredObject,
} from '../../ports/index.js';

const PROFILE_AGE_DAYS = 90;
const FOLLOWERS = 150;

interface Owners {
  readonly page_id: string;
  readonly group_id: string;
  readonly user_id: string;
}

interface NewOwner {
  readonly kind: OwnerKind;
  readonly name: string;
  readonly profileAgeDays?: number;
  readonly followers?: number;
  readonly managerId?: string;
}

export interface QuickstartDeps {
  readonly store: Store;
  readonly broadcasts: Broadcasts;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly dataDir: string;
  readonly urls: { readonly streamUrlBase: string; readonly httpUrl: string; readonly dashboardUrl: string };
  readonly ports: { readonly rtmpsPort: number; readonly httpPort: number };
  /** Whether the store has no owner yet. */
  isEmpty(): Promise<boolean>;
  /** Resolves with the id. */
  createOwner(owner: NewOwner): Promise<string>;
  /** With every scope; resolves with the token. */
  issueToken(ownerId: string): Promise<string>;
  /** Whether a token of an earlier start is still valid for this owner. */
  tokenWorks(token: string, ownerId: string): Promise<boolean>;
  /** A link that signs in to the dashboard once, soon after the start. */
  signInUrl?(userId: string): string;
  /** A link to the dock page of a broadcast with a read-only token in it: `earlier` while it works. Undefined: no room for one. */
  dockUrl?(liveVideoId: string, earlier: string | undefined): Promise<string | undefined>;
}

interface Secrets {
  readonly token?: string | undefined;
  readonly signInUrl?: string | undefined;
  readonly dockUrl?: string | undefined;
}

export class Quickstart {
  readonly #deps: QuickstartDeps;
  readonly #path: string;
  #owners: Owners | undefined;

  constructor(deps: QuickstartDeps) {
    this.#deps = deps;
    this.#path = join(deps.dataDir, 'quickstart.json');
  }

  /** Creates missing objects and writes the file. A store with other owners is not changed. */
  async prepare(): Promise<void> {
    const settingId = await this.#deps.store.objects.resolveAlias(ALIAS.quickstart);
    const found = settingId === undefined ? undefined : await this.#deps.store.objects.get<Owners>(settingId);
    this.#owners = found?.data ?? (await this.#makeOwners());
    if (this.#owners === undefined) return;
    const { token, dockUrl } = this.#earlier();
    const { user_id } = this.#owners;
    const stillWorks = token !== undefined && (await this.#deps.tokenWorks(token, user_id));
    await this.#write(this.#owners, {
      token: stillWorks ? token : undefined,
      dockUrl,
      signInUrl: this.#deps.signInUrl?.(user_id),
    });
  }

  /** The Page whose persistent key the file shows. */
  get pageId(): string | undefined {
    return this.#owners?.page_id;
  }

  /** Rewrites the file after the persistent key opened a new live video. */
  async write(): Promise<void> {
    if (this.#owners !== undefined) await this.#write(this.#owners, this.#earlier());
  }

  async #write(owners: Owners, secrets: Secrets): Promise<void> {
    const { broadcasts, urls, ports } = this.#deps;
    const live = await this.#currentLive(owners.page_id);
    const stream = await broadcasts.persistentUrls(owners.page_id);
    if (stream === undefined) return;
    const dockUrl = await this.#deps.dockUrl?.(live.id, secrets.dockUrl);
    const token = secrets.token ?? (await this.#deps.issueToken(owners.user_id));
    const content = {
      ...owners,
      access_token: token,
      live_video_id: live.id,
      stream_url_base: stream.base,
      stream_key: stream.key,
      secure_stream_url: stream.secureStreamUrl,
      http_url: urls.httpUrl,
      dashboard_url: urls.dashboardUrl,
      ...defined({ sign_in_url: secrets.signInUrl, dock_url: dockUrl }),
      rtmps_port: ports.rtmpsPort,
      http_port: ports.httpPort,
    };
    const draft = `${this.#path}.draft`;
    writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, this.#path);
  }

  /** The live video of the Page's persistent key; a new one if the last has ended. */
  async #currentLive(pageId: string): Promise<StoredObject<LiveVideoData>> {
    const { store, broadcasts } = this.#deps;
    const described = { title: 'My first broadcast' };
    // An encoder may publish before the start is through, and open the next live video itself: then it is that one.
    return retryConflicts(async () => {
      const page = await store.objects.get<OwnerData>(pageId);
      const id = page?.data.persistentLiveVideoId;
      const current = id === undefined ? undefined : await store.objects.get<LiveVideoData>(id);
      if (current !== undefined && !isOver(current.data)) return current;
      if (page?.data.persistentKeyVersion !== undefined) return broadcasts.createNext(page, described);
      const live = await broadcasts.create({ ownerId: pageId, ...described });
      await broadcasts.request(live.id, { type: 'persistent-key', action: 'ENABLE' });
      return live;
    });
  }

  /** The user manages the Page and the group, so that one token gives access to all three. */
  async #makeOwners(): Promise<Owners | undefined> {
    const { store, clock, ids, isEmpty, createOwner } = this.#deps;
    if (!(await isEmpty())) return undefined;
    const user = { name: 'Quickstart User', profileAgeDays: PROFILE_AGE_DAYS, followers: FOLLOWERS } as const;
    const user_id = await createOwner({ kind: 'user', ...user });
    const page_id = await createOwner({ kind: 'page', name: 'Quickstart Page', managerId: user_id });
    const group_id = await createOwner({ kind: 'group', name: 'Quickstart Group', managerId: user_id });
    const owners = { page_id, group_id, user_id };
    const nowMs = clock.wallMs();
    const id = ids.next();
    await store.objects.commit([
      { op: 'put', object: { id, kind: 'setting', createdMs: nowMs, updatedMs: nowMs, data: owners }, expect: 0 },
      { op: 'alias', alias: ALIAS.quickstart, id },
    ]);
    return owners;
  }

  /** Secrets of the file: between two writes it alone holds them, not the memory of the process. */
  #earlier(): Secrets {
    if (!existsSync(this.#path)) return {};
    try {
      const content = JSON.parse(readFileSync(this.#path, 'utf8')) as Readonly<Record<string, unknown>>;
      const text = (name: string) => (typeof content[name] === 'string' ? content[name] : undefined);
      return { token: text('access_token'), signInUrl: text('sign_in_url'), dockUrl: text('dock_url') };
    } catch (error) {
      // A file truncated by a crash contains no token; a new one is issued.
      if (error instanceof SyntaxError) return {};
      throw error;
    }
  }
}
