/** The recording of an ended broadcast: under it what is broken at the time, and a mark for each error that jumps there. */
import { type JSX, type ReactNode, type RefObject, useState } from 'react';
import type { BroadcastView } from '../../../view/protocol.js';
import { duration } from '../../shared/format.js';
import { LANES } from '../../shared/lanes.js';
import { brokenAt, type Moment } from '../../shared/moments.js';
import { Badge, Callout } from '../../ui/callout.js';
import { classes, FILLS_SCREEN, SCREEN } from '../../ui/classes.js';
import { type Mark, Marks, type Press } from '../charts/marks.js';
import { useAnswer } from '../client/queries.js';
import { useSession } from '../client/session.js';

interface RecordingProps {
  readonly view: BroadcastView;
  readonly video: RefObject<HTMLVideoElement | null>;
  readonly moments: readonly Moment[];
}

export function Recording({ view, video, moments }: RecordingProps): JSX.Element | null {
  const source = useSource(view);
  const [atMs, setAtMs] = useState(0);
  const [lengthMs, setLengthMs] = useState(0);
  if (source === undefined) {
    return view.status === 'PROCESSING' ? <Callout tone="quiet">The recording is being processed.</Callout> : null;
  }
  return (
    <Screen
      caption={
        <>
          <Lanes moments={moments} lengthMs={lengthMs} atMs={atMs} seek={(ms) => jumpTo(video.current, ms)} />
          <BrokenSigns moments={brokenAt(moments, atMs)} isAnnounced />
        </>
      }
    >
      {/* biome-ignore lint/a11y/useMediaCaption: captions are uploaded per video and shown where it is published */}
      <video
        ref={video}
        className={FILLS_SCREEN}
        controls
        preload="metadata"
        playsInline
        src={source}
        aria-label={`${view.title ?? 'Broadcast'}, recording`}
        onTimeUpdate={({ currentTarget }) => setAtMs(currentTarget.currentTime * 1_000)}
        onDurationChange={({ currentTarget: { duration: seconds } }) =>
          setLengthMs(Number.isFinite(seconds) ? seconds * 1_000 : 0)
        }
      />
    </Screen>
  );
}

/** Asked for again with each change of the status: the recording is made ready after the end. */
function useSource(view: BroadcastView): string | undefined {
  const { api } = useSession();
  const { video_id, status } = view;
  const fields = { fields: 'source' };
  return useAnswer<{ source?: string }>(api, `/${video_id}`, fields, { version: status }).answer?.source;
}

function jumpTo(video: HTMLVideoElement | null, ms: number): void {
  if (video !== null) video.currentTime = ms / 1_000;
}

/** A picture with a line under it: nothing stands on the picture. */
export function Screen({ caption, children }: { caption: ReactNode; children: ReactNode }): JSX.Element {
  return (
    <figure className="mb-4">
      <div className={SCREEN}>{children}</div>
      <figcaption className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1.5 pt-2 text-sm text-muted">
        {caption}
      </figcaption>
    </figure>
  );
}

/** Rules broken in the picture. `isAnnounced`: nothing else on the page says when it changes. */
export function BrokenSigns(props: {
  moments: readonly Pick<Moment, 'title' | 'severity'>[];
  isAnnounced?: boolean;
}): JSX.Element {
  return (
    <span className="flex flex-wrap gap-1.5" {...(props.isAnnounced ? { role: 'status' } : {})}>
      {props.moments.map(({ title, severity }) => (
        <Badge key={title} tone={severity === 'error' ? 'fail' : 'warn'}>
          {title}
        </Badge>
      ))}
    </span>
  );
}

/** A lane for each group that has a mark. */
function Lanes(props: {
  moments: readonly Moment[];
  lengthMs: number;
  atMs: number;
  seek: (ms: number) => void;
}): JSX.Element | null {
  const { moments, lengthMs, atMs, seek } = props;
  const shown = moments.filter(({ fromMs }) => fromMs < lengthMs).map(markOf);
  if (shown.length === 0) return null;
  const press: Press<(typeof shown)[number]> = ({ title, fromMs }, others) => ({
    name: `${title}${others}, show ${duration(fromMs)} of the recording`,
    act: () => seek(fromMs),
  });
  return (
    <section className="relative basis-full" aria-label="Errors in the recording">
      {LANES.map((lane) => {
        const marks = shown.filter((each) => each.lane === lane);
        return marks.length === 0 ? null : (
          <div key={lane} className="flex py-0.5">
            <span className={classes('flex-none text-xs leading-6 text-muted', NAME_WIDTH)}>{lane}</span>
            <Marks
              className="bg-line"
              label={`${lane}, in the recording`}
              marks={marks}
              shown={{ fromMs: 0, toMs: lengthMs }}
              press={press}
            />
          </div>
        );
      })}
      <span className={classes('pointer-events-none absolute inset-y-0 right-0', NAME_LEFT)} aria-hidden="true">
        <span
          className="absolute inset-y-0 w-0.5 bg-ink"
          style={{ left: `${(100 * Math.min(atMs, lengthMs)) / lengthMs}%` }}
        />
      </span>
    </section>
  );
}

const NAME_WIDTH = 'w-14';
const NAME_LEFT = 'left-14';

function markOf(moment: Moment) {
  const { title, severity, fromMs } = moment;
  const kind: Mark['kind'] = severity === 'error' ? 'error' : 'warning';
  return { ...moment, kind, label: `${title}, ${duration(fromMs)}` };
}
