/** For the operator: all running broadcasts of the server, the worst first, and the state of the server itself. */
import { type JSX, memo, useDeferredValue, useEffect, useState } from 'react';
import { FeedConnection } from '../shared/feed-connection.js';
import { type BroadcastState, EMPTY_FEED, type FeedState } from '../shared/feed-state.js';
import { kbps, number } from '../shared/format.js';
import { useValue, Value } from '../shared/value.js';
import { openCounts } from '../shared/verdicts.js';
import { Badge, Callout, Fault } from '../ui/callout.js';
import { Empty, Loading } from '../ui/card.js';
import { classes, MUTED } from '../ui/classes.js';
import { messageOf } from './api.js';
import { linkTo } from './route.js';
import { ServerCard } from './server-card.js';
import { useSession } from './session.js';
import { Still } from './still.js';
import { OpenBadges, BroadcastState as StateOf } from './ui.js';

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
function useFeedOf(ids: readonly string[]): FeedState {
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
  return useValue(feed?.feed ?? NONE);
}

function RunningBroadcasts({ broadcasts: ids, more }: Running): JSX.Element {
  // Deferred: drawn in slices, so that hundreds of changes a second do not delay input or scrolling.
  const { broadcasts } = useDeferredValue(useFeedOf(ids));
  const shown = ids.flatMap((id) => broadcasts.get(id) ?? []).filter(({ view }) => view !== undefined);
  const worstFirst = [...shown].sort((a, b) => badness(b) - badness(a) || Number(a.view?.id) - Number(b.view?.id));
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
        {worstFirst.map((each) => (
          <Tile key={each.view?.id} broadcast={each} />
        ))}
      </ul>
    </section>
  );
}

function badness({ records }: BroadcastState): number {
  const { errors, warnings } = openCounts(records.values());
  return errors * 1_000 + warnings;
}

/** Drawn again only when its own broadcast changed, and laid out only near the screen: a server may have hundreds. */
const Tile = memo(function Tile({ broadcast }: { broadcast: BroadcastState }): JSX.Element | null {
  const { view, health, records } = broadcast;
  if (view === undefined) return null;
  const { errors, warnings } = openCounts(records.values());
  const edge = errors > 0 ? 'border-fail' : warnings > 0 ? 'border-warn' : 'border-line';
  return (
    <li className="[contain-intrinsic-size:auto_240px] [content-visibility:auto]">
      <a
        href={linkTo.broadcast(view.id)}
        className={classes('block overflow-hidden rounded-lg border-2 bg-card text-ink no-underline', edge)}
      >
        <Still id={view.id} alt="" className="aspect-video" />
        <div className="flex flex-col gap-1 px-3 py-2.5">
          <span className="flex flex-wrap items-center justify-between gap-2">
            <StateOf view={view} />
            {errors + warnings > 0 ? (
              <OpenBadges errors={errors} warnings={warnings} />
            ) : health === undefined ? null : (
              <Badge tone="pass">OK</Badge>
            )}
          </span>
          <span className="truncate font-semibold">{view.title ?? 'Untitled'}</span>
          <span className={classes(MUTED, 'truncate')}>{view.from.name ?? view.from.id}</span>
          <span className={MUTED}>
            {health?.video_bitrate_kbps === undefined
              ? '–'
              : `${health.height}p · ${number(health.frame_rate ?? 0, 0)} fps · ${kbps(health.video_bitrate_kbps)}`}
          </span>
        </div>
      </a>
    </li>
  );
});
