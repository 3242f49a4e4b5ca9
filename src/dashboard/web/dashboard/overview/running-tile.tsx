/** A running broadcast among hundreds: still, state, open errors and what is sent. */
import { type JSX, memo, type RefObject, useEffect, useRef, useState } from 'react';
import type { HealthView } from '../../../view/protocol.js';
import type { FeedState } from '../../shared/feed-state.js';
import { kbps, number } from '../../shared/format.js';
import { onAirOf } from '../../shared/inputs.js';
import { useSelected, type Value } from '../../shared/value.js';
import { openCounts } from '../../shared/verdicts.js';
import { Badge } from '../../ui/callout.js';
import { classes, MUTED } from '../../ui/classes.js';
import { ForwardsBadge } from '../../ui/forwards-badge.js';
import { linkTo } from '../client/route.js';
import { Still } from '../client/still.js';
import { OpenBadges, BroadcastState as StateOf } from '../client/ui.js';

interface TileProps {
  readonly id: string;
  readonly feed: Value<FeedState>;
}

/** Laid out only near the screen. */
export const RunningTile = memo(function RunningTile({ id, feed }: TileProps): JSX.Element | null {
  const view = useSelected(feed, ({ broadcasts }) => broadcasts.get(id)?.view);
  const records = useSelected(feed, ({ broadcasts }) => broadcasts.get(id)?.records);
  const isJudged = useSelected(feed, ({ broadcasts }) => broadcasts.get(id)?.health !== undefined);
  const onAir = useSelected(feed, ({ broadcasts }) => onAirOf(broadcasts.get(id)?.health));
  if (view === undefined) return null;
  const { errors, warnings } = openCounts(records?.values() ?? [], onAir);
  const edge = errors > 0 ? 'border-fail' : warnings > 0 ? 'border-warn' : 'border-line';
  return (
    <li className="[contain-intrinsic-size:auto_240px] [content-visibility:auto]">
      <a
        href={linkTo.broadcast(id)}
        className={classes('block overflow-hidden rounded-lg border-2 bg-card text-ink no-underline', edge)}
      >
        <Still id={id} alt="" className="aspect-video" />
        <div className="flex flex-col gap-1 px-3 py-2.5">
          <span className="flex flex-wrap items-center justify-between gap-2">
            <StateOf view={view} />
            {errors + warnings > 0 ? (
              <OpenBadges errors={errors} warnings={warnings} />
            ) : isJudged ? (
              <Badge tone="pass">OK</Badge>
            ) : null}
            <ForwardsBadge forwards={view.forwards} />
          </span>
          <span dir="auto" className="truncate font-semibold">
            {view.title ?? 'Untitled'}
          </span>
          <span className={classes(MUTED, 'truncate')}>{view.from.name ?? view.from.id}</span>
          <Sent id={id} feed={feed} />
        </div>
      </a>
    </li>
  );
});

/** Twice a second a new value: followed only while it is on the screen. */
function Sent({ id, feed }: TileProps): JSX.Element {
  const box = useRef<HTMLSpanElement>(null);
  const isSeen = useIsSeen(box);
  const text = useSelected(feed, ({ broadcasts }) => (isSeen ? textOf(broadcasts.get(id)?.health) : ''));
  return (
    <span ref={box} className={classes(MUTED, 'min-h-[1.5em]')}>
      {text}
    </span>
  );
}

function useIsSeen(box: RefObject<HTMLElement | null>): boolean {
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new IntersectionObserver((entries) => setIsSeen(entries.at(-1)?.isIntersecting === true));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return isSeen;
}

function textOf(health: HealthView | undefined): string {
  if (health?.video_bitrate_kbps === undefined) return '–';
  return `${health.height}p · ${number(health.frame_rate ?? 0, 0)} fps · ${kbps(health.video_bitrate_kbps)}`;
}
