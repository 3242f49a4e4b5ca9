/** How many watch a broadcast: read every few seconds while it is live. */
import { useEffect, useState } from 'react';
import type { BroadcastView } from '../../../view/protocol.js';
import { useSession } from '../client/session.js';

const EVERY_MS = 5_000;

/** Undefined before the first answer and while the broadcast is not live. */
export function useViewers({ id, status }: BroadcastView): number | undefined {
  const { api } = useSession();
  const [viewers, setViewers] = useState<number>();
  const isLive = status === 'LIVE';
  useEffect(() => {
    if (!isLive) return setViewers(undefined);
    const controller = new AbortController();
    const read = (): void => {
      if (document.visibilityState === 'hidden') return;
      api.get<{ readonly live_views?: number }>(`/${id}`, { fields: 'live_views' }, controller.signal).then(
        ({ live_views: count }) => setViewers(count),
        // The next turn asks again.
        () => undefined,
      );
    };
    read();
    const timer = window.setInterval(read, EVERY_MS);
    return () => {
      controller.abort();
      window.clearInterval(timer);
    };
  }, [api, id, isLive]);
  return viewers;
}
