/** How the pages read: an answer is kept while it is asked for again, and a server that is away is asked until it is back. */
import {
  keepPreviousData,
  QueryClient,
  QueryClientProvider,
  type UseQueryOptions,
  useQuery,
} from '@tanstack/react-query';
import { type JSX, type ReactNode, useState } from 'react';
import { type Api, ApiError } from './api.js';

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 5_000;

/** Whether the same question may get an answer later. */
const mayPass = (error: unknown): boolean => error instanceof ApiError && error.fault.transient;

function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // A server on the same machine answers without a network.
        networkMode: 'always',
        retry: (_count, error) => mayPass(error),
        retryDelay: (count) => Math.min(FIRST_RETRY_MS * 2 ** count, LONGEST_RETRY_MS),
      },
    },
  });
}

/** The cache of what it contains, which ends with it. */
export function Queries({ children }: { children: ReactNode }): JSX.Element {
  const [client] = useState(createQueries);
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}

/** A reading as the components show it. */
export interface Reading<Answer> {
  /** The last one, also while a later one is awaited. */
  readonly answer: Answer | undefined;
  /** Why there is none, or no later one: it is asked for again if that may pass. */
  readonly fault: string;
  /** Asks again. Resolves when that is answered. */
  read(): Promise<void>;
}

interface QueryState {
  readonly error: Error | null;
  readonly failureReason: Error | null;
}

/** The text of what failed; `explain`: in the words of the page. */
export function faultText({ error, failureReason }: QueryState, explain?: (error: ApiError) => string): string {
  const reason = error ?? failureReason;
  if (reason === null) return '';
  return reason instanceof ApiError && explain !== undefined ? explain(reason) : reason.message;
}

type Options<Answer> = Omit<UseQueryOptions<Answer>, 'queryKey'> & { readonly queryKey: readonly unknown[] };

/** A query whose last answer stays while its key changes. */
export function useReading<Answer>(options: Options<Answer>): Reading<Answer> {
  const placeholderData = keepPreviousData as NonNullable<UseQueryOptions<Answer>['placeholderData']>;
  const query = useQuery<Answer>({ placeholderData, ...options });
  const { refetch } = query;
  return {
    answer: query.data,
    fault: faultText(query),
    read: async () => {
      await refetch();
    },
  };
}

type Params = Readonly<Record<string, string>>;

/** The answer to a GET, read again when `version` changes, and each `everyMs`. */
export function useAnswer<Answer>(
  api: Api,
  path: string,
  params: Params = {},
  more: { readonly version?: string | number; readonly everyMs?: number | undefined; readonly isAsked?: boolean } = {},
): Reading<Answer> {
  const { version = '', everyMs, isAsked = true } = more;
  return useReading<Answer>({
    queryKey: [path, params, version],
    queryFn: ({ signal }) => api.get<Answer>(path, params, signal),
    enabled: isAsked,
    refetchInterval: everyMs ?? false,
  });
}
