/**
 * Ends the media process when it has had nothing to do for a while, which gives its memory back. `MediaDemand` and the calls of
 * other processes have the next one started.
 */
import { type Clock, type Log, StoreUnavailableError } from '../../ports/index.js';
import type { JobQueue } from '../../vod/jobs/job-queue.js';
import { JOB_TIMES } from '../../vod/jobs/limits.js';

export interface MediaRestDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
  readonly jobs: Pick<JobQueue, 'isWorking' | 'retire'>;
  /** Calls of other processes. */
  readonly calls: { readonly isAnswering: boolean; readonly received: number };
  /** Copyright references in the index, which takes long to build. */
  readonly references: () => number;
  /** 0: it never rests. */
  readonly idleMs: number;
  /** Asks the supervisor to end this process, which it always does. Never rejects. */
  readonly rest: () => Promise<void>;
}

export class MediaRest {
  readonly #deps: MediaRestDeps;
  #idleSinceMs: number;
  #received = 0;
  #isAsking = false;

  constructor(deps: MediaRestDeps) {
    this.#deps = deps;
    this.#idleSinceMs = deps.clock.monotonicMs();
  }

  /** Call it every few seconds. */
  async check(): Promise<void> {
    const { clock, jobs, log, idleMs, rest } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (idleMs === 0 || this.#isAsking) return;
    if (this.#isBusy()) this.#idleSinceMs = nowMs;
    if (nowMs - this.#idleSinceMs < idleMs) return;
    this.#isAsking = true;
    try {
      // From here on no job is taken. A call that comes nevertheless is made again to the next process.
      if (await jobs.retire(JOB_TIMES.soonMs)) {
        log.debug({}, 'nothing to do: the media process ends until it is needed');
        await rest();
      } else {
        this.#idleSinceMs = nowMs;
        this.#isAsking = false;
      }
    } catch (error) {
      this.#isAsking = false;
      if (!(error instanceof StoreUnavailableError)) log.error({ error }, 'looking for jobs failed');
    }
  }

  #isBusy(): boolean {
    const { jobs, calls, references } = this.#deps;
    const isCalled = calls.isAnswering || calls.received !== this.#received;
    this.#received = calls.received;
    return isCalled || jobs.isWorking || references() > 0;
  }
}
