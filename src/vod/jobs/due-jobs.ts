/** The due jobs with their owners and lanes. Jobs already read are cached: a poll reads only the index. */
import { defined } from '../../lib/objects.js';
import { type Clock, type Store, SYSTEM_EDGES } from '../../ports/index.js';
import { type JobData, laneOf } from './job.js';
import { LOOKED_AT } from './limits.js';
import type { QueuedJob } from './turns.js';

export class DueJobs {
  readonly #store: Store;
  readonly #clock: Clock;
  #known = new Map<string, QueuedJob>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** In order of due time. */
  async look(): Promise<QueuedJob[]> {
    const ids = await this.#ids();
    const known = new Map<string, QueuedJob>();
    for (let at = 0; at < ids.length; at += LOOKED_AT.page) {
      for (const job of await this.#read(ids.slice(at, at + LOOKED_AT.page))) known.set(job.id, job);
    }
    this.#known = known;
    return [...known.values()];
  }

  /** Removes a job from the cache because its lane may have changed. */
  forget(id: string): void {
    this.#known.delete(id);
  }

  async #ids(): Promise<string[]> {
    const ids: string[] = [];
    const untilScore = this.#clock.wallMs();
    let after: string | undefined;
    while (ids.length < LOOKED_AT.most) {
      const query = { limit: LOOKED_AT.page, ascending: true, untilScore, ...defined({ after }) };
      const page = await this.#store.objects.page(SYSTEM_EDGES.jobs, query);
      for (const { member, cursor } of page.entries) {
        ids.push(member);
        after = cursor;
      }
      if (!page.hasNext) break;
    }
    return ids;
  }

  async #read(ids: readonly string[]): Promise<QueuedJob[]> {
    const unknown = ids.filter((id) => !this.#known.has(id));
    const jobs = unknown.length === 0 ? [] : await this.#store.objects.getMany(unknown);
    const subjects = await this.#owners(jobs.map((job) => (job?.data as JobData | undefined)?.subjectId));
    const read = new Map(
      unknown.map((id, index): [string, QueuedJob] => {
        const data = jobs[index]?.data as JobData | undefined;
        // An index entry without a job: it is removed when it is taken.
        return [id, { id, ownerId: subjects[index] ?? id, lane: data === undefined ? 'copy' : laneOf(data) }];
      }),
    );
    return ids.flatMap((id) => this.#known.get(id) ?? read.get(id) ?? []);
  }

  /** Videos and live videos have owners. A job whose subject is gone counts as its own owner. */
  async #owners(subjectIds: readonly (string | undefined)[]): Promise<(string | undefined)[]> {
    const ids = [...new Set(subjectIds.filter((id) => id !== undefined))];
    const objects = ids.length === 0 ? [] : await this.#store.objects.getMany(ids);
    const ownerOf = new Map(
      ids.map((id, index) => [id, (objects[index]?.data as { ownerId?: string } | undefined)?.ownerId]),
    );
    return subjectIds.map((id) => (id === undefined ? undefined : (ownerOf.get(id) ?? id)));
  }
}
