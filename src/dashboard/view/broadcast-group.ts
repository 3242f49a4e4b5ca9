/** Groups of broadcasts, for the server that filters them and the pages that show them. Pure. */
import { isOver } from '../../lifecycle/lifecycle.js';
import type { BroadcastView } from './protocol.js';

type State = Pick<BroadcastView, 'status' | 'stream_state'>;

export function isOnAir(view: State): boolean {
  return view.status === 'LIVE' || (view.stream_state === 'connected' && !isOver(view));
}

export type BroadcastGroup = 'air' | 'waiting' | 'ended';

export function groupOf(view: State): BroadcastGroup {
  if (isOnAir(view)) return 'air';
  return isOver(view) ? 'ended' : 'waiting';
}

/** `errors`: with open records. */
export type BroadcastFilter = 'all' | BroadcastGroup | 'errors';

export const BROADCAST_FILTERS: readonly BroadcastFilter[] = ['all', 'air', 'errors', 'waiting', 'ended'];

export type BroadcastCounts = Readonly<Record<BroadcastFilter, number>> & {
  /** Only the newest were counted. */
  readonly partial?: true;
};
