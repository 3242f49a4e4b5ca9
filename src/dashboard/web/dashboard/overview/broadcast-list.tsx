/** All broadcasts of the token's owners, those on air first and the worst of them on top; filtered and searched on the server. */
import { type JSX, useEffect, useRef, useState } from 'react';
import type { BroadcastCounts, BroadcastFilter, BroadcastGroup } from '../../../view/broadcast-group.js';
import { number, plural } from '../../shared/format.js';
import { badness } from '../../shared/worst-first.js';
import { Button } from '../../ui/button.js';
import { Fault } from '../../ui/callout.js';
import { Empty, Loading } from '../../ui/card.js';
import { buttonClass, FIELD } from '../../ui/classes.js';
import { Select } from '../../ui/select.js';
import { hasPlace, type ListQuery, linkTo, listQuery, showListQuery, usePlace } from '../client/route.js';
import { useSession } from '../client/session.js';
import { BroadcastRow } from './broadcast-row.js';
import { type Listed, type Member, useListed } from './listed.js';
import { WallButton } from './wall-button.js';

const FILTERS: Readonly<Record<BroadcastFilter, string>> = {
  all: 'All',
  air: 'On air',
  errors: 'With open errors',
  waiting: 'Waiting',
  ended: 'Ended',
};

const TITLES: Readonly<Record<BroadcastGroup, string>> = { air: 'On air', waiting: 'Waiting', ended: 'Ended' };
/** Without a stream for longer, a broadcast that waits is probably forgotten. */
const LONG_AGO_MS = 7 * 24 * 3_600_000;
/** A list that is read at a glance needs no filter. */
const SHORT_LIST = 5;

export function BroadcastList(): JSX.Element {
  const [query, setQuery] = useState(listQuery);
  const isFiltered = query.filter !== 'all' || query.search.trim() !== '';
  // Without a filter, older broadcasts are read when the end of the list is in sight.
  const [isAtEnd, setAtEnd] = useState(hasPlace);
  const listed = useListed(query, isFiltered || isAtEnd);
  usePlace();
  const change = (changed: Partial<ListQuery>): void => {
    const next = { ...query, ...changed };
    setQuery(next);
    showListQuery(next);
  };
  const { groups, synced, known, older } = listed;
  const counts = query.filter === 'errors' ? undefined : listed.counts;
  const isEmpty = groups.air.length + groups.waiting.length + groups.ended.length === 0;
  return (
    <>
      <ListHead listed={listed} query={query} change={change} isFiltered={isFiltered} />
      {!isEmpty || (older !== undefined && (older.busy || older.fault !== '')) ? null : known === 0 ? (
        synced ? (
          <Empty title="No broadcasts yet">
            <p>Create one to get a stream URL and key for your encoder.</p>
          </Empty>
        ) : (
          <Loading what="Loading broadcasts" />
        )
      ) : (
        <Empty title="No matches">
          <p>
            {query.search === ''
              ? 'No broadcast passes this filter.'
              : `No broadcast has “${query.search}” in its title, owner or ID.`}
          </p>
        </Empty>
      )}
      <Group title={TITLES.air} members={groups.air} count={counts?.air} />
      <Waiting members={groups.waiting} count={counts?.waiting} />
      <Group title={TITLES.ended} members={groups.ended} count={counts?.ended} />
      {older === undefined ? null : (
        <End
          older={older}
          isAsked={isFiltered || isAtEnd}
          onSight={() => (isFiltered || isAtEnd ? older.more?.() : setAtEnd(true))}
        />
      )}
    </>
  );
}

function ListHead(props: {
  listed: Listed;
  query: ListQuery;
  change: (changed: Partial<ListQuery>) => void;
  isFiltered: boolean;
}): JSX.Element {
  const { listed, query, change, isFiltered } = props;
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
      <h1 className="mr-auto">Broadcasts</h1>
      {listed.known > SHORT_LIST || isFiltered ? (
        <>
          <Select
            label="Shown broadcasts"
            value={query.filter}
            titles={withCounts(listed.counts)}
            onChange={(filter) => change({ filter })}
          />
          <input
            type="search"
            className={`${FIELD} w-60`}
            placeholder="Find by title, owner or ID"
            aria-label="Find broadcasts by title, owner or ID"
            dir="auto"
            value={query.search}
            onChange={(event) => change({ search: event.currentTarget.value })}
          />
        </>
      ) : null}
      {listed.known > 0 ? <WallButton /> : null}
      <a className={buttonClass('main')} href={linkTo.new}>
        New broadcast
      </a>
    </div>
  );
}

function withCounts(counts: BroadcastCounts | undefined): Readonly<Record<BroadcastFilter, string>> {
  if (counts === undefined) return FILTERS;
  const more = counts.partial === true ? '+' : '';
  const titles = Object.entries(FILTERS) as [BroadcastFilter, string][];
  return Object.fromEntries(
    titles.map(([filter, title]) => [filter, `${title} (${number(counts[filter])}${more})`]),
  ) as Record<BroadcastFilter, string>;
}

interface GroupProps {
  readonly members: readonly Member[];
  /** Size of the whole group, of which older members may not be read yet. */
  readonly count: number | undefined;
}

function Group({ title, members, count = members.length }: GroupProps & { title: string }): JSX.Element | null {
  if (members.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className="mb-2 mt-5 text-sm text-muted">
        {title} <span className="font-normal">{number(count)}</span>
      </h2>
      <Rows members={members} />
    </section>
  );
}

const CHUNK_ROWS = 20;
/** Laid out only near the screen. A browser looks at each such element in each frame: at chunks, not at thousands of rows. */
const CHUNK =
  'divide-y divide-line [contain-intrinsic-size:auto_1580px] [content-visibility:auto] max-lg:[contain-intrinsic-size:auto_2600px]';

/** Known by their place, so that a new broadcast on top moves one row of each chunk and not all. */
function chunksOf(members: readonly Member[]): readonly { readonly at: number; readonly rows: readonly Member[] }[] {
  const count = Math.ceil(members.length / CHUNK_ROWS);
  return Array.from({ length: count }, (_, index) => {
    const at = index * CHUNK_ROWS;
    return { at, rows: members.slice(at, at + CHUNK_ROWS) };
  });
}

function Rows({ members }: { members: readonly Member[] }): JSX.Element {
  return (
    <div className="divide-y divide-line overflow-clip rounded-lg border border-line bg-card">
      {chunksOf(members).map(({ at, rows }) => (
        <ul key={at} className={CHUNK}>
          {rows.map((member) => (
            <BroadcastRow key={member.id} {...member} />
          ))}
        </ul>
      ))}
    </div>
  );
}

/** Those of long ago are folded away. */
function Waiting({ members, count }: GroupProps): JSX.Element | null {
  const { feed } = useSession();
  const [isOpen, setOpen] = useState(false);
  const [openedMs] = useState(() => Date.now());
  const isOld = ({ id, view: read }: Member): boolean => {
    const held = feed.feed.get().broadcasts.get(id);
    const view = held?.view ?? read;
    if (held !== undefined && badness(held) > 0) return false;
    const at = view?.planned_start_time ?? view?.stream_since ?? view?.creation_time;
    return at !== undefined && openedMs - Date.parse(at) > LONG_AGO_MS;
  };
  const old = members.filter(isOld);
  return (
    <>
      <Group
        title={TITLES.waiting}
        members={members.filter((member) => !isOld(member))}
        count={old.length === 0 ? count : undefined}
      />
      {old.length === 0 ? null : (
        <details className="mt-5" onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className="mb-2 cursor-pointer text-sm text-muted">
            {plural(old.length, 'broadcast')} waiting for more than a week
          </summary>
          {isOpen ? <Rows members={old} /> : null}
        </details>
      )}
    </>
  );
}

/** Reads on when it comes into sight. */
function End(props: { older: NonNullable<Listed['older']>; isAsked: boolean; onSight: () => void }): JSX.Element {
  const { older, isAsked, onSight } = props;
  const box = useRef<HTMLDivElement>(null);
  const act = useRef(onSight);
  act.current = onSight;
  const { fault, busy, more, reload, rows } = older;
  const mayRead = !isAsked || (!busy && fault === '' && more !== undefined);
  useEffect(() => {
    const element = box.current;
    if (element === null || !mayRead) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.at(-1)?.isIntersecting === true) act.current();
      },
      { rootMargin: '600px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [mayRead]);
  return (
    <div ref={box} className="mt-5 text-center">
      {fault === '' || !isAsked ? null : <Fault message={fault} retry={reload} />}
      {isAsked && busy ? (
        <Loading what="Loading older broadcasts" />
      ) : isAsked && rows !== undefined && more === undefined ? (
        <span className="text-sm text-muted" role="status">
          End of the list.
        </span>
      ) : (
        <Button onClick={onSight}>Show older broadcasts</Button>
      )}
    </div>
  );
}
