/** One broadcast: open errors, specification, charts, error log and controls. */
import { type JSX, useEffect, useState } from 'react';
import type { BroadcastView } from '../../view/protocol.js';
import { FeedConnection } from '../shared/feed-connection.js';
import { type BroadcastState, openRecords } from '../shared/feed-state.js';
import { dateTime, duration, sentenceOf } from '../shared/format.js';
import { setupSentence } from '../shared/setup-sentence.js';
import { useNow, useValue } from '../shared/value.js';
import { isOver, lastRefusal, verdicts } from '../shared/verdicts.js';
import { Charts } from './charts.js';
import { Controls } from './controls.js';
import { EncoderGuide } from './encoder-guide.js';
import { ErrorLog } from './error-log.js';
import { OpenErrors } from './open-errors.js';
import { Player } from './player.js';
import { Polls } from './polls.js';
import { linkTo } from './route.js';
import { RulesTable } from './rules-table.js';
import { useSession } from './session.js';
import { Empty, Loading, StatePill } from './ui.js';
import { useWholeLog } from './whole-log.js';

export function BroadcastPage({ id }: { id: string }): JSX.Element {
  const found = useBroadcast(id);
  if (found === 'missing') {
    return (
      <Empty title="Broadcast not found">
        <p>It was deleted, or your token does not permit reading it.</p>
        <a href={linkTo.broadcasts}>All broadcasts</a>
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
  const refused = lastRefusal(log.records, nowMs);
  const waits = !over && view.stream_state === 'waiting';
  return (
    <article className="broadcast">
      <div className="page-head">
        <a className="back" href={linkTo.broadcasts}>
          All broadcasts
        </a>
        <div className="page-title">
          <h1>{view.title ?? 'Untitled'}</h1>
          <StatePill view={view} />
          <Elapsed view={view} nowMs={nowMs} />
        </div>
        <p className="quiet">
          {view.from.name ?? view.from.id} · broadcast {view.id} · video {view.video_id}
          {health?.encoder ? ` · ${health.encoder}` : ''}
          {view.encoder_setup === undefined ? '' : ` · ${setupSentence(view.encoder_setup)}`}
        </p>
        <Controls view={view} />
      </div>
      {view.end_reason === undefined ? null : (
        <p className="callout callout-fail" role="status">
          <strong>The broadcast was ended.</strong> {view.end_reason.text}
        </p>
      )}
      {refused === undefined ? null : (
        <p className="callout callout-warn" role="status">
          {sentenceOf(refused)}
        </p>
      )}
      {view.stream_state === 'interrupted' && !over ? (
        <p className="callout callout-warn" role="status">
          Encoder disconnected. Reconnect with the same stream key or the broadcast ends.
        </p>
      ) : null}
      <div className="columns">
        <div className="column-main">
          {over ? null : (
            <OpenErrors
              records={openRecords(broadcast)}
              judged={health !== undefined}
              healthy="Stream healthy: all checks pass."
              nowMs={nowMs}
            />
          )}
          {over ? null : <EncoderGuide view={view} open={waits} />}
          <Player view={view} />
          <Charts
            id={view.id}
            health={health}
            records={log.records}
            live={!over && view.stream_state === 'connected'}
          />
          <ErrorLog id={view.id} log={log} started={view.stream_state !== 'waiting'} />
          <Polls view={view} />
        </div>
        <div className="column-side">
          <RulesTable rows={rows} seen={health !== undefined} over={over} complete={log.complete} />
        </div>
      </div>
    </article>
  );
}

function Elapsed({ view, nowMs }: { view: BroadcastView; nowMs: number }): JSX.Element | null {
  const start = view.broadcast_start_time ?? (view.stream_state === 'connected' ? view.stream_since : undefined);
  if (start === undefined) {
    const { planned_start_time: planned } = view;
    return planned === undefined ? null : <time className="quiet">planned for {dateTime(Date.parse(planned))}</time>;
  }
  const end = view.end_time === undefined ? nowMs : Date.parse(view.end_time);
  return (
    <span className="quiet">
      {view.end_time === undefined ? '' : 'lasted '}
      {duration(end - Date.parse(start))}
    </span>
  );
}
