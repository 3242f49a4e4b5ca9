/** A list that the server answers in pages, oldest last: the first is read at once, further ones on demand. */
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiError } from './api.js';
import { faultText } from './queries.js';

export interface RowsOfPage<Row> {
  readonly rows: readonly Row[];
  /** Cursor of the next page; absent on the last one. */
  readonly next?: string | undefined;
}

export interface Paged<Row> {
  /** `undefined` before the first page. */
  readonly rows: readonly Row[] | undefined;
  readonly fault: string;
  readonly busy: boolean;
  /** Reads the next page; `undefined` on the last one. */
  readonly more: (() => void) | undefined;
  readonly reload: () => void;
  /** Replaces rows after a change that the page made itself. */
  readonly change: (to: (row: Row) => Row) => void;
}

interface List<Row> {
  readonly key: readonly unknown[];
  read(after: string | undefined, signal: AbortSignal): Promise<RowsOfPage<Row>>;
  /** False: nothing is read yet. */
  readonly isAsked?: boolean;
  /** The words for an error. */
  explain?(error: ApiError): string;
}

export function usePages<Row>({ key, read, isAsked = true, explain }: List<Row>): Paged<Row> {
  const queries = useQueryClient();
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    enabled: isAsked,
  });
  const { data, fetchNextPage, refetch, hasNextPage, isFetching } = query;
  const change = (to: (row: Row) => Row): void => {
    queries.setQueryData<InfiniteData<RowsOfPage<Row>>>(
      key,
      (held) => held && { ...held, pages: held.pages.map((page) => ({ ...page, rows: page.rows.map(to) })) },
    );
  };
  return {
    rows: data?.pages.flatMap(({ rows }) => rows),
    fault: faultText(query, explain),
    busy: isFetching && (data === undefined || query.isFetchingNextPage),
    more: hasNextPage ? () => void fetchNextPage() : undefined,
    reload: () => void refetch(),
    change,
  };
}
