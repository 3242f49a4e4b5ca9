/** For the operator: all running broadcasts of the server, the worst first, and the state of the server itself. */
import type { JSX } from 'react';
import { useSelected } from '../../shared/value.js';
import { worstFirst } from '../../shared/worst-first.js';
import { Callout, Fault } from '../../ui/callout.js';
import { Empty, Loading } from '../../ui/card.js';
import { type Running, useFeedOf, useRunning } from '../client/running.js';
import { RunningTile } from './running-tile.js';
import { ServerCard } from './server-card.js';
import { ServerCharts } from './server-charts.js';
import { WallButton } from './wall-button.js';

export function OverviewPage(): JSX.Element {
  const { running, fault } = useRunning();
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-4">
        <h1 className="mr-auto">Server</h1>
        <WallButton />
      </div>
      {fault === '' ? null : <Fault message={fault} />}
      <ServerCard />
      {running === undefined ? (
        fault === '' ? (
          <Loading what="Loading the running broadcasts" />
        ) : null
      ) : (
        <RunningBroadcasts {...running} />
      )}
      <div className="mt-5">
        <ServerCharts />
      </div>
    </>
  );
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
