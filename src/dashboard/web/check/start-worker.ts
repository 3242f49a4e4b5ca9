/** The worker of a server's page: a file of its own, whose answer has a content policy too. */
export function startWorker(): Worker {
  return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
}

/** Where the dashboard is. */
export const DASHBOARD: string | undefined = '../dashboard/';
