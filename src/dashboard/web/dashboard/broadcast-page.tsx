/** One broadcast: its health in one line, what to change, picture, timeline, charts, log and controls. */
import { type JSX, useCallback, useEffect, useRef, useState } from 'react';
import type { BroadcastView } from '../../view/protocol.js';
import { adviceOf } from '../shared/advice.js';
import { brokenMs } from '../shared/broken-time.js';
import { FeedConnection } from '../shared/feed-connection.js';
import { type BroadcastState, openRecords } from '../shared/feed-state.js';
import { dateTime, duration, sentenceOf } from '../shared/format.js';
import { healthLine } from '../shared/health-line.js';
import { setupSentence } from '../shared/setup-sentence.js';
import { useNow, useValue } from '../shared/value.js';
import { isOver, lastRefusal, type RowVerdict, verdicts } from '../shared/verdicts.js';
import { AdviceBox } from '../ui/advice-box.js';
import { Callout } from '../ui/callout.js';
import { Empty, Loading } from '../ui/card.js';
import { LINK, MUTED } from '../ui/classes.js';
import { HealthBanner } from '../ui/health-banner.js';
import { LevelMeter } from '../ui/level-meter.js';
import { OpenErrors } from '../ui/open-errors.js';
import { Charts } from './charts.js';
import { Comments } from './comments.js';
import { Controls } from './controls.js';
import { EncoderGuide } from './encoder-guide.js';
import { ErrorLog } from './error-log.js';
import { Player } from './player.js';
import { Polls } from './polls.js';
import { Retune } from './retune.js';
import { linkTo } from './route.js';
import { RulesTable } from './rules-table.js';
import { useSession } from './session.js';
import { Timeline } from './timeline.js';
import { BroadcastState as StateOf } from './ui.js';
import { useWholeLog } from './whole-log.js';

export function BroadcastPage({ id }: { id: string }): JSX.Element {
  const found = useBroadcast(id);
  if (found === 'missing') {
    return (
      <Empty title="Broadcast not found">
        <p>It was deleted, or your token does not permit reading it.</p>
        <a className={LINK} href={linkTo.broadcasts}>
          All broadcasts
        </a>
      </Empty>
    );
  }
  if (found?.view === undefined) return <Loading what="Loading the broadcast" />;
  return <BroadcastDetails broadcast={found} view={found.view} />;
}

/** From the session's feed; for a broadcast that it does not list, from a separate subscription. */
function useBroadcast(id: string): BroadcastState | 'missing' | undefined {
  const { feed, token } = useSession();
  const all = useValue(feed.feed);
  const listed = all.broadcasts.get(id);
  const [own, setOwn] = useState<FeedConnection>(feed);
  const state = useValue(own.feed);
  const needed = all.synced && listed?.view === undefined;
  useEffect(() => {
    if (!needed) return;
    const made = new FeedConnection({ token, broadcasts: [id] });
    made.start();
    setOwn(made);
    return () => {
      made.stop();
      setOwn(feed);
    };
  }, [needed, id, token, feed]);
  if (listed?.view !== undefined) return listed;
  return state.missing.has(id) ? 'missing' : state.broadcasts.get(id);
}

function BroadcastDetails({ broadcast, view }: { broadcast: BroadcastState; view: BroadcastView }): JSX.Element {
  const nowMs = useNow(1_000);
  const over = isOver(view);
  const health = over ? undefined : broadcast.health;
  const log = useWholeLog(view.id, broadcast.records);
  const rows = verdicts(log.records, health, view, nowMs);
  const open = over ? [] : openRecords(broadcast);
  const refused = lastRefusal(log.records, nowMs);
  const startMs = startOf(view);
  const endMs = view.end_time === undefined ? nowMs : Date.parse(view.end_time);
  const video = useRef<HTMLVideoElement>(null);
  const seek = useCallback((streamMs: number) => showAt(video.current, streamMs), []);
  return (
    <article>
      <Head view={view} encoder={health?.encoder} nowMs={nowMs} />
      <HealthBanner line={healthLine(view, health, rows, nowMs)} />
      {refused === undefined ? null : <Callout tone="warn">{sentenceOf(refused)}</Callout>}
      {/* On a wide screen the picture and what to change about it stand side by side; on a narrow one the change comes first. */}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-5 xl:grid-cols-[minmax(0,1fr)_400px] xl:grid-rows-[auto_1fr]">
        <div className="min-w-0 xl:col-start-2">
          <AdviceBox advice={adviceOf(open, health?.frame_rate_class)} />
          <OpenErrors records={open} all={log.records} nowMs={nowMs} />
        </div>
        <div className="min-w-0 xl:col-start-1 xl:row-span-2 xl:row-start-1">
          {over || view.stream_state === 'connected' ? null : (
            <EncoderGuide view={view} open={view.stream_state === 'waiting'} />
          )}
          <Player view={view} recording={video} records={over ? log.records : open} endMs={endMs} />
          {health?.channel_lufs === undefined || !health.audio_bitrate_kbps ? null : (
            <LevelMeter channels={health.channel_lufs} loudness={health.loudness_lufs} />
          )}
          {startMs === undefined ? null : (
            <Timeline records={log.records} fromMs={startMs} toMs={endMs} {...(over ? { seek } : {})} />
          )}
          <Charts
            id={view.id}
            health={health}
            records={log.records}
            live={!over && view.stream_state === 'connected'}
          />
          {over || view.stream_state !== 'connected' ? null : <EncoderGuide view={view} open={false} />}
          <ErrorLog id={view.id} log={log} started={view.stream_state !== 'waiting'} />
          <Comments view={view} {...broadcast.engagement} />
          <Polls view={view} version={broadcast.engagement.polls} />
        </div>
        <div className="min-w-0 xl:col-start-2">
          <RulesTable
            rows={rows}
            seen={health !== undefined}
            over={over}
            complete={log.complete}
            broken={over && startMs !== undefined ? brokenByRow(rows, startMs, endMs) : NONE}
          />
        </div>
      </div>
    </article>
  );
}

const NONE: ReadonlyMap<string, string> = new Map();

function brokenByRow(rows: readonly RowVerdict[], startMs: number, endMs: number): ReadonlyMap<string, string> {
  const whole = duration(endMs - startMs);
  return new Map(
    rows.flatMap(({ row, records }) => {
      const ms = brokenMs(records, endMs);
      return ms < 1_000 ? [] : [[row.id, `broken ${duration(Math.min(ms, endMs - startMs))} of ${whole}`] as const];
    }),
  );
}

function showAt(video: HTMLVideoElement | null, streamMs: number): void {
  if (video === null) return;
  video.currentTime = streamMs / 1000;
  video.scrollIntoView({ block: 'center' });
}

function startOf(view: BroadcastView): number | undefined {
  const start = view.broadcast_start_time ?? (view.stream_state === 'connected' ? view.stream_since : undefined);
  return start === undefined ? undefined : Date.parse(start);
}

function Head(props: { view: BroadcastView; encoder: string | undefined; nowMs: number }): JSX.Element {
  const { view, encoder, nowMs } = props;
  return (
    <div className="mb-4 flex flex-col gap-2">
      <a className={`${LINK} print:hidden`} href={linkTo.broadcasts}>
        All broadcasts
      </a>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <h1>{view.title ?? 'Untitled'}</h1>
        <StateOf view={view} />
        <Elapsed view={view} nowMs={nowMs} />
      </div>
      <p className={MUTED}>
        {view.from.name ?? view.from.id} · broadcast {view.id} · video {view.video_id}
        {encoder ? ` · ${encoder}` : ''}
        {view.encoder_setup === undefined ? '' : ` · ${setupSentence(view.encoder_setup)}`}
      </p>
      <Controls view={view} />
      <Retune view={view} />
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
