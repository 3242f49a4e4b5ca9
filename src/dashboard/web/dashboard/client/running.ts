/** The broadcasts on air that a token reads, and the feed that follows them. */
import { useEffect, useState } from 'react';
import type { FeedConnection } from '../../shared/feed-connection.js';
import { EMPTY_FEED, type FeedState } from '../../shared/feed-state.js';
import { Value } from '../../shared/value.js';
import { useAnswer } from './queries.js';
import { useSession } from './session.js';

export interface Running {
  readonly broadcasts: readonly string[];
  readonly more: boolean;
}

const REFRESH_MS = 10_000;
const NONE = new Value<FeedState>(EMPTY_FEED);

/** The running broadcasts of the whole server, for a token that reads all of them. `fault`: why they could not be read. */
export function useRunning(): { readonly running: Running | undefined; readonly fault: string } {
  const { api } = useSession();
  const { answer, fault } = useAnswer<Running>(api, '/dashboard/data/running', {}, { everyMs: REFRESH_MS });
  return { running: answer, fault };
}

/** One subscription for the broadcasts that run; a new one when their list changes. */
export function useFeedOf(ids: readonly string[]): Value<FeedState> {
  const { follow } = useSession();
  const [feed, setFeed] = useState<FeedConnection>();
  const key = [...ids].sort().join(' ');
  useEffect(() => {
    if (key === '') return setFeed(undefined);
    const made = follow(key.split(' '));
    made.start();
    setFeed(made);
    return () => made.stop();
  }, [key, follow]);
  return feed?.feed ?? NONE;
}
