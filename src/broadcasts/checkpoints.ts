/** What of a running publication other processes, and the next one after a crash, can read: the judge's state and its health. */
import type { JudgeResume } from '../broadcast/judge.js';
import { type Log, type Store, type StreamHealth, VOLATILE } from '../ports/index.js';
import { BROADCAST_LIMITS } from './limits.js';

/** Longer than any broadcast with its grace time. */
export const RESUME_TTL_MS = 10 * 3_600_000;

export interface CheckpointSource {
  resume(): JudgeResume;
  health(): StreamHealth;
}

export class Checkpoints {
  readonly #liveVideoId: string;
  readonly #store: Store;
  readonly #log: Log;
  readonly #source: CheckpointSource;
  #savedAtMs = 0;
  #sharedAtMs = 0;
  #isSaving = false;

  constructor(liveVideoId: string, store: Store, log: Log, source: CheckpointSource) {
    this.#liveVideoId = liveVideoId;
    this.#store = store;
    this.#log = log;
    this.#source = source;
  }

  /** What is due now. `isLive`: there is something to come back to. */
  tick(atMs: number, isLive: boolean): void {
    if (isLive && atMs - this.#savedAtMs >= BROADCAST_LIMITS.checkpointMs) this.begin(atMs);
    // The embedded store has one process, which asks the publication itself.
    if (this.#store.isShared && atMs - this.#sharedAtMs >= BROADCAST_LIMITS.healthMs) this.#share(atMs);
  }

  /** Starts a save, unless one is under way. */
  begin(atMs: number): void {
    if (this.#isSaving) return;
    this.#savedAtMs = atMs;
    this.#isSaving = true;
    this.save().finally(() => {
      this.#isSaving = false;
    });
  }

  /** One that fails is made again: what it would have saved is at most that much older. */
  async save(): Promise<void> {
    try {
      await this.#store.volatile.set(VOLATILE.judge(this.#liveVideoId), this.#source.resume(), RESUME_TTL_MS);
    } catch (error) {
      this.#log.debug({ error }, 'the state of the broadcast could not be saved now');
    }
  }

  #share(atMs: number): void {
    this.#sharedAtMs = atMs;
    this.#store.volatile
      .set(VOLATILE.health(this.#liveVideoId), this.#source.health(), 2 * BROADCAST_LIMITS.healthMs)
      .catch((error: unknown) => {
        this.#log.debug({ error }, 'health could not be shared now');
      });
  }
}
