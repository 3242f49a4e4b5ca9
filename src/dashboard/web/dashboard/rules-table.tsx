/** Each rule of the specification: what is asked, what is seen, kept or not. */
import type { JSX } from 'preact';
import { VerdictSign } from '../shared/icons.js';
import type { RowVerdict } from '../shared/verdicts.js';

export function RulesTable(props: {
  rows: readonly RowVerdict[];
  seen: boolean;
  over: boolean;
  /** All records have been read, so that a rule without one was not broken. */
  complete: boolean;
}): JSX.Element {
  const { seen, over, complete } = props;
  const rows = over && !complete ? [] : props.rows;
  return (
    <section class="card rules" aria-label="Specification">
      <h2>Specification</h2>
      <p class="quiet">
        {over
          ? complete
            ? 'Over the whole broadcast.'
            : 'Reading the log of the whole broadcast.'
          : seen
            ? 'As the stream is now.'
            : 'What the encoder must send. Nothing has been seen yet.'}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col" class="seen">
              {over ? 'Result' : 'Seen'}
            </th>
          </tr>
        </thead>
        {(['Video', 'Audio', 'Stream'] as const).map((group) => (
          <tbody key={group}>
            <tr class="group">
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
  const kept = verdict === 'pass' ? 'not broken' : 'not judged';
  const result = times === 0 ? kept : times === 1 ? 'broken once' : `broken ${times} times`;
  return (
    <tr class={`row row-${verdict}`}>
      <th scope="row">
        <div>
          <VerdictSign verdict={verdict} />
          <span>
            {row.title}
            <small>{bound}</small>
          </span>
        </div>
      </th>
      <td class="seen">{over ? result : (observed ?? '–')}</td>
    </tr>
  );
}
