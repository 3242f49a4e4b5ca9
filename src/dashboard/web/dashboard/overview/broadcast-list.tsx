/** All broadcasts of the token's owners, those on air first and the worst of them on top, with observed values. */
import { type JSX, useState } from 'react';
import { FEED_LIMITS } from '../../../view/limits.js';
import type { BroadcastView, HealthView } from '../../../view/protocol.js';
import { type BroadcastState, EMPTY_BROADCAST } from '../../shared/feed-state.js';
import { dateTime, duration, kbps, number } from '../../shared/format.js';
import { onAirOf } from '../../shared/inputs.js';
import { useNow, useValue } from '../../shared/value.js';
import { isOver, openCounts, totalText } from '../../shared/verdicts.js';
import { badness, isOnAir } from '../../shared/worst-first.js';
import { Badge } from '../../ui/callout.js';
import { Empty, Loading } from '../../ui/card.js';
import { buttonClass, classes, FIELD, MUTED } from '../../ui/classes.js';
import { ForwardsBadge } from '../../ui/forwards-badge.js';
import { Select } from '../../ui/select.js';
import { linkTo } from '../client/route.js';
import { useSession } from '../client/session.js';
import { NoPicture, Still } from '../client/still.js';
import { OpenBadges, BroadcastState as StateOf } from '../client/ui.js';
import { OlderBroadcasts } from './older-broadcasts.js';
import { WallButton } from './wall-button.js';

type Listed = BroadcastState & { readonly view: BroadcastView };

type Shown = 'all' | 'air' | 'errors' | 'ended';

const FILTERS: Readonly<Record<Shown, string>> = {
  all: 'All',
  air: 'On air',
  errors: 'With open errors',
  ended: 'Ended',
};

export function BroadcastList(): JSX.Element {
  const { feed } = useSession();
  const { broadcasts, synced } = useValue(feed.feed);
  const [search, setSearch] = useState('');
  const [shown, setShown] = useState<Shown>('all');
  const all = [...broadcasts.values()].filter((each): each is Listed => each.view !== undefined);
  const listed = all
    .filter((each) => matches(each.view, search) && passes(each, shown))
    .sort((a, b) => Number(b.view.id) - Number(a.view.id));
  // The feed's list is full, so there may be older broadcasts.
  const isPart = synced && all.length >= FEED_LIMITS.broadcastsListed;
  const groups = [
    { title: 'On air', members: listed.filter(({ view }) => isOnAir(view)).sort((a, b) => badness(b) - badness(a)) },
    { title: 'Waiting', members: listed.filter(({ view }) => !isOnAir(view) && !isOver(view)) },
    { title: 'Ended', members: listed.filter(({ view }) => isOver(view)) },
  ];
  return (
    <>
      <ListHead all={all} search={search} setSearch={setSearch} shown={shown} setShown={setShown} />
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
            {search === ''
              ? 'No broadcast passes this filter.'
              : `No ${isPart ? 'recent broadcast' : 'broadcast'} has “${search}” in its title, owner or ID.`}
          </p>
        </Empty>
      ) : null}
      {groups.map((group) => (
        <Group key={group.title} {...group} />
      ))}
      {isPart ? (
        <OlderBroadcasts search={search.trim()} isHeld={(id) => broadcasts.get(id)?.view !== undefined}>
          {(views) => <Group title="Older" members={views.map((view) => ({ ...EMPTY_BROADCAST, view }))} />}
        </OlderBroadcasts>
      ) : null}
    </>
  );
}

function ListHead(props: {
  all: readonly Listed[];
  search: string;
  setSearch: (search: string) => void;
  shown: Shown;
  setShown: (shown: Shown) => void;
}): JSX.Element {
  const { all, search, setSearch, shown, setShown } = props;
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
      <h1 className="mr-auto">Broadcasts</h1>
      {all.length > 5 ? (
        <>
          <Select label="Shown broadcasts" value={shown} titles={FILTERS} onChange={setShown} />
          <input
            type="search"
            className={`${FIELD} w-60`}
            placeholder="Find by title, owner or ID"
            aria-label="Find broadcasts by title, owner or ID"
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        </>
      ) : null}
      {all.length > 0 ? <WallButton /> : null}
      <a className={buttonClass('main')} href={linkTo.new}>
        New broadcast
      </a>
    </div>
  );
}

function Group({ title, members }: { title: string; members: readonly Listed[] }): JSX.Element | null {
  if (members.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className="mb-2 mt-5 text-sm text-muted">
        {title} <span className="font-normal">{members.length}</span>
      </h2>
      <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card">
        {members.map((each) => (
          <Row key={each.view.id} {...each} />
        ))}
      </ul>
    </section>
  );
}

function passes(each: Listed, shown: Shown): boolean {
  if (shown === 'air') return isOnAir(each.view);
  if (shown === 'ended') return isOver(each.view);
  return shown === 'all' || badness(each) > 0;
}

function matches(view: BroadcastView, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [view.title ?? '', view.from.name ?? '', view.id, view.from.id].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

function Row({ view, records, health }: Listed): JSX.Element {
  const { errors, warnings } = openCounts(records.values(), onAirOf(health));
  const onAir = isOnAir(view);
  const edge = errors > 0 ? 'border-l-fail' : warnings > 0 ? 'border-l-warn' : 'border-l-transparent';
  return (
    <li>
      <a
        href={linkTo.broadcast(view.id)}
        className={classes(
          'grid grid-cols-[96px_auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1 border-l-4 px-4 py-3 text-ink no-underline hover:bg-ground focus-visible:-outline-offset-2',
          'max-lg:*:col-span-2 max-lg:*:col-start-2 lg:grid-cols-[96px_176px_minmax(160px,1fr)_minmax(0,240px)_168px_152px]',
          edge,
        )}
      >
        {onAir && view.stream_state === 'connected' ? (
          <Still
            id={view.id}
            alt=""
            isSmall
            className="aspect-video w-24 rounded-sm max-lg:col-span-1! max-lg:col-start-1! max-lg:row-span-5 max-lg:self-start"
          />
        ) : (
          <NoPicture className="aspect-video w-24 max-lg:col-span-1! max-lg:col-start-1! max-lg:row-span-5 max-lg:self-start" />
        )}
        <span className="max-lg:order-1 max-lg:col-span-1!">
          <StateOf view={view} />
        </span>
        <span className="font-semibold">
          <span dir="auto" className="line-clamp-2">
            {view.title ?? 'Untitled'}
          </span>
          <small className="block">
            <bdi>{view.from.name ?? view.from.id}</bdi> · {view.id}
          </small>
        </span>
        {onAir && health !== undefined ? <Values health={health} /> : <span className="max-lg:hidden" />}
        <span className="max-lg:order-1 max-lg:col-span-1! max-lg:col-start-3! max-lg:empty:hidden">
          <Marks
            errors={errors}
            warnings={warnings}
            total={totalText(records, view)}
            isJudged={view.stream_state === 'connected' && health !== undefined}
          />{' '}
          <ForwardsBadge forwards={view.forwards} />
        </span>
        <When view={view} onAir={onAir} />
      </a>
    </li>
  );
}

function Marks(props: {
  errors: number;
  warnings: number;
  /** Total of an ended broadcast. */
  total: string;
  isJudged: boolean;
}): JSX.Element | null {
  const { errors, warnings, total, isJudged } = props;
  if (errors + warnings > 0) return <OpenBadges errors={errors} warnings={warnings} />;
  if (isJudged) return <Badge tone="pass">All checks pass</Badge>;
  return total === '' ? null : <Badge tone="quiet">{total}</Badge>;
}

function Values({ health }: { health: HealthView }): JSX.Element {
  const parts = [
    ...(health.width === undefined ? [] : [`${health.width}×${health.height}`]),
    ...(health.frame_rate === undefined ? [] : [`${number(health.frame_rate, 1)} fps`]),
    ...(health.video_bitrate_kbps === undefined ? [] : [kbps(health.video_bitrate_kbps)]),
  ];
  return <span className={`${MUTED}`}>{parts.join(' · ')}</span>;
}

function When({ view, onAir }: { view: BroadcastView; onAir: boolean }): JSX.Element {
  const nowMs = useNow(onAir ? 1_000 : 60_000);
  const since = view.status === 'LIVE' ? view.broadcast_start_time : onAir ? view.stream_since : undefined;
  const shape = `${MUTED} max-lg:order-1 lg:text-right`;
  if (since !== undefined) return <time className={shape}>{duration(nowMs - Date.parse(since))}</time>;
  const at = view.end_time ?? view.planned_start_time ?? view.creation_time;
  return (
    <time className={shape} dateTime={new Date(at).toISOString()}>
      {dateTime(Date.parse(at))}
    </time>
  );
}
