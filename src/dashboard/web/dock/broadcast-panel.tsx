/** Health in one line, what to change, open errors, and observed values with their bounds. */

import type { JSX } from 'react';
import { isOver } from '../../../lifecycle/lifecycle.js';
import type { ErrorView } from '../../../spec/error-view.js';
import type { BroadcastView } from '../../view/protocol.js';
import { adviceOf } from '../shared/advice.js';
import { type BroadcastState, isOpen, openRecords } from '../shared/feed-state.js';
import { ago, duration, sentenceOf } from '../shared/format.js';
import { healthLine, sinceOf } from '../shared/health-line.js';
import { inputNames, inputsOf, onAirOf, withStandbyLowered } from '../shared/inputs.js';
import { setupSentence } from '../shared/setup-sentence.js';
import { useNow } from '../shared/value.js';
import { healthOf, lastRefusal, stateLabel, titleOf, verdicts } from '../shared/verdicts.js';
import { AdviceBox } from '../ui/advice-box.js';
import { Callout } from '../ui/callout.js';
import { classes, LINK } from '../ui/classes.js';
import { ForwardsBadge } from '../ui/forwards-badge.js';
import { HealthBanner } from '../ui/health-banner.js';
import { InputPair } from '../ui/input-pair.js';
import { OpenErrors } from '../ui/open-errors.js';
import { StatePill } from '../ui/state-pill.js';
import { VerdictSign } from '../ui/verdict-sign.js';
import { messageOf } from './put-on-air.js';
import { Values } from './values.js';

/** Cleared errors stay visible this long, so that they do not vanish unexplained. */
const CLEARED_SHOWN_MS = 10 * 60_000;
const CLEARED_SHOWN = 5;

export interface PanelProps {
  readonly broadcast: BroadcastState;
  readonly view: BroadcastView;
  readonly stale: boolean;
  /** Where the OBS profile is downloaded; `undefined` if the link does not permit it. */
  readonly profileUrl: string | undefined;
  /** Undefined if the link does not permit it. */
  readonly putOnAir: ((inputStreamId: string) => Promise<void>) | undefined;
}

export function BroadcastPanel(props: PanelProps): JSX.Element {
  const { broadcast, view, profileUrl, putOnAir } = props;
  const nowMs = useNow(1_000);
  const over = isOver(view);
  const health = healthOf(broadcast);
  const rows = verdicts(broadcast.records.values(), health, view, nowMs);
  const open = over ? [] : withStandbyLowered(openRecords(broadcast), onAirOf(health));
  const inputs = over ? undefined : inputsOf(view, health);
  const nameOf = inputNames(view);
  return (
    <main className={classes('flex max-w-[600px] flex-col p-2.5 text-sm', props.stale && 'opacity-60')}>
      <Header view={view} nowMs={nowMs} profileUrl={profileUrl} />
      <HealthBanner
        line={healthLine(view, health, rows, nowMs, broadcast.records.size >= view.errors.total)}
        sinceMs={sinceOf(view, withStandbyLowered(broadcast.records.values(), onAirOf(health)))}
        className="mb-2.5"
      />
      {inputs === undefined ? null : (
        <section aria-label="Two encoders" className="mb-2.5 rounded-md border border-line bg-card p-2.5">
          <h2 className="mb-1 text-sm text-muted">Two encoders</h2>
          <InputPair inputs={inputs} putOnAir={putOnAir} messageOf={messageOf} />
        </section>
      )}
      {over || view.forwards === undefined ? null : (
        <p className="mb-2.5">
          <ForwardsBadge forwards={view.forwards} />
        </p>
      )}
      <Refused record={lastRefusal(broadcast.records.values(), nowMs)} nowMs={nowMs} />
      <AdviceBox advice={adviceOf(open, health)} />
      <OpenErrors records={open} all={broadcast.records.values()} nowMs={nowMs} nameOf={nameOf} />
      {over ? null : <Values rows={rows} isCurrent={view.stream_state === 'connected'} />}
      <Cleared records={[...broadcast.records.values()]} {...{ nowMs, over, nameOf }} />
    </main>
  );
}

function Header(props: Pick<PanelProps, 'view' | 'profileUrl'> & { nowMs: number }): JSX.Element {
  const { view, nowMs, profileUrl } = props;
  const label = stateLabel(view);
  const started = view.status === 'LIVE' ? view.broadcast_start_time : view.stream_since;
  const over = isOver(view);
  const isRunning = label.tone !== 'quiet';
  return (
    <header className="mb-2 flex flex-wrap items-center justify-between gap-x-2 gap-y-1">
      <StatePill {...label} />
      {isRunning && started !== undefined ? (
        <time className="text-muted">{duration(nowMs - Date.parse(started))}</time>
      ) : null}
      <h1 dir="auto" className="basis-full text-base font-semibold">
        {view.title ?? `Broadcast ${view.id}`}
      </h1>
      {over ? null : <SetUp view={view} profileUrl={profileUrl} />}
    </header>
  );
}

function SetUp({ view, profileUrl }: Pick<PanelProps, 'view' | 'profileUrl'>): JSX.Element {
  const setup = view.encoder_setup;
  const isConfigured = setup?.configured === true;
  const isConnected = view.stream_state === 'connected';
  return (
    <div className="basis-full text-xs text-muted">
      <p>{setup === undefined ? (isConnected ? 'Not set up by Airlock' : '') : setupSentence(setup)}</p>
      {isConfigured ? null : profileUrl === undefined ? (
        <p>To set up OBS: dashboard, Set up the encoder, Set up OBS.</p>
      ) : (
        <>
          <p>
            <a href={profileUrl} target="_blank" rel="noreferrer" className={classes('font-semibold', LINK)}>
              Set up OBS
            </a>{' '}
            (downloads a profile that holds the stream key):
          </p>
          <ol className="list-decimal pl-5">
            <li>Unpack the file.</li>
            <li>In OBS: Profile, Import, and select the folder Airlock-{view.id}.</li>
            <li>Select it in the menu Profile, then Start Streaming.</li>
          </ol>
        </>
      )}
    </div>
  );
}

function Refused({ record, nowMs }: { record: ErrorView | undefined; nowMs: number }): JSX.Element | null {
  if (record === undefined) return null;
  return (
    <Callout tone="fail" className="mb-2.5">
      <p>
        {sentenceOf(record)} ({ago(Date.parse(record.cleared_time ?? record.timestamp), nowMs)}
        {record.count > 1 ? `, ${record.count} times` : ''})
      </p>
    </Callout>
  );
}

function Cleared(props: {
  records: readonly ErrorView[];
  nowMs: number;
  over: boolean;
  nameOf: (record: ErrorView) => string;
}): JSX.Element | null {
  const { nameOf } = props;
  const cleared = props.records
    .filter((record) => !isOpen(record) && record.severity !== 'info' && record.source !== 'publish')
    .filter((record) => props.over || props.nowMs - Date.parse(record.cleared_time ?? '') < CLEARED_SHOWN_MS)
    .sort((a, b) => b.revision - a.revision)
    .slice(0, CLEARED_SHOWN);
  if (cleared.length === 0) return null;
  return (
    <section className="mt-3">
      <h2 className="mb-1 text-sm text-muted">{props.over ? 'Errors' : 'Recently cleared'}</h2>
      <ul>
        {cleared.map((record) => (
          <li key={record.id} className="flex gap-2 py-1">
            <VerdictSign verdict={props.over ? (record.severity === 'error' ? 'fail' : 'warn') : 'pass'} silent />
            <span>
              {nameOf(record).replace(/(?<=.)$/, ': ')}
              {titleOf(record)}
              <small className="block text-xs">
                {ago(Date.parse(record.cleared_time ?? ''), props.nowMs)}
                {record.count > 1 ? `, ${record.count} times` : ''}
              </small>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
