/** The specification: bound, observed value and verdict of each row; those that pass are folded. */
import type { JSX } from 'react';
import { specSentence } from '../shared/spec-sentence.js';
import type { RowVerdict } from '../shared/verdicts.js';
import { Card } from './card.js';
import { classes, MUTED } from './classes.js';
import { RangeBar } from './range-bar.js';
import { FINAL_LABELS, VerdictSign } from './verdict-sign.js';

export function RulesTable(props: {
  rows: readonly RowVerdict[];
  seen: boolean;
  /** The values are those of now, not the last before the encoder disconnected. */
  current: boolean;
  over: boolean;
  /** All records have been read, so a row without one did not fail. */
  complete: boolean;
  /** `2:45 of 2:58`, or `the whole time`, by row, for an ended broadcast. */
  broken: ReadonlyMap<string, string>;
  title?: string;
  /** Absent: what is known of the broadcast. */
  sentence?: string;
}): JSX.Element {
  const { seen, over, complete, broken, title = 'Specification' } = props;
  const rows = over && !complete ? [] : props.rows;
  const isFailing = ({ verdict }: RowVerdict): boolean => verdict === 'fail' || verdict === 'warn';
  const isShown = (each: RowVerdict): boolean => isFailing(each) || (each.row.watched === true && !over);
  const folded = rows.filter((each) => !isShown(each));
  const passing = folded.filter(({ verdict }) => verdict === 'pass').length;
  const unjudged = folded.length - passing;
  return (
    <Card title={title}>
      <p className={MUTED}>{props.sentence ?? specSentence({ ...props, hasFailing: rows.some(isFailing) })}</p>
      <Rows rows={rows.filter(isShown)} over={over} broken={broken} />
      {folded.length === 0 ? null : (
        <details className="mt-3">
          <summary className="text-sm text-muted">
            {seen || over ? `${passing} more ${passing === 1 ? 'check' : 'checks'} without errors` : 'All requirements'}
            {unjudged > 0 && (seen || over) ? `, ${unjudged} without data` : ''}
          </summary>
          <Rows rows={folded} over={over} broken={broken} />
        </details>
      )}
    </Card>
  );
}

function Rows(props: {
  rows: readonly RowVerdict[];
  over: boolean;
  broken: ReadonlyMap<string, string>;
}): JSX.Element | null {
  const { rows, over, broken } = props;
  if (rows.length === 0) return null;
  return (
    <table className="mt-2 w-full border-collapse text-left">
      <thead className="text-sm text-muted">
        <tr>
          <th scope="col">Requirement</th>
          <th scope="col" className="whitespace-nowrap pl-2.5 text-right">
            {over ? 'Result' : 'Observed'}
          </th>
        </tr>
      </thead>
      {(['Video', 'Audio', 'Stream'] as const).map((group) => {
        const members = rows.filter(({ row }) => row.group === group);
        return members.length === 0 ? null : (
          <tbody key={group}>
            <tr>
              <th colSpan={2} scope="rowgroup" className="pt-3 text-sm text-muted">
                {group}
              </th>
            </tr>
            {members.map((each) => (
              <Row key={each.row.id} {...each} over={over} broken={broken.get(each.row.id)} />
            ))}
          </tbody>
        );
      })}
    </table>
  );
}

const COLORS = { pass: '', warn: 'text-warn', fail: 'text-fail', unjudged: 'font-normal text-muted' } as const;

/** A longer value wraps: on a narrow screen it would take the room of the titles. */
const NOWRAP_LENGTH = 14;

function Row(props: RowVerdict & { over: boolean; broken: string | undefined }): JSX.Element {
  const { row, verdict, observed, bound, gauge, records, over, broken } = props;
  const times = records.reduce((sum, record) => sum + record.count, 0);
  const clean = verdict === 'pass' ? 'no errors' : 'no data';
  const failed = times === 1 ? 'failed once' : `failed ${times} times`;
  const isFailed = over && times > 0 && verdict !== 'pass' && verdict !== 'unjudged';
  return (
    <tr className="align-top">
      <th scope="row" className="border-t border-line py-1.5 font-normal">
        <div className="flex gap-2.5">
          <VerdictSign verdict={verdict} {...(over ? { label: FINAL_LABELS[verdict] } : {})} />
          <span>
            {row.title}
            <small className="block">{bound}</small>
          </span>
        </div>
      </th>
      <td
        className={classes(
          'min-w-[92px] border-t border-line py-1.5 pl-2.5 text-right font-semibold',
          (observed?.length ?? 0) <= NOWRAP_LENGTH && 'whitespace-nowrap',
          COLORS[verdict],
        )}
      >
        {observed ?? (isFailed ? failed : over ? clean : '–')}
        {gauge === undefined || over ? null : <RangeBar {...gauge} />}
        {isFailed && observed !== undefined ? <small className="block">{failed}</small> : null}
        {broken === undefined ? null : <small className="block">{broken}</small>}
      </td>
    </tr>
  );
}
