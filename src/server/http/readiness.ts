/** The response of `/readyz`: whether each part of the server works. `/healthz` shows only that the server runs. */
import { withTimeout } from '../../lib/timeout.js';
import type { Store } from '../../ports/index.js';

/** Longer than a working store needs, shorter than the timeout of a probe. */
const STORE_MS = 900;

export interface ReadinessDeps {
  readonly store: Pick<Store, 'ping'>;
  /** Ready processes of each role; `idle`: none runs, since nothing needs one. */
  readonly processes: () => { readonly ingest: number; readonly media: number | 'idle' };
  readonly isDraining: () => boolean;
}

export async function readiness({ store, processes, isDraining }: ReadinessDeps) {
  const { ingest, media } = processes();
  const checks = {
    store: await stateOf(store),
    ingest: isDraining() ? 'draining' : ingest > 0 ? 'ok' : 'no ingest process runs',
    media: mediaState(media),
    web: 'ok',
  };
  // Without the media process, jobs wait; ingest and HTTP work.
  return { ready: checks.store === 'ok' && checks.ingest === 'ok', checks };
}

function mediaState(processes: number | 'idle'): string {
  if (processes === 'idle') return 'idle';
  return processes > 0 ? 'ok' : 'no media process runs';
}

async function stateOf(store: ReadinessDeps['store']): Promise<string> {
  const answered = store.ping().then(
    () => 'ok',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return withTimeout(answered, STORE_MS, () => 'the store does not answer');
}
