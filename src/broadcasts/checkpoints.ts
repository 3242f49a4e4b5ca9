/** Saves the judge's state for recovery after a crash, and shares stream health with other processes. */
import type { JudgeResume } from '../judge/judge.js';
import { type Log, type Store, type StreamHealth, VOLATILE } from '../ports/index.js';
import { BROADCAST_LIMITS } from './limits.js';
import type { LiveVideo } from './state-writer.js';

/** Longer than any broadcast plus its grace time. */
export const RESUME_TTL_MS = 10 * 3_600_000;
/**
 * First save after LIVE, and first health after the connect: both tracks have sent their settings, and those that start at once
 * are through with their publishes.
 */
const FIRST_MS = 1_000;
/** Retention of error records. */
const LAST_STREAM_TTL_MS = 90 * 24 * 3_600_000;

/** Wall time of the last packet that the process receiving a broadcast has reported; undefined if no report is left. */
export async function lastReportedMs(store: Store, liveVideoId: string): Promise<number | undefined> {
  const last = (await store.volatile.get(VOLATILE.health(liveVideoId))) as StreamHealth | undefined;
  return last?.connected ? last.atMs - (last.silentMs ?? 0) : undefined;
}

/**
 * How much of a stream is missing at most after its server stopped: what came since the last reported packet, and what was not
 * written then. A report of an earlier connection says nothing of the time before this one.
 */
export function missingMs({ data }: LiveVideo, reportedMs: number | undefined, wallMs: number): number | undefined {
  if (reportedMs === undefined) return undefined;
  const knownMs = Math.max(reportedMs, data.streamSinceMs ?? 0);
  return Math.max(0, wallMs - knownMs) + BROADCAST_LIMITS.unwrittenMs;
}

export class Checkpoints {
  readonly #liveVideoId: string;
  readonly #store: Store;
  readonly #log: Log;
  #savedAtMs = 0;
  #sharedAtMs: number;
  #isSaving = false;

  /** `atMs`: the stream connected. */
  constructor(liveVideoId: string, store: Store, log: Log, atMs: number) {
    this.#sharedAtMs = atMs + FIRST_MS - BROADCAST_LIMITS.healthMs;
    this.#liveVideoId = liveVideoId;
    this.#store = store;
    this.#log = log;
  }

  /** The broadcast goes LIVE at this moment. Until the first save it would be resumed from its start and its open records. */
  goLive(atMs: number): void {
    this.#savedAtMs = atMs + FIRST_MS - BROADCAST_LIMITS.checkpointMs;
  }

  /** True if the judge of a LIVE broadcast is to be saved now: `begin` does it. */
  isSaveDue(atMs: number): boolean {
    return !this.#isSaving && atMs - this.#savedAtMs >= BROADCAST_LIMITS.checkpointMs;
  }

  begin(atMs: number, resume: JudgeResume): void {
    this.#savedAtMs = atMs;
    this.#isSaving = true;
    this.save(resume).finally(() => {
      this.#isSaving = false;
    });
  }

  /** A failed save is only logged; the next tick saves again. */
  async save(resume: JudgeResume): Promise<void> {
    try {
      await this.#store.volatile.set(VOLATILE.judge(this.#liveVideoId), resume, RESUME_TTL_MS);
    } catch (error) {
      this.#log.debug({ error }, 'saving the checkpoint of the broadcast failed');
    }
  }

  /** True if other processes are to be told now how the stream is: `share` does it. */
  isShareDue(atMs: number): boolean {
    // In a store of this process alone, health is read from the publication itself.
    return this.#store.isShared && atMs - this.#sharedAtMs >= BROADCAST_LIMITS.healthMs;
  }

  /** Where there are two input streams, the health of the one on air is also that of the broadcast. */
  share(atMs: number, health: StreamHealth): void {
    this.#sharedAtMs = atMs;
    if (health.onAir !== false) this.#share(this.#liveVideoId, health);
    if (health.inputStream !== undefined) this.#share(health.inputStream, health);
  }

  #share(id: string, health: StreamHealth): void {
    this.#store.volatile.set(VOLATILE.health(id), health, BROADCAST_LIMITS.healthKeptMs).catch((error: unknown) => {
      this.#log.debug({ error }, 'sharing stream health failed');
    });
  }

  /** Keeps what the stream was as it ended, for as long as its records. Where there are two input streams, that of each. */
  async keepLast(health: StreamHealth): Promise<void> {
    const ids = [
      ...(health.onAir === false ? [] : [this.#liveVideoId]),
      ...(health.inputStream === undefined ? [] : [health.inputStream]),
    ];
    try {
      await Promise.all(ids.map((id) => this.#store.volatile.set(VOLATILE.lastStream(id), health, LAST_STREAM_TTL_MS)));
    } catch (error) {
      this.#log.debug({ error }, 'saving the last stream of the broadcast failed');
    }
  }
}
