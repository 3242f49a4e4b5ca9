/** For the operator: all running broadcasts of the server, the worst first, and the state of the server itself. */
import { type JSX, useEffect, useState } from 'react';
import { FeedConnection } from '../../shared/feed-connection.js';
import { type BroadcastState, EMPTY_FEED, type FeedState } from '../../shared/feed-state.js';
import { useSelected, Value } from '../../shared/value.js';
import { openCounts } from '../../shared/verdicts.js';
import { Callout, Fault } from '../../ui/callout.js';
import { Empty, Loading } from '../../ui/card.js';
import { messageOf } from '../client/api.js';
import { useSession } from '../client/session.js';
import { RunningTile } from './running-tile.js';
import { ServerCard } from './server-card.js';

interface Running {
  readonly broadcasts: readonly string[];
  readonly more: boolean;
}

const REFRESH_MS = 10_000;
const NONE = new Value<FeedState>(EMPTY_FEED);

export function OverviewPage(): JSX.Element {
  const { api } = useSession();
  const [running, setRunning] = useState<Running>();
  const [fault, setFault] = useState('');
  useEffect(() => {
    const load = (): void => {
      api.get<Running>('/dashboard/data/running').then(
        (found) => {
          setRunning(found);
          setFault('');
        },
        (error: unknown) => setFault(messageOf(error)),
      );
    };
    load();
    const timer = window.setInterval(load, REFRESH_MS);
    return () => window.clearInterval(timer);
  }, [api]);
  return (
    <>
      <h1 className="mb-4">Server</h1>
      {fault === '' ? null : <Fault message={fault} />}
      <ServerCard />
      {running === undefined ? (
        fault === '' ? (
          <Loading what="Loading the running broadcasts" />
        ) : null
      ) : (
        <RunningBroadcasts {...running} />
      )}
    </>
  );
}

/** One subscription for the broadcasts that run; a new one when their list changes. */
function useFeedOf(ids: readonly string[]): Value<FeedState> {
  const { token } = useSession();
  const [feed, setFeed] = useState<FeedConnection>();
  const key = [...ids].sort().join(' ');
  useEffect(() => {
    if (key === '') return setFeed(undefined);
    const made = new FeedConnection({ token, broadcasts: key.split(' ') });
    made.start();
    setFeed(made);
    return () => made.stop();
  }, [key, token]);
  return feed?.feed ?? NONE;
}

/** Drawn again only when the order changes; each tile reads its own broadcast, since hundreds change twice a second. */
function RunningBroadcasts({ broadcasts: ids, more }: Running): JSX.Element {
  const feed = useFeedOf(ids);
  const order = useSelected(feed, (state) => worstFirst(state, ids).join(' '));
  return (
    <section aria-label="Running broadcasts">
      <h2 className="mb-2 mt-5 text-sm text-muted">
        Running <span className="font-normal">{ids.length}</span>
      </h2>
      {more ? <Callout tone="quiet">The first {ids.length} are shown; more are running.</Callout> : null}
      {ids.length === 0 ? (
        <Empty title="No broadcast is running">
          <p>A broadcast appears here as soon as its encoder connects.</p>
        </Empty>
      ) : null}
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(220px,1fr))] gap-4">
        {order.split(' ').map((id) => (id === '' ? null : <RunningTile key={id} id={id} feed={feed} />))}
      </ul>
    </section>
  );
}

function worstFirst({ broadcasts }: FeedState, ids: readonly string[]): readonly string[] {
  return ids
    .flatMap((id) => {
      const held = broadcasts.get(id);
      return held?.view === undefined ? [] : [{ id, badness: badness(held) }];
    })
    .sort((a, b) => b.badness - a.badness || Number(a.id) - Number(b.id))
    .map(({ id }) => id);
}

function badness({ records }: BroadcastState): number {
  const { errors, warnings } = openCounts(records.values());
  return errors * 1_000 + warnings;
}
