/**
 * Has the media process started when there is work that does not call it: jobs and copyright references, in the store. The
 * process ends when it has had none for a while (`MediaRest`), and does not see new work then. For the web process, which
 * always runs.
 */
import { type Bus, type Log, StoreUnavailableError, TOPIC } from '../../ports/index.js';
import type { JobQueue } from '../../vod/jobs/job-queue.js';
import { JOB_TIMES } from '../../vod/jobs/limits.js';

export interface MediaDemandDeps {
  readonly jobs: Pick<JobQueue, 'hasDue'>;
  readonly bus: Pick<Bus, 'subscribe'>;
  /** Copyright references, with which running broadcasts are compared. */
  readonly hasReferences: () => Promise<boolean>;
  readonly log: Log;
  /** No media process runs, since nothing needs one. */
  readonly isIdle: () => boolean;
  /** Has one started, unless one runs. */
  readonly demand: () => void;
}

export class MediaDemand {
  readonly #deps: MediaDemandDeps;
  readonly #unsubscribe: readonly (() => void)[];
  readonly #timer: NodeJS.Timeout;

  /** Runs until `close`. At its start no media process has seen the jobs and references that are there. */
  constructor(deps: MediaDemandDeps) {
    this.#deps = deps;
    const { bus } = deps;
    this.#timer = setInterval(() => void this.look(), JOB_TIMES.pollMs).unref();
    this.#unsubscribe = [
      bus.subscribe(TOPIC.jobs, () => void this.look()),
      bus.subscribe(TOPIC.references, () => this.#demand()),
    ];
    void this.#begin();
  }

  /** A job that is due soon will be when the process is ready. */
  async look(): Promise<void> {
    const { jobs, log, isIdle } = this.#deps;
    if (!isIdle()) return;
    try {
      if (await jobs.hasDue(JOB_TIMES.soonMs)) this.#demand();
    } catch (error) {
      if (error instanceof StoreUnavailableError) log.debug({ error }, 'cannot look for jobs: store unavailable');
      else log.error({ error }, 'looking for jobs failed');
    }
  }

  async #begin(): Promise<void> {
    const { hasReferences, jobs, log, demand } = this.#deps;
    try {
      if ((await jobs.hasDue(JOB_TIMES.soonMs)) || (await hasReferences())) demand();
    } catch (error) {
      log.warn(
        { error },
        'cannot look for jobs and copyright references: the media process starts with the first sample or job',
      );
    }
  }

  #demand(): void {
    if (this.#deps.isIdle()) this.#deps.demand();
  }

  close(): void {
    clearInterval(this.#timer);
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }
}
