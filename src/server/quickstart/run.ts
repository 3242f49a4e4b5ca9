/** Runs the quickstart in a server: it creates objects through the same ports as the HTTP interface. */
import { createHash } from 'node:crypto';
import type { FeedAccess } from '../../api/access/feed-access.js';
import { issueToken } from '../../api/access/token-issue.js';
import { createOwner, listOwners } from '../../api/admin/owners.js';
import type { LiveVideoData, TokenData } from '../../broadcast/documents.js';
import type { PublicUrls } from '../../config/public-urls.js';
import { ALIAS, type Log, type Store, TOPIC } from '../../ports/index.js';
import type { Core } from '../services/core.js';
import { Quickstart } from './quickstart.js';

export interface QuickstartSetting {
  readonly core: Core;
  readonly feedAccess: FeedAccess;
  readonly dataDir: string;
  readonly urls: PublicUrls;
  readonly ports: { readonly rtmpsPort: number; readonly httpPort: number };
  readonly log: Log;
}

/** Prepares the quickstart and follows the persistent key; resolves with the function that stops following. */
export async function runQuickstart(setting: QuickstartSetting): Promise<() => void> {
  const { core, log } = setting;
  const quickstart = quickstartOf(setting);
  await quickstart.prepare();
  return core.store.bus.subscribe(TOPIC.persistentLive, (message) => {
    if ((message as { ownerId?: unknown }).ownerId !== quickstart.pageId) return;
    quickstart.write().catch((error: unknown) => log.warn({ error }, 'quickstart.json could not be written again'));
  });
}

function quickstartOf({ core, feedAccess, dataDir, urls, ports }: QuickstartSetting): Quickstart {
  const { store, clock, ids, engine } = core;
  const admin = { store, clock, ids };
  return new Quickstart({
    ...admin,
    broadcasts: engine.service,
    dataDir,
    urls,
    ports,
    isEmpty: async () => (await listOwners(admin, { limit: 1 })).owners.length === 0,
    createOwner: async (owner) => (await createOwner(admin, owner)).id,
    issueToken: async (ownerId) => (await issueToken(admin, { ownerId, label: 'quickstart' })).token,
    tokenWorks: (token, ownerId) => tokenWorks(store, token, ownerId),
    dockUrl: async (liveVideoId) => {
      const live = await store.objects.get<LiveVideoData>(liveVideoId);
      if (live === undefined) return urls.dashboardUrl;
      return `${urls.httpUrl}/dock/#${live.id}.${(await feedAccess.issueLink(live)).token}`;
    },
  });
}

async function tokenWorks(store: Store, token: string, ownerId: string): Promise<boolean> {
  const id = await store.objects.resolveAlias(ALIAS.token(createHash('sha256').update(token).digest('hex')));
  const found = id === undefined ? undefined : await store.objects.get<TokenData>(id);
  return found !== undefined && found.data.ownerId === ownerId && found.data.revokedMs === undefined;
}
