/** `airlock live report` as text and as one HTML page. */
import { visible } from '../../lib/visible.js';
import { htmlReport as htmlOf } from '../../report/html.js';
import {
  averageRows,
  COMPARED_COLUMNS,
  changes,
  comparedRows,
  FORWARD_COLUMNS,
  facts,
  forwardRows,
  INPUT_COLUMNS,
  inputRows,
  RULE_COLUMNS,
  ruleRow,
} from '../../report/lines.js';
import type { BroadcastReport } from '../../report/report.js';
import { textTable, UNWRAPPED, wrap } from '../console/text-table.js';
import type { Answer } from './action.js';

const isReport = (answer: object): answer is BroadcastReport => 'rules' in answer;

/** The answer of the action `live.report`; the server of an older version compares with nothing, and knows neither forwards nor two encoders. */
function reportOf(answer: Answer): BroadcastReport {
  const report = { compared: [], forwards: [], inputs: [], ...answer };
  if (!isReport(report)) throw new TypeError('the server answered without a report');
  return report;
}

export const htmlReport = (answer: Answer): string => htmlOf(reportOf(answer));

export function textReport(answer: Answer, columns = UNWRAPPED): string {
  const report = reportOf(answer);
  const rows = facts(report);
  const width = Math.max(...rows.map(([name]) => name.length));
  const parts = [rows.map(([name, value]) => `${name.padEnd(width)}  ${visible(value)}`).join('\n')];
  const averages = averageRows(report);
  if (averages.length > 0) parts.push(textTable(['Measure', 'Mean', 'Lowest', 'Highest'], averages, columns));
  const inputs = inputRows(report);
  if (inputs.length > 0) parts.push(`Two encoders:\n${textTable([...INPUT_COLUMNS], inputs, columns)}`);
  const forwards = forwardRows(report);
  if (forwards.length > 0) parts.push(`Forwards:\n${textTable([...FORWARD_COLUMNS], forwards, columns)}`);
  if (report.rules.length === 0) return [...parts, 'No errors.'].join('\n\n');
  parts.push(textTable([...RULE_COLUMNS], report.rules.map(ruleRow), columns));
  const advice = changes(report).map(([codes, text]) =>
    wrap(visible(`${codes}: ${text}`), columns - 2)
      .map((line, at) => (at === 0 ? `  ${line}` : `    ${line}`))
      .join('\n'),
  );
  if (advice.length > 0) parts.push(`What to change:\n${advice.join('\n')}`);
  const compared = comparedRows(report);
  if (compared.length > 0)
    parts.push(`Compared with the last ones:\n${textTable([...COMPARED_COLUMNS], compared, columns)}`);
  return parts.join('\n\n');
}
