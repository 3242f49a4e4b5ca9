/** Every record of a broadcast, newest first: filtered, paged, kept up to date by the feed, and as a file. */
import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { ErrorView } from '../../../spec/error-view.js';
import { isOpen, withRecords } from '../shared/feed-state.js';
import { dateTime, duration, sentenceOf } from '../shared/format.js';
import { VerdictSign } from '../shared/icons.js';
import { timeOf, titleOf } from '../shared/verdicts.js';
import { type Api, faultWords, type Page } from './api.js';
import { errorsAsCsv, errorsAsJson } from './error-export.js';
import { useSession } from './session.js';
import { ActionButton, Empty, Fault, Loading } from './ui.js';

type Severity = 'all' | ErrorView['severity'];

const PAGE_SIZE = 25;
const EXPORT_PAGE = 100;

interface Filters {
  readonly severity: Severity;
  readonly open: boolean;
}

function query({ severity, open }: Filters, limit: number, after: string | undefined): Record<string, string> {
  return {
    limit: String(limit),
    ...(severity === 'all' ? {} : { severity }),
    ...(open ? { open: 'true' } : {}),
    ...(after === undefined ? {} : { after }),
  };
}

export function ErrorLog(props: { id: string; held: ReadonlyMap<string, ErrorView>; title: string }): JSX.Element {
  const { id, held } = props;
  const { api } = useSession();
  const [filters, setFilters] = useState<Filters>({ severity: 'all', open: false });
  const [read, setRead] = useState<ReadonlyMap<string, ErrorView>>();
  const [next, setNext] = useState<string>();
  const [fault, setFault] = useState('');
  const load = useCallback(
    async (after?: string): Promise<void> => {
      setFault('');
      try {
        const page = await api.get<Page<ErrorView>>(`/${id}/errors`, query(filters, PAGE_SIZE, after));
        setRead((former) => withRecords(after === undefined ? new Map() : (former ?? new Map()), page.data));
        setNext(page.paging?.next === undefined ? undefined : page.paging.cursors?.after);
      } catch (error) {
        setFault(faultWords(error));
      }
    },
    [api, id, filters],
  );
  useEffect(() => void load(), [load]);

  const shown = shownRecords(read, held, filters, next !== undefined);
  return (
    <section class="card log">
      <div class="log-head">
        <h2>Error log</h2>
        <label>
          Severity
          <select
            value={filters.severity}
            onChange={(event) => setFilters({ ...filters, severity: event.currentTarget.value as Severity })}
          >
            <option value="all">All</option>
            <option value="error">Errors</option>
            <option value="warning">Warnings</option>
            <option value="info">Notes</option>
          </select>
        </label>
        <label class="choice">
          <input
            type="checkbox"
            checked={filters.open}
            onChange={(event) => setFilters({ ...filters, open: event.currentTarget.checked })}
          />
          Open only
        </label>
        <span class="log-files">
          <ActionButton act={() => download(api, id, filters, 'csv')}>CSV</ActionButton>
          <ActionButton act={() => download(api, id, filters, 'json')}>JSON</ActionButton>
        </span>
      </div>
      {fault === '' ? null : <Fault words={fault} retry={() => void load()} />}
      {read === undefined && fault === '' ? <Loading what="Reading the log" /> : null}
      {read !== undefined && shown.length === 0 ? (
        <Empty title={filters.open || filters.severity !== 'all' ? 'Nothing matches' : 'Nothing was broken'} />
      ) : null}
      <ul class="records">
        {shown.map((record) => (
          <Row key={record.id} record={record} />
        ))}
      </ul>
      {next === undefined ? null : (
        <button type="button" class="button" onClick={() => void load(next)}>
          Older records
        </button>
      )}
    </section>
  );
}

/** What the feed holds is newer, and has what was raised since; what is older than the pages read so far is left out. */
function shownRecords(
  read: ReadonlyMap<string, ErrorView> | undefined,
  held: ReadonlyMap<string, ErrorView>,
  { severity, open }: Filters,
  more: boolean,
): readonly ErrorView[] {
  if (read === undefined) return [];
  const oldest = more ? Math.min(...[...read.values()].map((record) => record.sequence)) : 0;
  const newer = [...held.values()].filter((record) => record.sequence >= oldest);
  return [...withRecords(read, newer).values()]
    .filter((record) => (severity === 'all' || record.severity === severity) && (!open || isOpen(record)))
    .sort((a, b) => b.sequence - a.sequence);
}

function Row({ record }: { record: ErrorView }): JSX.Element {
  const started = timeOf(record);
  return (
    <li class={`record record-${record.severity}`}>
      <VerdictSign
        verdict={record.severity === 'error' ? 'fail' : record.severity === 'warning' ? 'warn' : 'unjudged'}
      />
      <div>
        <h3>
          {titleOf(record)}
          <span class={isOpen(record) ? 'badge badge-fail' : 'badge'}>
            {record.cleared_time === undefined ? 'Open' : lasted(started, Date.parse(record.cleared_time))}
          </span>
        </h3>
        <p>{sentenceOf(record)}</p>
        {record.remediation ? <p class="quiet">{record.remediation}</p> : null}
        <p class="quiet">
          #{record.sequence} · {record.error_code} · <time dateTime={record.timestamp}>{dateTime(started)}</time> · at{' '}
          {duration(record.stream_time_ms)} of the stream
          {record.count > 1 ? ` · ${record.count} times` : ''}
        </p>
      </div>
    </li>
  );
}

function lasted(fromMs: number, toMs: number): string {
  return toMs - fromMs < 1_000 ? 'Over' : `Lasted ${duration(toMs - fromMs)}`;
}

/** All records that the filters let through, not only those on the page. */
async function download(api: Api, id: string, filters: Filters, as: 'csv' | 'json'): Promise<void> {
  const records: ErrorView[] = [];
  let after: string | undefined;
  do {
    const page: Page<ErrorView> = await api.get(`/${id}/errors`, query(filters, EXPORT_PAGE, after));
    records.push(...page.data);
    after = page.paging?.next === undefined ? undefined : page.paging.cursors?.after;
  } while (after !== undefined);
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
