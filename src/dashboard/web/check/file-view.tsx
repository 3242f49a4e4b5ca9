/** The result of one file, as the dashboard shows a broadcast that is over. */
import { type JSX, memo, useState } from 'react';
import { visible } from '../../../lib/visible.js';
import type { ErrorView } from '../../../spec/error-view.js';
import { Timeline } from '../dashboard/charts/timeline.js';
import { adviceOf } from '../shared/advice.js';
import { duration, sentenceOf } from '../shared/format.js';
import { liveText } from '../shared/live-text.js';
import { titleOf } from '../shared/verdicts.js';
import { AdviceBox } from '../ui/advice-box.js';
import { Button } from '../ui/button.js';
import { Card, Empty } from '../ui/card.js';
import { HealthBanner } from '../ui/health-banner.js';
import { RulesTable } from '../ui/rules-table.js';
import { Select } from '../ui/select.js';
import { VerdictSign } from '../ui/verdict-sign.js';
import { ENCODERS, type Encoder, fileLine, recordViews, resultsAsJson, ruleRows, sentOf } from './file-rows.js';
import type { Judged } from './messages.js';
import { htmlOfFile, worthChanging } from './report-html.js';

/** The version of the package, which the build fills in. */
declare const AIRLOCK_VERSION: string;

/** Memoized: the progress of other files does not draw it again. */
export const FileView = memo(View);

function View({ judged }: { judged: Judged }): JSX.Element {
  const { result, history, bounds, remedies, spec } = judged;
  const [encoder, setEncoder] = useState<Encoder>('found');
  const records = recordViews(result, encoder === 'found' ? undefined : remedies[encoder]);
  const rows = ruleRows(result, records);
  const { stream, notes } = result;
  const isUpload = result.spec === 'upload';
  const toMs = stream?.streamTimeMs ?? 0;
  const name = visible(result.file);
  return (
    <article aria-label={`Result of ${name}`}>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="mr-auto">{name}</h2>
        {isUpload ? null : <Select label="Encoder" value={encoder} titles={ENCODERS} onChange={setEncoder} />}
        <span className="inline-flex gap-1.5">
          <Button
            onClick={() => save(resultsAsJson([result], AIRLOCK_VERSION), 'application/json', `${result.file}.json`)}
          >
            Save JSON
          </Button>
          <Button onClick={() => save(htmlOfFile({ result, records, rows, spec }), 'text/html', `${result.file}.html`)}>
            Save HTML
          </Button>
        </span>
      </div>
      <HealthBanner line={fileLine(result)} sinceMs={undefined} />
      {notes.length === 0 ? null : (
        <ul className="mb-4 text-sm text-muted">
          {notes.map((note) => (
            <li key={note}>{visible(note)}</li>
          ))}
        </ul>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-5 xl:grid-cols-[minmax(0,1fr)_400px]">
        <div className="min-w-0">
          <AdviceBox advice={adviceOf(worthChanging(records), sentOf(result))} />
          {stream === undefined || isUpload ? null : (
            <Timeline
              observed={{ history, fault: '', reload: () => undefined }}
              records={records}
              live={false}
              fromMs={0}
              toMs={toMs}
              bounds={bounds}
              timeText={duration}
            />
          )}
          <Findings records={records} untilMs={toMs} />
        </div>
        <div className="min-w-0">
          {rows.length === 0 ? null : (
            <RulesTable
              title="Rules"
              sentence={isUpload ? 'Each rule of uploads.' : 'Each rule over the whole file.'}
              rows={rows}
              seen
              current={false}
              over
              complete
              broken={NONE}
            />
          )}
        </div>
      </div>
    </article>
  );
}

const NONE: ReadonlyMap<string, string> = new Map();

/** Rows shown at first. */
const ROWS = 25;

function Findings({ records, untilMs }: { records: readonly ErrorView[]; untilMs: number }): JSX.Element {
  const [rows, setRows] = useState(ROWS);
  return (
    <Card title="Findings">
      {records.length === 0 ? <Empty title="No findings" /> : null}
      <ul className="divide-y divide-line">
        {records.slice(0, rows).map((record) => (
          <li key={record.id} className="flex gap-3 py-3">
            <VerdictSign
              verdict={record.severity === 'error' ? 'fail' : record.severity === 'warning' ? 'warn' : 'unjudged'}
            />
            <div className="min-w-0 flex-1">
              <h3>{titleOf(record)}</h3>
              <p>{sentenceOf(record)}</p>
              <p className="text-sm text-muted">
                {[
                  ...(isOfWhole(record) ? [] : [`at ${duration(record.stream_time_ms ?? 0)}`]),
                  `${record.error_code} ${record.error_type}`,
                  ...(isOfWhole(record) ? [] : [liveText(record, untilMs)]),
                ].join(' · ')}
              </p>
            </div>
          </li>
        ))}
      </ul>
      {records.length <= rows ? null : <Button onClick={() => setRows(rows + 4 * ROWS)}>More findings</Button>}
    </Card>
  );
}

/** The record concerns the whole file, and no time in it. */
function isOfWhole({ evidence }: ErrorView): boolean {
  return evidence?.first.kind === 'file';
}

function save(text: string, type: string, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
