/** The recording of an ended broadcast: under it a mark for each error that jumps there, on it what is broken at the time. */
import { type JSX, type RefObject, useState } from 'react';
import type { BroadcastView } from '../../../view/protocol.js';
import { opacityOf } from '../../shared/broken-time.js';
import { duration } from '../../shared/format.js';
import { brokenAt, type Moment } from '../../shared/moments.js';
import { Callout } from '../../ui/callout.js';
import { classes, FILLS_SCREEN, SCREEN } from '../../ui/classes.js';
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
    <>
      <div className={SCREEN}>
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
        <BrokenSigns moments={brokenAt(moments, atMs)} />
      </div>
      <Marks moments={moments} lengthMs={lengthMs} atMs={atMs} seek={(ms) => jumpTo(video.current, ms)} />
    </>
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

/** On the picture, above the controls of the player. */
export function BrokenSigns({ moments }: { moments: readonly Pick<Moment, 'title' | 'severity'>[] }): JSX.Element {
  return (
    <div className="pointer-events-none absolute left-3 top-3 max-w-[70%]" role="status">
      {moments.map(({ title, severity }) => (
        <p
          key={title}
          className={classes(
            'mb-1 w-fit rounded-md border-l-4 bg-black px-2.5 py-1 text-sm font-semibold text-white',
            severity === 'error' ? 'border-live' : 'border-warn',
          )}
        >
          {title}
        </p>
      ))}
    </div>
  );
}

const WARNING_OPACITY = 0.7;

/** At least this wide, in percent, so that it can be pressed. */
const LEAST_PERCENT = 0.8;

function Marks(props: {
  moments: readonly Moment[];
  lengthMs: number;
  atMs: number;
  seek: (ms: number) => void;
}): JSX.Element | null {
  const { moments, lengthMs, atMs, seek } = props;
  const shown = moments.filter(({ fromMs }) => fromMs < lengthMs);
  if (shown.length === 0) return null;
  const percent = (ms: number): number => (100 * Math.min(ms, lengthMs)) / lengthMs;
  return (
    <div className="relative -mt-2.5 mb-4 h-4 rounded-sm bg-line">
      <ul aria-label="Errors in the recording">
        {shown.map(({ id, title, severity, fromMs, toMs, share }) => (
          <li key={id}>
            <button
              type="button"
              title={`${title}, ${duration(fromMs)}`}
              aria-label={`${title}, show ${duration(fromMs)} of the recording`}
              className={classes('absolute inset-y-0 rounded-xs', severity === 'error' ? 'z-[1] bg-fail' : 'bg-warn')}
              style={{
                left: `${Math.min(100 - LEAST_PERCENT, percent(fromMs))}%`,
                width: `${Math.max(LEAST_PERCENT, percent(toMs) - percent(fromMs))}%`,
                opacity: opacityOf(share) * (severity === 'error' ? 1 : WARNING_OPACITY),
              }}
              onClick={() => seek(fromMs)}
            />
          </li>
        ))}
      </ul>
      <span
        className="pointer-events-none absolute -inset-y-0.5 z-[2] w-0.5 bg-ink"
        style={{ left: `${percent(atMs)}%` }}
        aria-hidden="true"
      />
    </div>
  );
}
