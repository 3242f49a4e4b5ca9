/** What `/readyz` says: whether streams can be taken now. `/healthz` says that the process answers, and nothing else. */
import { withTimeout } from '../../lib/timeout.js';
import type { Store } from '../../ports/index.js';

/** Longer than a store that works takes, shorter than whoever asks waits. */
const STORE_MS = 900;

export interface ReadinessDeps {
  readonly store: Pick<Store, 'ping'>;
  /** Processes that listen for streams now. */
  readonly receiving: () => number;
}

export async function readiness({ store, receiving }: ReadinessDeps) {
  const checks = {
    store: await wordOf(store),
    ingest: receiving() > 0 ? 'ok' : 'no ingest process listens',
  };
  return { ready: Object.values(checks).every((word) => word === 'ok'), checks };
}

async function wordOf(store: ReadinessDeps['store']): Promise<string> {
  const answered = store.ping().then(
    () => 'ok',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return withTimeout(answered, STORE_MS, () => 'the store does not answer');
}
