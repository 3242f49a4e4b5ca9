/** Each open error once: what it is, why, since when and how bad. What to change is said above, for all together. */
import type { JSX } from 'react';
import type { ErrorView } from '../../../spec/error-view.js';
import { sentenceOf } from '../shared/format.js';
import { liveText, whyOf } from '../shared/live-text.js';
import { titleOf } from '../shared/verdicts.js';
import { classes, LINK } from './classes.js';
import { VerdictSign } from './verdict-sign.js';

const RANK: Readonly<Record<ErrorView['severity'], number>> = { error: 0, warning: 1, info: 2 };
const EDGES: Readonly<Record<ErrorView['severity'], string>> = {
  error: 'border-l-fail',
  warning: 'border-l-warn',
  info: 'border-l-muted',
};

/** `all`: where causes are looked up. */
export function OpenErrors(props: {
  records: readonly ErrorView[];
  all: Iterable<ErrorView>;
  nowMs: number;
  /** Name of the input stream that a record is about; ''. */
  nameOf?: (record: ErrorView) => string;
}): JSX.Element {
  const { records, nowMs, nameOf = () => '' } = props;
  const all = [...props.all];
  const ordered = [...records].sort((a, b) => RANK[a.severity] - RANK[b.severity] || b.sequence - a.sequence);
  return (
    <section aria-label="Open errors" className={classes('flex flex-col gap-2.5', ordered.length > 0 && 'mb-4')}>
      {/* Times and values in the errors change each second, and are not announced. */}
      <p className="sr-only" role="status">
        {[...new Set(ordered.map(titleOf))].join(', ')}
      </p>
      {ordered.map((record) => (
        <article
          key={record.id}
          className={classes('rounded-md border border-l-4 border-line bg-card px-4 py-2.5', EDGES[record.severity])}
        >
          <h2 className="flex items-center gap-2 text-base">
            <VerdictSign verdict={record.severity === 'error' ? 'fail' : 'warn'} />
            {nameOf(record).replace(/(?<=.)$/, ': ')}
            {titleOf(record)}
          </h2>
          <p>{sentenceOf(record)}</p>
          <Why sentence={whyOf(record, all)} />
          <p className="text-sm text-muted">
            <a className={LINK} href={`../help/rules/${record.error_code}`} target="_blank" rel="noreferrer">
              {record.error_code} {record.error_type}
            </a>
            {liveText(record, nowMs).replace(/^(?=.)/, ' · ')}
          </p>
        </article>
      ))}
    </section>
  );
}

function Why({ sentence }: { sentence: string | undefined }): JSX.Element | null {
  if (sentence === undefined) return null;
  return (
    <p>
      <strong>Why: </strong>
      {sentence}
    </p>
  );
}
