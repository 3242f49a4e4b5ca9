/** The worker of the page without a server: a blob, which has the content policy of the page, as no host can be told one. */
import InlineWorker from './worker.js?worker&inline';

export function startWorker(): Worker {
  return new InlineWorker();
}

export const DASHBOARD: string | undefined = undefined;
