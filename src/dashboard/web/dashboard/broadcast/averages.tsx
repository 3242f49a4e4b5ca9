/** Mean, lowest and highest value of a broadcast so far, in place of errors while there are none. */
import type { JSX } from 'react';
import { number } from '../../shared/format.js';
import { Card } from '../../ui/card.js';
import { type History, lines, summary } from '../charts/chart-data.js';

const MEASURES = [
  { column: 'video_kbps', title: 'Video bitrate', unit: 'kbps', digits: 0, per: 1 },
  { column: 'audio_kbps', title: 'Audio bitrate', unit: 'kbps', digits: 0, per: 1 },
  { column: 'frame_rate', title: 'Frame rate', unit: 'fps', digits: 2, per: 1 },
  { column: 'key_frame_interval_ms', title: 'Key frame interval', unit: 's', digits: 2, per: 1_000 },
] as const;

export function Averages({ history }: { history: History | undefined }): JSX.Element | null {
  if (history === undefined) return null;
  const { column } = lines(history, 0);
  const rows = MEASURES.flatMap((measure) => {
    const values = column(measure.column).map((value) => (value === null ? null : value / measure.per));
    const found = summary(values);
    return found === undefined ? [] : [{ ...measure, ...found }];
  });
  if (rows.length === 0) return null;
  return (
    <Card title="Averages">
      <table className="w-full border-collapse text-left">
        <thead className="text-sm text-muted">
          <tr>
            <th scope="col">So far</th>
            <th scope="col" className="pl-2.5 text-right">
              Mean
            </th>
            <th scope="col" className="pl-2.5 text-right">
              Range
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ title, unit, digits, mean, lowest, highest }) => (
            <tr key={title}>
              <th scope="row" className="border-t border-line py-1.5 font-normal">
                {title}
              </th>
              <td className="whitespace-nowrap border-t border-line py-1.5 pl-2.5 text-right font-semibold">
                {number(mean, digits)} {unit}
              </td>
              <td className="whitespace-nowrap border-t border-line py-1.5 pl-2.5 text-right text-sm text-muted">
                {lowest === highest
                  ? number(lowest, digits)
                  : `${number(lowest, digits)} to ${number(highest, digits)}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
