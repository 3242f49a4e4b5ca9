/** A broadcast in the list. It is drawn again when it changes, whatever happens to others. */

import { useQuery } from '@tanstack/react-query';
import { type JSX, memo, useEffect, useRef, useState } from 'react';
import { isOver } from '../../../../lifecycle/lifecycle.js';
import { isOnAir } from '../../../view/broadcast-group.js';
import type { BroadcastView, HealthView } from '../../../view/protocol.js';
import { type BroadcastState, EMPTY_BROADCAST } from '../../shared/feed-state.js';
import { dateTime, duration, kbps, number } from '../../shared/format.js';
import { onAirOf } from '../../shared/inputs.js';
import { useNow, useSelected } from '../../shared/value.js';
import { openCounts, totalText } from '../../shared/verdicts.js';
import { Badge } from '../../ui/callout.js';
import { classes, MUTED } from '../../ui/classes.js';
import { ForwardsBadge } from '../../ui/forwards-badge.js';
import { linkTo } from '../client/route.js';
import { useSession } from '../client/session.js';
import { NoPicture, Still } from '../client/still.js';
import { OpenBadges, BroadcastState as StateOf } from '../client/ui.js';
import type { Member } from './listed.js';
import { RowMenu } from './row-menu.js';

export const BroadcastRow = memo(function BroadcastRow({ id, view }: Member): JSX.Element | null {
  const { feed } = useSession();
  const held = useSelected(feed.feed, ({ broadcasts }) => broadcasts.get(id));
  const shown = held?.view ?? view;
  return shown === undefined ? null : <Row {...(held?.view === undefined ? EMPTY_BROADCAST : held)} view={shown} />;
});

const PICTURE =
  'aspect-video w-24 rounded-sm max-sm:w-16 max-lg:col-span-1! max-lg:col-start-1! max-lg:row-span-5 max-lg:self-start';

function Row({ view, records, health }: BroadcastState & { readonly view: BroadcastView }): JSX.Element {
  const { errors, warnings } = openCounts(records.values(), onAirOf(health));
  const onAir = isOnAir(view);
  const edge = errors > 0 ? 'border-l-fail' : warnings > 0 ? 'border-l-warn' : 'border-l-transparent';
  return (
    <li className="relative">
      <a
        href={linkTo.broadcast(view.id)}
        className={classes(
          'grid grid-cols-[96px_auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1 border-l-4 px-4 py-3 text-ink no-underline hover:bg-ground focus-visible:-outline-offset-2 max-sm:grid-cols-[64px_auto_minmax(0,1fr)] max-sm:gap-x-3 max-sm:px-3 lg:pr-16',
          'max-lg:*:col-span-2 max-lg:*:col-start-2 lg:grid-cols-[96px_204px_minmax(120px,1fr)_minmax(0,206px)_140px_156px]',
          edge,
        )}
      >
        {onAir && view.stream_state === 'connected' ? (
          <Still id={view.id} alt="" isSmall className={PICTURE} />
        ) : isOver(view) ? (
          <Thumbnail videoId={view.video_id} version={view.status} />
        ) : (
          <NoPicture className={PICTURE} />
        )}
        <span className="min-w-0 max-lg:order-1 max-lg:col-span-1!">
          <StateOf view={view} />
        </span>
        <span className="min-w-0 font-semibold max-lg:pr-12">
          <span dir="auto" className="line-clamp-2">
            {view.title ?? 'Untitled'}
          </span>
          <small className="block">
            <bdi>{view.from.name ?? view.from.id}</bdi> · {view.id}
          </small>
        </span>
        {onAir && health !== undefined ? <Values health={health} /> : <span className="max-lg:hidden" />}
        <span className="min-w-0 max-lg:order-1 max-lg:col-span-1! max-lg:col-start-3! max-sm:col-span-2! max-sm:col-start-2! max-lg:empty:hidden">
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
      <span className="absolute right-3 top-1/2 -translate-y-1/2 max-lg:top-8">
        <RowMenu view={view} />
      </span>
    </li>
  );
}

/** Rows that are scrolled past ask for nothing. */
const SEEN_MS = 250;
const PICTURE_KEPT_MS = 3_600_000;

/** The thumbnail of the recording. `version`: a recording is ready some time after the end. */
function Thumbnail({ videoId, version }: { videoId: string; version: string }): JSX.Element {
  const { api } = useSession();
  const box = useRef<HTMLSpanElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const picture = box.current;
    const rows = picture?.closest('ul');
    if (picture === null || rows === null || rows === undefined || isSeen) return;
    if (!CSS.supports('content-visibility', 'auto')) return setSeen(true);
    let timer: number | undefined;
    // A browser would look at an observer of each row in each frame.
    const look = (): void => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        if (picture.checkVisibility({ contentVisibilityAuto: true })) setSeen(true);
      }, SEEN_MS);
    };
    rows.addEventListener('contentvisibilityautostatechange', look);
    // The rows may have been laid out before: no event comes for a row that is added to them.
    look();
    return () => {
      window.clearTimeout(timer);
      rows.removeEventListener('contentvisibilityautostatechange', look);
    };
  }, [isSeen]);
  const { data } = useQuery({
    queryKey: ['thumbnail', videoId, version],
    queryFn: ({ signal }) => api.get<{ picture?: string }>(`/${videoId}`, { fields: 'picture' }, signal),
    enabled: isSeen,
    staleTime: PICTURE_KEPT_MS,
    // A video that was deleted, or is not for this token, has none.
    retry: false,
  });
  return (
    <span ref={box} className={classes('block overflow-hidden', PICTURE)}>
      {data?.picture === undefined ? (
        <NoPicture className="size-full" />
      ) : (
        <img src={data.picture} alt="" loading="lazy" decoding="async" className="size-full bg-black object-contain" />
      )}
    </span>
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
  return <span className={MUTED}>{parts.join(' · ')}</span>;
}

const WHEN = `${MUTED} max-lg:order-1 lg:text-right`;

function When({ view, onAir }: { view: BroadcastView; onAir: boolean }): JSX.Element {
  const since = view.status === 'LIVE' ? view.broadcast_start_time : onAir ? view.stream_since : undefined;
  if (since !== undefined) return <Running sinceMs={Date.parse(since)} />;
  const { broadcast_start_time: start, end_time: end } = view;
  const at = end ?? view.planned_start_time ?? view.creation_time;
  return (
    <span className={WHEN}>
      <time dateTime={new Date(at).toISOString()}>{dateTime(Date.parse(at))}</time>
      {start === undefined || end === undefined ? null : (
        <span className="block max-lg:inline"> {duration(Date.parse(end) - Date.parse(start))}</span>
      )}
    </span>
  );
}

function Running({ sinceMs }: { sinceMs: number }): JSX.Element {
  return <time className={WHEN}>{duration(useNow(1_000) - sinceMs)}</time>;
}
