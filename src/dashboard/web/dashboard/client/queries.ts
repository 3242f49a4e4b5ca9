/** How the pages read: answers are kept, and what failed is asked for again until the server answers. */
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api.js';

/** After a fault that may pass, such as a server that restarts. */
export const RETRY_MS = 3_000;

/** Whether the same question may get an answer later. */
export const mayPass = (error: unknown): boolean => error instanceof ApiError && error.fault.transient;

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // A server on the same machine answers without a network.
        networkMode: 'always',
        // A fault is shown at once, and asked about again while it is shown.
        retry: false,
        refetchInterval: ({ state }) => (state.status === 'error' && mayPass(state.error) ? RETRY_MS : false),
      },
    },
  });
}
