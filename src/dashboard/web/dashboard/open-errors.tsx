import type { JSX } from 'react';
import type { ErrorView } from '../../../spec/error-view.js';
import { ago, duration, sentenceOf } from '../shared/format.js';
import { VerdictSign } from '../shared/icons.js';
import { RemedyText } from '../shared/remedy-text.js';
import { timeOf, titleOf } from '../shared/verdicts.js';
import { whyOf } from '../shared/why.js';

const RANK: Readonly<Record<ErrorView['severity'], number>> = { error: 0, warning: 1, info: 2 };

/** `judged`: without records, `healthy` is shown. */
export function OpenErrors(props: {
  records: readonly ErrorView[];
  judged: boolean;
  healthy: string;
  nowMs: number;
}): JSX.Element {
  const { records, judged, healthy, nowMs } = props;
  const ordered = [...records].sort((a, b) => RANK[a.severity] - RANK[b.severity] || b.sequence - a.sequence);
  return (
    <section className="open-errors" aria-label="Open errors" aria-live="polite">
      {ordered.length === 0 && judged ? (
        <p className="callout callout-pass">
          <VerdictSign verdict="pass" silent /> {healthy}
        </p>
      ) : null}
      {ordered.map((record) => (
        <article key={record.id} className={`error error-${record.severity}`}>
          <h2>
            <VerdictSign verdict={record.severity === 'error' ? 'fail' : 'warn'} />
            {titleOf(record)}
          </h2>
          <p>{sentenceOf(record)}</p>
          <Why sentence={whyOf(record, records)} />
          {record.remediation ? (
            <p className="remedy">
              <strong>What to change: </strong>
              <RemedyText remedy={record.remediation} />
            </p>
          ) : null}
          <p className="quiet">
            {record.error_code} {record.error_type}
            {record.evidence?.first.kind === 'file' ? '' : ` · stream time ${duration(record.stream_time_ms ?? 0)}`} ·{' '}
            {ago(timeOf(record), nowMs)}
            {record.count > 1 ? ` · ${record.count} times` : ''}
          </p>
        </article>
      ))}
    </section>
  );
}

function Why({ sentence }: { sentence: string | undefined }): JSX.Element | null {
  if (sentence === undefined) return null;
  return (
    <p className="why">
      <strong>Why: </strong>
      {sentence}
    </p>
  );
}
