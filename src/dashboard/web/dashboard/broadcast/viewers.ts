/** How many watch a broadcast: read every few seconds while it is live. */
import type { BroadcastView } from '../../../view/protocol.js';
import { useAnswer } from '../client/queries.js';
import { useSession } from '../client/session.js';

const EVERY_MS = 5_000;

/** Undefined before the first answer and while the broadcast is not live. */
export function useViewers({ id, status }: BroadcastView): number | undefined {
  const { api } = useSession();
  const isLive = status === 'LIVE';
  const { answer } = useAnswer<{ readonly live_views?: number }>(api, `/${id}`, FIELDS, {
    everyMs: EVERY_MS,
    isAsked: isLive,
  });
  return isLive ? answer?.live_views : undefined;
}

const FIELDS = { fields: 'live_views' };
