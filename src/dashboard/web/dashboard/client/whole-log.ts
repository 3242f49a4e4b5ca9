/** All records of a broadcast: read over HTTP when its page opens, then updated by the feed. */
import { defined } from '../../../../lib/objects.js';
import type { ErrorView } from '../../../../spec/error-view.js';
import type { Api, Page } from './api.js';
import { useReading } from './queries.js';
import { useSession } from './session.js';

export interface WholeLog {
  readonly records: readonly ErrorView[];
  /** All pages have been read. */
  readonly complete: boolean;
  readonly fault: string;
  retry(): void;
}

const PAGE_SIZE = 100;

/** Yields the pages, newest records first. */
export async function* recordPages(
  api: Api,
  id: string,
  filters: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): AsyncGenerator<Page<ErrorView>> {
  let after: string | undefined;
  do {
    const params = { ...filters, limit: String(PAGE_SIZE), ...defined({ after }) };
    const page: Page<ErrorView> = await api.get(`/${id}/errors`, params, signal);
    yield page;
    after = page.paging?.next === undefined ? undefined : page.paging.cursors?.after;
  } while (after !== undefined);
}

interface Log {
  readonly records: ReadonlyMap<string, ErrorView>;
  readonly complete: boolean;
}

const NOTHING: Log = { records: new Map(), complete: false };

/** Rereads the log when `version` changes, and after the feed was away. */
export function useWholeLog(id: string, held: ReadonlyMap<string, ErrorView>, version = ''): WholeLog {
  const { api } = useSession();
  const { answer, fault, read } = useReading<Log>({
    queryKey: ['whole log', id, version],
    // The feed brings what changes.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal, client, queryKey }) => {
      const records = new Map<string, ErrorView>();
      for await (const { data } of recordPages(api, id, {}, signal)) {
        for (const record of data) records.set(record.id, record);
        // A long log is shown while its pages arrive.
        if (client.getQueryData<Log>(queryKey)?.complete !== true) {
          client.setQueryData<Log>(queryKey, { records: new Map(records), complete: false });
        }
      }
      return { records, complete: true };
    },
  });
  const { records, complete } = answer ?? NOTHING;
  return { records: merged(records, held), complete, fault, retry: () => void read() };
}

/** Newest first. The higher revision wins: records held from before a reconnect may be older than those just read. */
function merged(read: ReadonlyMap<string, ErrorView>, held: ReadonlyMap<string, ErrorView>): readonly ErrorView[] {
  const all = new Map(read);
  for (const [id, record] of held) if ((all.get(id)?.revision ?? -1) <= record.revision) all.set(id, record);
  return [...all.values()].sort((a, b) => b.sequence - a.sequence);
}
