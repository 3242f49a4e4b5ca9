/** State, verdict, open errors with their remedies, and observed values with their bounds. */
import type { JSX } from 'react';
import type { ErrorView } from '../../../spec/error-view.js';
import type { BroadcastView } from '../../view/protocol.js';
import { type BroadcastState, isOpen, openRecords } from '../shared/feed-state.js';
import { ago, duration, plural, sentenceOf } from '../shared/format.js';
import { VerdictSign } from '../shared/icons.js';
import { RemedyText } from '../shared/remedy-text.js';
import type { Gauge } from '../shared/row.js';
import { useNow } from '../shared/value.js';
import { isOver, lastRefusal, type RowVerdict, stateLabel, timeOf, titleOf, verdicts } from '../shared/verdicts.js';
import { whyOf } from '../shared/why.js';

/** Cleared errors stay visible this long, so that they do not vanish unexplained. */
const CLEARED_SHOWN_MS = 10 * 60_000;
const CLEARED_SHOWN = 5;

export function BroadcastPanel(props: { broadcast: BroadcastState; view: BroadcastView; stale: boolean }): JSX.Element {
  const { broadcast, view } = props;
  const nowMs = useNow(1_000);
  const over = isOver(view);
  const health = over ? undefined : broadcast.health;
  const rows = verdicts(broadcast.records.values(), health, view, nowMs);
  return (
    <main className={props.stale ? 'stale' : ''}>
      <Header view={view} nowMs={nowMs} />
      <Verdict broadcast={broadcast} view={view} rows={rows} />
      <Refused record={lastRefusal(broadcast.records.values(), nowMs)} nowMs={nowMs} />
      <OpenErrors records={openRecords(broadcast)} all={broadcast.records} nowMs={nowMs} />
      {over ? null : <Values rows={rows} />}
      <Cleared records={[...broadcast.records.values()]} nowMs={nowMs} over={over} />
      {health?.encoder ? <footer>{health.encoder}</footer> : null}
    </main>
  );
}

function Header({ view, nowMs }: { view: BroadcastView; nowMs: number }): JSX.Element {
  const { text, tone } = stateLabel(view);
  const started = view.status === 'LIVE' ? view.broadcast_start_time : view.stream_since;
  const running = tone === 'live' || tone === 'ready' || tone === 'alert';
  return (
    <header>
      <span className={`state state-${tone}`}>{text}</span>
      {running && started !== undefined ? <time>{duration(nowMs - Date.parse(started))}</time> : null}
      <h1>{view.title ?? `Broadcast ${view.id}`}</h1>
    </header>
  );
}

function Verdict(props: { broadcast: BroadcastState; view: BroadcastView; rows: readonly RowVerdict[] }): JSX.Element {
  const { view } = props;
  const failed = props.rows.filter((row) => row.verdict === 'fail').length;
  const warned = props.rows.filter((row) => row.verdict === 'warn').length;
  const judged = props.rows.some((row) => row.verdict === 'pass');
  if (view.end_reason !== undefined) {
    return (
      <p className="verdict verdict-fail" role="status">
        <strong>The broadcast was ended.</strong> {view.end_reason.text.replace(/^\[[^\]]*\]\s*/, '')}
      </p>
    );
  }
  if (failed > 0 || warned > 0) {
    const parts = [
      ...(failed > 0 ? [`${plural(failed, 'check')} failing`] : []),
      ...(warned > 0 ? [plural(warned, 'warning')] : []),
    ];
    return (
      <p className={`verdict verdict-${failed > 0 ? 'fail' : 'warn'}`} role="status">
        <VerdictSign verdict={failed > 0 ? 'fail' : 'warn'} silent />
        <strong>{parts.join(', ')}</strong>
      </p>
    );
  }
  if (isOver(view)) {
    return (
      <p className="verdict verdict-pass" role="status">
        <VerdictSign verdict="pass" silent />
        <strong>Ended; no errors</strong>
      </p>
    );
  }
  if (!judged) {
    return (
      <p className="verdict verdict-unjudged" role="status">
        {view.stream_state === 'interrupted'
          ? 'Encoder disconnected. Reconnect with the same stream key or the broadcast ends.'
          : view.stream_state === 'connected'
            ? 'Checking the first seconds of the stream.'
            : 'Start streaming in your encoder. The stream is checked here as it arrives.'}
      </p>
    );
  }
  return (
    <p className="verdict verdict-pass" role="status">
      <VerdictSign verdict="pass" silent />
      <strong>Stream healthy: all checks pass.</strong>
    </p>
  );
}

function Refused({ record, nowMs }: { record: ErrorView | undefined; nowMs: number }): JSX.Element | null {
  if (record === undefined) return null;
  return (
    <p className="verdict verdict-fail" role="status">
      {sentenceOf(record)} ({ago(Date.parse(record.cleared_time ?? record.timestamp), nowMs)}
      {record.count > 1 ? `, ${record.count} times` : ''})
    </p>
  );
}

function OpenErrors(props: {
  records: readonly ErrorView[];
  all: ReadonlyMap<string, ErrorView>;
  nowMs: number;
}): JSX.Element {
  const { records, nowMs } = props;
  const ordered = [...records].sort((a, b) => rank(a) - rank(b) || b.sequence - a.sequence);
  return (
    <ul className="errors" aria-live="polite" aria-label="Open errors">
      {ordered.map((record) => (
        <li key={record.id} className={`error error-${record.severity}`}>
          <h2>{titleOf(record)}</h2>
          <p>{sentenceOf(record)}</p>
          <Why sentence={whyOf(record, props.all.values())} />
          {record.remediation ? (
            <p className="remedy">
              <span>What to change</span>
              <RemedyText remedy={record.remediation} />
            </p>
          ) : null}
          <p className="meta">
            {record.error_code} · stream time {duration(record.stream_time_ms ?? 0)} · {ago(timeOf(record), nowMs)}
            {record.count > 1 ? ` · ${record.count} times` : ''}
          </p>
        </li>
      ))}
    </ul>
  );
}

function Why({ sentence }: { sentence: string | undefined }): JSX.Element | null {
  if (sentence === undefined) return null;
  return (
    <p className="meta">
      <strong>Why: </strong>
      {sentence}
    </p>
  );
}

function rank(record: ErrorView): number {
  return record.severity === 'error' ? 0 : record.severity === 'warning' ? 1 : 2;
}

/** Shows watched and failing rows; the other rows are collapsed, so that a low dock shows what matters. */
function Values({ rows }: { rows: readonly RowVerdict[] }): JSX.Element {
  const seen = rows.some((each) => each.observed !== undefined);
  const shown = rows.filter(({ row, verdict }) => row.watched || verdict === 'warn' || verdict === 'fail');
  const others = rows.filter((each) => !shown.includes(each));
  return (
    <>
      <table className={seen ? '' : 'asked'}>
        <caption>{seen ? 'Observed values' : 'Required of your encoder'}</caption>
        <RowGroups rows={shown} />
      </table>
      <details>
        <summary>
          {plural(others.length, 'more check')}
          {seen ? ', none failing' : ''}
        </summary>
        <table className={seen ? '' : 'asked'}>
          <RowGroups rows={others} />
        </table>
      </details>
    </>
  );
}

function RowGroups({ rows }: { rows: readonly RowVerdict[] }): JSX.Element {
  const groups = (['Video', 'Audio', 'Stream'] as const).map((group) => ({
    group,
    members: rows.filter(({ row }) => row.group === group),
  }));
  return (
    <>
      {groups.map(({ group, members }) =>
        members.length === 0 ? null : (
          <tbody key={group}>
            <tr className="group">
              <th colSpan={3} scope="rowgroup">
                {group}
              </th>
            </tr>
            {members.map((each) => (
              <ValueRow key={each.row.id} {...each} />
            ))}
          </tbody>
        ),
      )}
    </>
  );
}

function ValueRow({ row, verdict, observed, bound, gauge }: RowVerdict): JSX.Element {
  return (
    <tr className={`row row-${verdict}`}>
      <td className="row-sign">
        <VerdictSign verdict={verdict} />
      </td>
      <th scope="row">
        {row.title}
        <small>{bound}</small>
      </th>
      <td className="value">
        {observed ?? '–'}
        {gauge === undefined ? null : <Bar {...gauge} />}
      </td>
    </tr>
  );
}

/** The value on a scale with the allowed range. Hidden from screen readers: the numbers are beside it. */
function Bar({ value, min, max }: Gauge): JSX.Element {
  const top = max * 1.25;
  const percent = (part: number): string => `${Math.min(100, Math.max(0, (part / top) * 100)).toFixed(1)}%`;
  return (
    <span className="bar" aria-hidden="true">
      <span className="band" style={{ left: percent(min), width: percent(max - min) }} />
      <span className="mark" style={{ left: percent(value) }} />
    </span>
  );
}

function Cleared(props: { records: readonly ErrorView[]; nowMs: number; over: boolean }): JSX.Element | null {
  const cleared = props.records
    .filter((record) => !isOpen(record) && record.severity !== 'info' && record.source !== 'publish')
    .filter((record) => props.over || props.nowMs - Date.parse(record.cleared_time ?? '') < CLEARED_SHOWN_MS)
    .sort((a, b) => b.revision - a.revision)
    .slice(0, CLEARED_SHOWN);
  if (cleared.length === 0) return null;
  return (
    <section className="cleared">
      <h2>{props.over ? 'Errors' : 'Recently cleared'}</h2>
      <ul>
        {cleared.map((record) => (
          <li key={record.id}>
            <VerdictSign verdict={props.over ? (record.severity === 'error' ? 'fail' : 'warn') : 'pass'} silent />
            <span>
              {titleOf(record)}
              <small>
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
