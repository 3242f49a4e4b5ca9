/** Watched and failing rows; the other rows are folded, so that a low dock shows what matters. */
import type { JSX } from 'react';
import { plural } from '../shared/format.js';
import type { RowVerdict } from '../shared/verdicts.js';
import { classes } from '../ui/classes.js';
import { RangeBar } from '../ui/range-bar.js';
import { VerdictSign } from '../ui/verdict-sign.js';

export function Values({ rows, isCurrent }: { rows: readonly RowVerdict[]; isCurrent: boolean }): JSX.Element {
  const isSeen = rows.some((each) => each.observed !== undefined);
  const shown = rows.filter(({ row, verdict }) => row.watched || verdict === 'warn' || verdict === 'fail');
  const others = rows.filter((each) => !shown.includes(each));
  return (
    <>
      <table className="w-full border-collapse text-left">
        <caption className="text-left font-semibold">
          {isSeen ? (isCurrent ? 'Observed values' : 'Last observed values') : 'Required of your encoder'}
        </caption>
        <RowGroups rows={shown} isSeen={isSeen} />
      </table>
      <details className="mt-2">
        <summary className="text-muted">
          {plural(others.length, 'more check')}
          {isSeen ? ', none failing' : ''}
        </summary>
        <table className="w-full border-collapse text-left">
          <RowGroups rows={others} isSeen={isSeen} />
        </table>
      </details>
    </>
  );
}

function RowGroups({ rows, isSeen }: { rows: readonly RowVerdict[]; isSeen: boolean }): JSX.Element {
  const groups = (['Video', 'Audio', 'Stream'] as const).map((group) => ({
    group,
    members: rows.filter(({ row }) => row.group === group),
  }));
  return (
    <>
      {groups.map(({ group, members }) =>
        members.length === 0 ? null : (
          <tbody key={group}>
            <tr>
              <th colSpan={3} scope="rowgroup" className="pb-0.5 pt-2 text-xs text-muted">
                {group}
              </th>
            </tr>
            {members.map((each) => (
              <ValueRow key={each.row.id} {...each} isSeen={isSeen} />
            ))}
          </tbody>
        ),
      )}
    </>
  );
}

const COLORS = { pass: '', warn: 'text-warn', fail: 'text-fail', unjudged: 'font-normal text-muted' } as const;
const CELL = 'border-t border-line py-1.5 align-top';

function ValueRow({ row, verdict, observed, bound, gauge, isSeen }: RowVerdict & { isSeen: boolean }): JSX.Element {
  return (
    <tr>
      <td className={classes(CELL, 'w-7', !isSeen && 'hidden')}>
        <VerdictSign verdict={verdict} />
      </td>
      <th scope="row" className={classes(CELL, 'font-normal')}>
        {row.title}
        <small className="block text-xs">{bound}</small>
      </th>
      <td
        className={classes(
          CELL,
          'min-w-[84px] whitespace-nowrap pl-2 text-right font-semibold',
          COLORS[verdict],
          !isSeen && 'hidden',
        )}
      >
        {observed ?? '–'}
        {gauge === undefined ? null : <RangeBar {...gauge} />}
      </td>
    </tr>
  );
}
