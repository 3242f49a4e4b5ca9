/** All records of a broadcast: read over HTTP when its page opens, then updated by the feed. */
import { useEffect, useState } from 'react';
import { defined } from '../../../../lib/objects.js';
import type { ErrorView } from '../../../../spec/error-view.js';
import { type Api, messageOf, type Page } from './api.js';
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

/** Rereads the log when `version` changes. */
export function useWholeLog(id: string, held: ReadonlyMap<string, ErrorView>, version = ''): WholeLog {
  const { api } = useSession();
  const [read, setRead] = useState<ReadonlyMap<string, ErrorView>>(new Map());
  const [complete, setComplete] = useState(false);
  const [fault, setFault] = useState('');
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const readAll = async (): Promise<void> => {
      const found = new Map<string, ErrorView>();
      try {
        setFault('');
        for await (const { data } of recordPages(api, id, {}, controller.signal)) {
          for (const record of data) found.set(record.id, record);
          setRead(new Map(found));
        }
        setComplete(true);
      } catch (error) {
        if (!controller.signal.aborted) setFault(messageOf(error));
      }
    };
    void readAll();
    return () => controller.abort();
  }, [api, id, tries, version]);
  return { records: merged(read, held), complete, fault, retry: () => setTries(tries + 1) };
}

/** Newest first. The higher revision wins: records held from before a reconnect may be older than those just read. */
function merged(read: ReadonlyMap<string, ErrorView>, held: ReadonlyMap<string, ErrorView>): readonly ErrorView[] {
  const all = new Map(read);
  for (const [id, record] of held) if ((all.get(id)?.revision ?? -1) <= record.revision) all.set(id, record);
  return [...all.values()].sort((a, b) => b.sequence - a.sequence);
}
