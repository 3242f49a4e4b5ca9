/** The specification: bound, observed value and verdict of each row. */
import type { JSX } from 'react';
import { FINAL_LABELS, VerdictSign } from '../shared/icons.js';
import type { RowVerdict } from '../shared/verdicts.js';

export function RulesTable(props: {
  rows: readonly RowVerdict[];
  seen: boolean;
  over: boolean;
  /** All records have been read, so a row without one did not fail. */
  complete: boolean;
}): JSX.Element {
  const { seen, over, complete } = props;
  const rows = over && !complete ? [] : props.rows;
  return (
    <section className="card rules" aria-label="Specification">
      <h2>Specification</h2>
      <p className="quiet">
        {over
          ? complete
            ? 'Results for the whole broadcast.'
            : 'Loading the error log of the whole broadcast.'
          : seen
            ? 'Current state of the stream.'
            : 'Requirements for the stream. No data yet.'}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Requirement</th>
            <th scope="col" className="seen">
              {over ? 'Result' : 'Observed'}
            </th>
          </tr>
        </thead>
        {(['Video', 'Audio', 'Stream'] as const).map((group) => (
          <tbody key={group}>
            <tr className="group">
              <th colSpan={2} scope="rowgroup">
                {group}
              </th>
            </tr>
            {rows
              .filter(({ row }) => row.group === group)
              .map((each) => (
                <Row key={each.row.id} {...each} over={over} />
              ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

function Row({ row, verdict, observed, bound, records, over }: RowVerdict & { over: boolean }): JSX.Element {
  const times = records.reduce((sum, record) => sum + record.count, 0);
  const clean = verdict === 'pass' ? 'no errors' : 'no data';
  const result = times === 0 ? clean : times === 1 ? 'failed once' : `failed ${times} times`;
  return (
    <tr className={`row row-${verdict}`}>
      <th scope="row">
        <div>
          <VerdictSign verdict={verdict} {...(over ? { label: FINAL_LABELS[verdict] } : {})} />
          <span>
            {row.title}
            <small>{bound}</small>
          </span>
        </div>
      </th>
      <td className="seen">{over ? result : (observed ?? '–')}</td>
    </tr>
  );
}
