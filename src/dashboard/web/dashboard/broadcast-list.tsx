/** All broadcasts of the token's owners, those on air first, with observed values and open errors. */
import { type JSX, useState } from 'react';
import { FEED_LIMITS } from '../../view/limits.js';
import type { BroadcastView, HealthView } from '../../view/protocol.js';
import type { BroadcastState } from '../shared/feed-state.js';
import { dateTime, duration, kbps, number, plural } from '../shared/format.js';
import { useNow, useValue } from '../shared/value.js';
import { isOver, openCounts } from '../shared/verdicts.js';
import { OlderBroadcasts } from './older-broadcasts.js';
import { linkTo } from './route.js';
import { useSession } from './session.js';
import { Empty, Loading, OpenBadges, StatePill } from './ui.js';

type Listed = BroadcastState & { readonly view: BroadcastView };

export function BroadcastList(): JSX.Element {
  const { feed } = useSession();
  const { broadcasts, synced } = useValue(feed.feed);
  const [search, setSearch] = useState('');
  const all = [...broadcasts.values()].filter((each): each is Listed => each.view !== undefined);
  const listed = all.filter(({ view }) => matches(view, search)).sort((a, b) => Number(b.view.id) - Number(a.view.id));
  // The feed's list is full, so there may be older broadcasts.
  const isPart = synced && all.length >= FEED_LIMITS.broadcastsListed;
  const groups = [
    { title: 'On air', members: listed.filter(({ view }) => isOnAir(view)) },
    { title: 'Waiting', members: listed.filter(({ view }) => !isOnAir(view) && !isOver(view)) },
    { title: 'Ended', members: listed.filter(({ view }) => isOver(view)) },
  ];
  return (
    <>
      <div className="page-head">
        <h1>Broadcasts</h1>
        {all.length > 5 ? (
          <input
            type="search"
            placeholder="Find by title, owner or ID"
            aria-label="Find broadcasts by title, owner or ID"
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        ) : null}
        <a className="button button-main" href={linkTo.new}>
          New broadcast
        </a>
      </div>
      {all.length === 0 ? (
        synced ? (
          <Empty title="No broadcasts yet">
            <p>Create one to get a stream URL and key for your encoder.</p>
          </Empty>
        ) : (
          <Loading what="Loading broadcasts" />
        )
      ) : listed.length === 0 ? (
        <Empty title="No matches">
          <p>
            No {isPart ? 'recent broadcast' : 'broadcast'} has “{search}” in its title, owner or ID.
          </p>
        </Empty>
      ) : null}
      {groups.map((group) => (
        <Group key={group.title} {...group} />
      ))}
      {isPart ? (
        <OlderBroadcasts search={search.trim()} isHeld={(id) => broadcasts.get(id)?.view !== undefined}>
          {(views) => (
            <Group
              title="Older"
              members={views.map((view) => ({ view, records: new Map(), revision: undefined, health: undefined }))}
            />
          )}
        </OlderBroadcasts>
      ) : null}
    </>
  );
}

function Group({ title, members }: { title: string; members: readonly Listed[] }): JSX.Element | null {
  if (members.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className="group-title">{title}</h2>
      <ul className="broadcasts">
        {members.map((each) => (
          <Row key={each.view.id} {...each} />
        ))}
      </ul>
    </section>
  );
}

function isOnAir(view: BroadcastView): boolean {
  return view.status === 'LIVE' || (view.stream_state === 'connected' && !isOver(view));
}

function matches(view: BroadcastView, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [view.title ?? '', view.from.name ?? '', view.id, view.from.id].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

function Row({ view, records, health }: Listed): JSX.Element {
  const { errors, warnings } = openCounts(records.values());
  const onAir = isOnAir(view);
  return (
    <li className={errors > 0 ? 'has-errors' : warnings > 0 ? 'has-warnings' : ''}>
      <a href={linkTo.broadcast(view.id)}>
        <StatePill view={view} />
        <span className="title">
          {view.title ?? 'Untitled'}
          <small>
            {view.from.name ?? view.from.id} · {view.id}
          </small>
        </span>
        {onAir && health !== undefined ? <Values health={health} /> : <span className="values" />}
        <span className="marks">
          {errors + warnings > 0 ? (
            <OpenBadges errors={errors} warnings={warnings} />
          ) : onAir && health !== undefined ? (
            <span className="badge badge-pass">All checks pass</span>
          ) : view.errors.total > 0 ? (
            <span className="badge">{plural(view.errors.total, 'error')}</span>
          ) : null}
        </span>
        <When view={view} onAir={onAir} />
      </a>
    </li>
  );
}

function Values({ health }: { health: HealthView }): JSX.Element {
  const parts = [
    ...(health.width === undefined ? [] : [`${health.width}×${health.height}`]),
    ...(health.frame_rate === undefined ? [] : [`${number(health.frame_rate, 1)} fps`]),
    ...(health.video_bitrate_kbps === undefined ? [] : [kbps(health.video_bitrate_kbps)]),
  ];
  return <span className="values">{parts.join(' · ')}</span>;
}

function When({ view, onAir }: { view: BroadcastView; onAir: boolean }): JSX.Element {
  const nowMs = useNow(onAir ? 1_000 : 60_000);
  const since = view.status === 'LIVE' ? view.broadcast_start_time : onAir ? view.stream_since : undefined;
  if (since !== undefined) return <time className="when">{duration(nowMs - Date.parse(since))}</time>;
  const at = view.end_time ?? view.planned_start_time ?? view.creation_time;
  return (
    <time className="when" dateTime={new Date(at).toISOString()}>
      {dateTime(Date.parse(at))}
    </time>
  );
}
