/** Head of a broadcast: its name, its state, and its actions. */
import type { JSX } from 'react';
import type { BroadcastView } from '../../../view/protocol.js';
import { dateTime, duration } from '../../shared/format.js';
import { setupSentence } from '../../shared/setup-sentence.js';
import { LINK, MUTED } from '../../ui/classes.js';
import { linkTo } from '../client/route.js';
import { BroadcastState as StateOf } from '../client/ui.js';
import { Controls } from './controls.js';
import { Retune } from './retune.js';

export function Head(props: { view: BroadcastView; nowMs: number }): JSX.Element {
  const { view, nowMs } = props;
  return (
    <div className="mb-4 flex flex-col gap-2">
      <a className={`${LINK} print:hidden`} href={linkTo.broadcasts}>
        All broadcasts
      </a>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 print:[&_button]:hidden">
        <h1 dir="auto">{view.title ?? 'Untitled'}</h1>
        <StateOf view={view} />
        <Elapsed view={view} nowMs={nowMs} />
        <Controls view={view} />
        <Retune view={view} />
      </div>
      <p className={MUTED}>
        <bdi>{view.from.name ?? view.from.id}</bdi> · broadcast {view.id} · video {view.video_id}
        {view.encoder_setup === undefined ? '' : ` · ${setupSentence(view.encoder_setup)}`}
      </p>
    </div>
  );
}

function Elapsed({ view, nowMs }: { view: BroadcastView; nowMs: number }): JSX.Element | null {
  const startMs = startOf(view);
  if (startMs === undefined) {
    const { planned_start_time: planned } = view;
    return planned === undefined ? null : <time className={MUTED}>planned for {dateTime(Date.parse(planned))}</time>;
  }
  const endMs = view.end_time === undefined ? nowMs : Date.parse(view.end_time);
  return (
    <span className={MUTED}>
      {view.end_time === undefined ? '' : 'lasted '}
      {duration(endMs - startMs)}
    </span>
  );
}

/** Milliseconds since 1970; undefined before the first stream. */
export function startOf(view: BroadcastView): number | undefined {
  const start = view.broadcast_start_time ?? (view.stream_state === 'connected' ? view.stream_since : undefined);
  return start === undefined ? undefined : Date.parse(start);
}
