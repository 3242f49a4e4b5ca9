/** Runs the quickstart in a server: it creates objects through the same ports as the HTTP interface. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedAccess } from '../../api/access/feed-access.js';
import { type SignInCodes, signInLink } from '../../api/access/sign-in-codes.js';
import { type IssueDeps, issueToken } from '../../api/access/token-issue.js';
import { createOwner, listOwners } from '../../api/admin/owners.js';
import type { PublicUrls } from '../../config/public-urls.js';
import type { LiveVideoData, TokenData } from '../../lifecycle/documents.js';
import {
  ALIAS,
  type Broadcasts,
  type Clock,
  type IdSource,
  LEASE,
  type Log,
  type Store,
  type StoredObject,
  TOPIC,
  type TokenWatch,
} from '../../ports/index.js';
import { ServiceError } from '../../spec/service-errors.js';
import { Quickstart } from './quickstart.js';

/** Lifetime of the token, equal to that of one from the command line. */
const TOKEN_MS = 90 * 86_400_000;
/** A start replaces a token that ends sooner. */
const RENEW_MS = 30 * 86_400_000;
/** A link to the dock page is valid for a day. */
const RENEW_DOCK_MS = 12 * 3_600_000;
/** HTTP status where the limit of links is reached. */
const TOO_MANY = 429;

export interface QuickstartSetting {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly broadcasts: Broadcasts;
  readonly access: { readonly feedAccess: FeedAccess; readonly codes: SignInCodes };
  readonly dataDir: string;
  readonly urls: PublicUrls;
  readonly ports: { readonly rtmpsPort: number; readonly httpPort: number };
  readonly log: Log;
}

/** Prepares the quickstart and follows the persistent key; resolves with the function that stops following. */
export async function runQuickstart(setting: QuickstartSetting): Promise<() => void> {
  const { store, log } = setting;
  const quickstart = quickstartOf(setting);
  await alone(setting, () => quickstart.prepare());
  return store.bus.subscribe(TOPIC.persistentLive, (message) => {
    if ((message as { ownerId?: unknown }).ownerId !== quickstart.pageId) return;
    quickstart.write().catch((error: unknown) => log.warn({ error }, 'quickstart.json could not be written again'));
  });
}

const ALONE = { leaseMs: 5_000, againMs: 100 } as const;

/** One of the servers that start at once on an empty store makes the objects, and the others find them. */
async function alone({ store, ids }: QuickstartSetting, act: () => Promise<void>): Promise<void> {
  const isMade = (await store.objects.resolveAlias(ALIAS.quickstart)) !== undefined;
  const holder = ids.next();
  const take = () => store.leases.acquire(LEASE.quickstart, holder, ALONE.leaseMs);
  let lease = isMade ? undefined : await take();
  for (let waitedMs = 0; !isMade && lease === undefined && waitedMs < ALONE.leaseMs; waitedMs += ALONE.againMs) {
    await sleep(ALONE.againMs);
    lease = await take();
  }
  try {
    await act();
  } finally {
    if (lease !== undefined) await store.leases.release(lease);
  }
}

function quickstartOf({ store, clock, ids, broadcasts, access, dataDir, urls, ports }: QuickstartSetting): Quickstart {
  const { feedAccess, codes } = access;
  const admin = { store, clock, ids };
  return new Quickstart({
    ...admin,
    broadcasts,
    dataDir,
    urls,
    ports,
    isEmpty: async () => (await listOwners(admin, { limit: 1 })).owners.length === 0,
    createOwner: async (owner) => (await createOwner(admin, owner)).id,
    issueToken: (ownerId) => issueQuickstartToken(admin, ownerId),
    tokenWorks: (token, ownerId) => tokenWorks({ store, clock, tokens: feedAccess }, token, ownerId),
    signInUrl: (userId) => signInLink(urls.dashboardUrl, codes.issue({ ownerId: userId, readsAll: true })),
    dockUrl: async (liveVideoId, earlier) => {
      const live = await store.objects.get<LiveVideoData>(liveVideoId);
      if (live === undefined) return urls.dashboardUrl;
      const [, before] = earlier?.split(`/dock/#${live.id}.`) ?? [];
      const token = await dockToken({ store, clock, access: feedAccess }, live, before);
      return token === undefined ? undefined : `${urls.httpUrl}/dock/#${live.id}.${token}`;
    },
  });
}

export async function issueQuickstartToken(deps: IssueDeps, ownerId: string): Promise<string> {
  const expiresMs = deps.clock.wallMs() + TOKEN_MS;
  return (await issueToken(deps, { ownerId, label: 'quickstart', expiresMs })).token;
}

interface DockDeps {
  readonly store: Pick<Store, 'objects'>;
  readonly clock: Clock;
  readonly access: Pick<FeedAccess, 'issueLink' | 'isValid'>;
}

/** The token of the link of an earlier start, or a new one; undefined when the broadcast has no room for another link. */
export async function dockToken(
  { store, clock, access }: DockDeps,
  live: StoredObject<LiveVideoData>,
  earlier: string | undefined,
): Promise<string | undefined> {
  const deps = { store, clock, tokens: access };
  if (earlier !== undefined && (await tokenWorks(deps, earlier, live.data.ownerId, RENEW_DOCK_MS))) return earlier;
  try {
    return (await access.issueLink(live, { withEncoderSetup: true })).token;
  } catch (error) {
    if (error instanceof ServiceError && error.shape.status === TOO_MANY) return undefined;
    throw error;
  }
}

interface TokenDeps {
  readonly store: Pick<Store, 'objects'>;
  readonly clock: Clock;
  readonly tokens: Pick<TokenWatch, 'isValid'>;
}

/** Whether the token is the owner's, valid with all tokens above it, and not about to expire. */
export async function tokenWorks(
  { store, clock, tokens }: TokenDeps,
  token: string,
  ownerId: string,
  renewMs = RENEW_MS,
): Promise<boolean> {
  const id = await store.objects.resolveAlias(ALIAS.token(createHash('sha256').update(token).digest('hex')));
  const found = id === undefined ? undefined : await store.objects.get<TokenData>(id);
  if (found === undefined || found.data.ownerId !== ownerId) return false;
  const { expiresMs } = found.data;
  if (expiresMs !== undefined && expiresMs - clock.wallMs() < renewMs) return false;
  return tokens.isValid(found.id);
}
