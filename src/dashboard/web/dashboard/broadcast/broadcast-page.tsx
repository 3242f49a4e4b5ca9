/** One broadcast: its health in one line, what to change, picture, timeline, charts, log and controls. */

import { type JSX, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { isOver } from '../../../../lifecycle/lifecycle.js';
import type { ErrorView } from '../../../../spec/error-view.js';
import type { BroadcastView, HealthView } from '../../../view/protocol.js';
import { adviceOf, type Sent } from '../../shared/advice.js';
import { brokenMs } from '../../shared/broken-time.js';
import type { FeedConnection } from '../../shared/feed-connection.js';
import { type BroadcastState, openRecords } from '../../shared/feed-state.js';
import { duration, sentenceOf } from '../../shared/format.js';
import { healthLine, sinceOf } from '../../shared/health-line.js';
import { inputNames, inputsOf, onAirOf, withStandbyLowered } from '../../shared/inputs.js';
import { useNow, useValue } from '../../shared/value.js';
import { healthOf, lastRefusal, type RowVerdict, verdicts } from '../../shared/verdicts.js';
import { AdviceBox } from '../../ui/advice-box.js';
import { Callout } from '../../ui/callout.js';
import { Empty, Loading } from '../../ui/card.js';
import { LINK } from '../../ui/classes.js';
import { HealthBanner } from '../../ui/health-banner.js';
import { LevelMeter } from '../../ui/level-meter.js';
import { OpenErrors } from '../../ui/open-errors.js';
import { RulesTable } from '../../ui/rules-table.js';
import { useSticky } from '../../ui/sticky.js';
import { Timeline } from '../charts/timeline.js';
import { sentOf, useHistory } from '../charts/use-history.js';
import { linkTo } from '../client/route.js';
import { useSession } from '../client/session.js';
import { useWholeLog } from '../client/whole-log.js';
import { ApplyInObs } from './apply-in-obs.js';
import { Averages } from './averages.js';
import { Head, startOf } from './broadcast-head.js';
import { Comments } from './comments.js';
import { EncoderGuide } from './encoder-guide.js';
import { ErrorLog } from './error-log.js';
import { Forwards } from './forwards.js';
import { Inputs } from './inputs.js';
import { Player } from './player.js';
import { Polls } from './polls.js';
import { useViewers } from './viewers.js';

export function BroadcastPage({ id }: { id: string }): JSX.Element {
  const found = useBroadcast(id);
  if (found === 'missing') {
    return (
      <Empty title="Broadcast not found" isPage>
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
  const { feed, follow } = useSession();
  const all = useValue(feed.feed);
  const listed = all.broadcasts.get(id);
  const [own, setOwn] = useState<FeedConnection>(feed);
  const state = useValue(own.feed);
  const needed = all.synced && listed?.view === undefined;
  useEffect(() => {
    if (!needed) return;
    const made = follow([id]);
    made.start();
    setOwn(made);
    return () => {
      made.stop();
      setOwn(feed);
    };
  }, [needed, id, follow, feed]);
  if (listed?.view !== undefined) return listed;
  return state.missing.has(id) ? 'missing' : state.broadcasts.get(id);
}

function BroadcastDetails({ broadcast, view }: { broadcast: BroadcastState; view: BroadcastView }): JSX.Element {
  const nowMs = useNow(1_000);
  const over = isOver(view);
  const isConnected = !over && view.stream_state === 'connected';
  const health = healthOf(broadcast);
  const log = useWholeLog(view.id, broadcast.records);
  const observed = useHistory(view.id, health, isConnected, over);
  const sent = { ...sentOf(observed.history), ...health };
  const rows = verdicts(log.records, over ? observed.history?.last_stream : health, view, nowMs);
  const open = over ? [] : withStandbyLowered(openRecords(broadcast), onAirOf(health));
  const startMs = startOf(view);
  const endMs = view.end_time === undefined ? nowMs : Date.parse(view.end_time);
  const video = useRef<HTMLVideoElement>(null);
  const seek = useCallback((streamMs: number) => showAt(video.current, streamMs), []);
  return (
    <article>
      <Head view={view} nowMs={nowMs} />
      <HealthBanner
        line={healthLine(view, health, rows, nowMs, log.complete)}
        sinceMs={sinceOf(view, withStandbyLowered(log.records, onAirOf(health)))}
        viewers={useViewers(view)}
      />
      <Refused record={lastRefusal(log.records, nowMs)} />
      <Columns
        now={
          <>
            <Remedies {...{ view, health, sent }} records={over ? toLearnFrom(log.records) : open} />
            <OpenErrors records={open} all={log.records} nowMs={nowMs} nameOf={inputNames(view)} />
            {isConnected && open.length === 0 ? <Averages history={observed.history} /> : null}
          </>
        }
        picture={
          <>
            <Inputs inputs={over ? undefined : inputsOf(view, health)} />
            {over || isConnected ? null : <EncoderGuide view={view} open={view.stream_state === 'waiting'} />}
            <Player view={view} recording={video} records={over ? log.records : open} endMs={endMs} />
            {isConnected ? <Levels health={health} /> : null}
          </>
        }
        specification={
          <RulesTable
            rows={rows}
            seen={health !== undefined}
            current={isConnected}
            over={over}
            complete={log.complete}
            broken={over && startMs !== undefined ? brokenByRow(rows, startMs, endMs) : NONE}
          />
        }
        comments={<Comments view={view} {...broadcast.engagement} />}
      >
        {startMs === undefined ? null : (
          <Timeline
            {...{ observed, records: log.records, live: isConnected, fromMs: startMs, toMs: endMs }}
            {...(over ? { seek } : {})}
          />
        )}
        {isConnected ? <EncoderGuide view={view} open={false} /> : null}
        <ErrorLog
          {...{ id: view.id, log, frameRateClass: sent.frame_rate_class, nameOf: inputNames(view) }}
          started={view.stream_state !== 'waiting'}
          running={!over}
        />
        <Forwards view={view} version={broadcast.engagement.forwards} over={over} nowMs={nowMs} />
        <Polls view={view} version={broadcast.engagement.polls} />
      </Columns>
    </article>
  );
}

/**
 * On a wide screen `now`, comments and specification stay beside the picture and what follows it. On a narrow one there is one
 * column: `now`, the picture, the specification, comments, the rest.
 */
function Columns(props: {
  now: ReactNode;
  picture: ReactNode;
  specification: ReactNode;
  comments: ReactNode;
  children: ReactNode;
}): JSX.Element {
  const side = useRef<HTMLDivElement>(null);
  useSticky(side);
  return (
    <div className="flex flex-col lg:grid lg:grid-cols-[minmax(0,1fr)_340px] lg:items-start lg:gap-x-5 xl:grid-cols-[minmax(0,1fr)_400px]">
      <div ref={side} className="min-w-0 max-lg:contents lg:sticky lg:col-start-2">
        <div className="order-1 min-w-0">{props.now}</div>
        <div className="order-4 min-w-0">{props.comments}</div>
        <div className="order-3 min-w-0">{props.specification}</div>
      </div>
      <div className="min-w-0 max-lg:contents lg:col-start-1 lg:row-start-1">
        <div className="order-2 min-w-0">{props.picture}</div>
        <div className="order-5 min-w-0">{props.children}</div>
      </div>
    </div>
  );
}

function Levels({ health }: { health: HealthView | undefined }): JSX.Element | null {
  if (health?.channel_lufs === undefined || !health.audio_bitrate_kbps) return null;
  return <LevelMeter channels={health.channel_lufs} loudness={health.loudness_lufs} />;
}

function Refused({ record }: { record: ErrorView | undefined }): JSX.Element | null {
  return record === undefined ? null : <Callout tone="warn">{sentenceOf(record)}</Callout>;
}

function Remedies(props: {
  view: BroadcastView;
  health: HealthView | undefined;
  records: readonly ErrorView[];
  sent: Sent;
}): JSX.Element {
  const { view, health, records, sent } = props;
  return (
    <AdviceBox title={isOver(view) ? 'Before the next broadcast' : 'What to change'} advice={adviceOf(records, sent)}>
      <ApplyInObs view={view} health={health} records={records} />
    </AdviceBox>
  );
}

function toLearnFrom(records: readonly ErrorView[]): readonly ErrorView[] {
  return records.filter(({ severity, source }) => severity !== 'info' && source !== 'publish');
}

const NONE: ReadonlyMap<string, string> = new Map();

/** A rule needs a moment to see its fault. */
const WHOLE_MS = 1_000;

function brokenByRow(rows: readonly RowVerdict[], startMs: number, endMs: number): ReadonlyMap<string, string> {
  const whole = duration(endMs - startMs);
  return new Map(
    rows.flatMap(({ row, records }) => {
      const ms = brokenMs(toLearnFrom(records), endMs);
      const isWhole = endMs - startMs - ms < WHOLE_MS;
      return ms < 1_000 ? [] : [[row.id, isWhole ? 'the whole time' : `broken ${duration(ms)} of ${whole}`] as const];
    }),
  );
}

function showAt(video: HTMLVideoElement | null, streamMs: number): void {
  if (video === null) return;
  video.currentTime = streamMs / 1000;
  video.scrollIntoView({ block: 'center' });
}
