/** The values of a chart as a table, which is made when it is opened. */
import { type JSX, useState } from 'react';
import { number } from '../../shared/format.js';
import type { Line } from './chart-data.js';

/** A longer chart has every second row, every third, and so on. */
const ROWS_MAX = 200;

interface ValuesProps {
  readonly title: string;
  readonly unit: string;
  readonly digits: number;
  readonly times: readonly number[];
  readonly line: Line;
  readonly extremes?: readonly [Line, Line];
  readonly timeText: (ms: number) => string;
}

export function ValuesTable(props: ValuesProps): JSX.Element | null {
  const [shown, setShown] = useState(false);
  if (props.times.length === 0) return null;
  return (
    <details className="text-sm print:hidden" onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary className="text-muted">
        Values<span className="sr-only"> of the chart {props.title}, as a table</span>
      </summary>
      {shown ? <Rows {...props} /> : null}
    </details>
  );
}

function Rows({ title, unit, digits, times, line, extremes, timeText }: ValuesProps): JSX.Element {
  const step = Math.ceil(times.length / ROWS_MAX);
  const rows = times.map((time, at) => ({ time, at })).filter(({ at }) => at % step === 0 && line[at] !== null);
  const text = (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : number(value, digits);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section className="max-h-64 max-w-md overflow-y-auto" aria-label={`Values of ${title}`} tabIndex={0}>
      <table className="w-full border-collapse text-right">
        <thead>
          <tr className="text-muted">
            <th scope="col" className="text-left">
              Time
            </th>
            <th scope="col">
              {title} ({unit})
            </th>
            {extremes === undefined ? null : (
              <>
                <th scope="col">Lowest</th>
                <th scope="col">Highest</th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, at }) => (
            <tr key={time} className="border-t border-line">
              <th scope="row" className="text-left font-normal">
                {timeText(time * 1_000)}
              </th>
              <td>{text(line[at])}</td>
              {extremes?.map((each, index) => (
                <td key={index === 0 ? 'lowest' : 'highest'}>{text(each[at])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
