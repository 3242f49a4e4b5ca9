/** All records of a broadcast, newest first, with filters and export. */
import { type JSX, useState } from 'react';
import { filledRemedy } from '../../../../lib/filled-remedy.js';
import type { ErrorView } from '../../../../spec/error-view.js';
import { spanOf } from '../../shared/broken-time.js';
import { isOpen } from '../../shared/feed-state.js';
import { dateTime, duration, sentenceOf } from '../../shared/format.js';
import { timeOf, titleOf } from '../../shared/verdicts.js';
import { Button } from '../../ui/button.js';
import { Badge, Fault } from '../../ui/callout.js';
import { Card, Empty, Loading } from '../../ui/card.js';
import { RemedyText } from '../../ui/remedy-text.js';
import { Select } from '../../ui/select.js';
import { VerdictSign } from '../../ui/verdict-sign.js';
import type { Api } from '../client/api.js';
import { useSession } from '../client/session.js';
import { ActionButton } from '../client/ui.js';
import { recordPages, type WholeLog } from '../client/whole-log.js';
import { errorsAsCsv, errorsAsJson } from './error-export.js';

type Severity = 'all' | ErrorView['severity'];

const SEVERITIES: Readonly<Record<Severity, string>> = {
  all: 'All severities',
  error: 'Errors',
  warning: 'Warnings',
  info: 'Info',
};

/** Rows shown at first. */
const ROWS = 25;

interface Filters {
  readonly severity: Severity;
  readonly open: boolean;
}

/** `started`: an encoder has connected, so an empty log means no errors. */
export function ErrorLog(props: {
  id: string;
  log: WholeLog;
  started: boolean;
  /** Open errors are explained elsewhere on the page. */
  running: boolean;
  frameRateClass: 30 | 60 | undefined;
  /** Name of the input stream that a record is about; ''. */
  nameOf: (record: ErrorView) => string;
}): JSX.Element {
  const { id, log, started, running, frameRateClass, nameOf } = props;
  const { api } = useSession();
  const [filters, setFilters] = useState<Filters>({ severity: 'all', open: false });
  const [rows, setRows] = useState(ROWS);
  const { severity, open } = filters;
  const matching = log.records.filter(
    (record) => (severity === 'all' || record.severity === severity) && (!open || isOpen(record)),
  );
  const filtered = open || severity !== 'all';
  return (
    <Card
      title="Error log"
      folds
      aside={
        <>
          <Select
            label="Severity"
            value={severity}
            titles={SEVERITIES}
            onChange={(to) => setFilters({ ...filters, severity: to })}
          />
          <label className="flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              checked={open}
              onChange={(event) => setFilters({ ...filters, open: event.currentTarget.checked })}
            />
            Open only
          </label>
          <span className="inline-flex gap-1.5">
            <ActionButton act={() => download(api, id, filters, 'csv')}>CSV</ActionButton>
            <ActionButton act={() => download(api, id, filters, 'json')}>JSON</ActionButton>
          </span>
        </>
      }
    >
      {log.fault === '' ? null : <Fault message={log.fault} retry={log.retry} />}
      {matching.length === 0 && log.complete ? (
        <Empty title={filtered ? 'No matches' : started ? 'No errors' : 'No stream yet'} />
      ) : null}
      <ul className="divide-y divide-line">
        {matching.slice(0, rows).map((record) => (
          <Row
            key={record.id}
            {...{ record, frameRateClass }}
            brief={running && isOpen(record)}
            input={nameOf(record)}
          />
        ))}
      </ul>
      {log.complete || log.fault !== '' ? null : <Loading what="Loading the error log" />}
      {matching.length <= rows ? null : <Button onClick={() => setRows(rows + 4 * ROWS)}>Older records</Button>}
    </Card>
  );
}

function Row(props: {
  record: ErrorView;
  brief: boolean;
  frameRateClass: 30 | 60 | undefined;
  input: string;
}): JSX.Element {
  const { record, brief, frameRateClass, input } = props;
  const started = timeOf(record);
  return (
    <li className="flex gap-3 py-3">
      <VerdictSign
        verdict={record.severity === 'error' ? 'fail' : record.severity === 'warning' ? 'warn' : 'unjudged'}
      />
      <div className="min-w-0 flex-1">
        <h3 className="flex flex-wrap justify-between gap-x-2.5 gap-y-0.5">
          {titleOf(record)}
          <Badge tone={isOpen(record) ? 'fail' : 'quiet'}>
            {record.source === 'publish' ? 'Refused' : stateOf(record)}
          </Badge>
        </h3>
        {brief ? null : <p>{sentenceOf(record)}</p>}
        {record.remediation && !brief ? (
          <p className="text-sm text-muted">
            <RemedyText remedy={filledRemedy(record.remediation, frameRateClass)} />
          </p>
        ) : null}
        <p className="text-sm text-muted">
          #{record.sequence} · {record.error_code} · <time dateTime={record.timestamp}>{dateTime(started)}</time>
          {` · ${whereOf(record)}`}
          {record.count > 1 ? ` · ${record.count} times` : ''}
          {input === '' ? '' : ` · ${input}`}
        </p>
      </div>
    </li>
  );
}

/** A refused publish has an address in place of a stream time. */
function whereOf({ stream_time_ms: streamMs, address, encoder }: ErrorView): string {
  if (streamMs !== undefined) return `stream time ${duration(streamMs)}`;
  return `from ${address ?? 'an unknown address'}${encoder === undefined ? '' : ` (${encoder})`}`;
}

function stateOf(record: ErrorView): string {
  if (record.cleared_time === undefined) return 'Open';
  const { openMs } = spanOf(record, Date.parse(record.cleared_time));
  return openMs < 1_000 ? 'Cleared' : `Lasted ${duration(openMs)}`;
}

/** Reads the log from the server again, so that the file is complete and current. */
async function download(api: Api, id: string, { severity, open }: Filters, as: 'csv' | 'json'): Promise<void> {
  const records: ErrorView[] = [];
  const params = { ...(severity === 'all' ? {} : { severity }), ...(open ? { open: 'true' } : {}) };
  for await (const { data } of recordPages(api, id, params)) records.push(...data);
  const blob =
    as === 'csv'
      ? new Blob([errorsAsCsv(records)], { type: 'text/csv' })
      : new Blob([errorsAsJson(records)], { type: 'application/json' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `errors-${id}.${as}`;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
