/** Data of the operator's overview: the running broadcasts of the whole server, and its own state. */
import type { EdgeName, Store } from '../ports/index.js';
import { type Answer, notAllowed, refused } from './answer.js';
import { FEED_LIMITS } from './view/limits.js';
import type { ServerState } from './view/server-state.js';
import type { FeedViewer } from './view/viewer.js';

const RUNNING = '/dashboard/data/running';
const SERVER = '/dashboard/data/server';

export interface OverviewDeps {
  readonly store: Store;
  /** The edge of all live videos whose stream is being received, by any process. */
  readonly running: EdgeName;
  readonly serverState: () => Promise<ServerState>;
}

export const isOverviewPath = (path: string): boolean => path === RUNNING || path === SERVER;

export async function answerOverview(
  { store, running, serverState }: OverviewDeps,
  viewer: FeedViewer,
  path: string,
  method: string | undefined,
): Promise<Answer> {
  if (method !== 'GET') return notAllowed(method);
  if (viewer.readsAll !== true) return refused(403, 'Requires a token with the scope operator_read.');
  if (path === SERVER) return { status: 200, body: await serverState() };
  // The feed takes as many in one subscription.
  const { entries, hasNext } = await store.objects.page(running, { limit: FEED_LIMITS.broadcastsNamed });
  return { status: 200, body: { broadcasts: entries.map(({ member }) => member), more: hasNext } };
}
