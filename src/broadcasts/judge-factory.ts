/** Creates stream judges: one for each new publisher, and short-lived ones for broadcasts without a publisher. */

import { type JudgeResume, StreamJudge } from '../judge/judge.js';
import { defined } from '../lib/objects.js';
import { isOver } from '../lifecycle/lifecycle.js';
import { holderOfOnce, inputStreamOf, isJudged, LEASE, type Lease, VOLATILE } from '../ports/index.js';
import type { RecordChange, StoredRecord } from '../spec/error-record.js';
import type { BroadcastDeps } from './deps.js';
import { BROADCAST_LIMITS } from './limits.js';
import { clearedAt } from './publication-records.js';
import type { LiveVideo } from './state-writer.js';

type RecentRecord = JudgeResume['records']['recent'][number];
/** A publish session whose stream is judged. */
interface JudgedPublish {
  /** Makes the ids of its records distinct. */
  readonly fence: number;
  readonly secure: boolean;
  /** Set for a live video with two. */
  readonly inputStream?: string | undefined;
  /** Stream time of the input stream on air. */
  readonly streamTimeMs?: number | undefined;
}

type JudgeAct = (judge: StreamJudge, at: { readonly atMs: number; readonly wallMs: number }) => void;

export class JudgeFactory {
  /**
   * The judge of the last publish, kept after its end. V8 forgets the shape of objects with the last one of them, and discards the
   * code that it optimized for them: after a time without broadcasts the next ones would be judged by slow code.
   */
  last: StreamJudge | undefined;
  readonly #deps: BroadcastDeps;

  constructor(deps: BroadcastDeps) {
    this.#deps = deps;
  }

  /** Resumes the judge of the last holder, or creates a new one. */
  async forPublisher(
    live: LiveVideo,
    { fence, secure, inputStream, streamTimeMs }: JudgedPublish,
  ): Promise<StreamJudge> {
    const resume = live.data.status === 'LIVE' ? await this.#resume(live, inputStream, streamTimeMs) : undefined;
    this.last = new StreamJudge({
      broadcastId: live.id,
      fence,
      mode: 'live',
      secure,
      startWallMs: this.#deps.clock.wallMs(),
      analysis: this.#deps.settings.analysis,
      loudnessTarget: this.#deps.settings.loudnessTarget,
      ...(this.#deps.settings.enforce === 'strict' ? { enforce: 'strict' as const } : {}),
      ...defined({ resume, inputStream }),
    });
    return this.last;
  }

  /** `inputStream`: of two, which continues its own records and settings, and only the time of the other one. */
  async #resume(live: LiveVideo, inputStream?: string, streamTimeMs?: number): Promise<JudgeResume | undefined> {
    const { volatile } = this.#deps.store;
    await this.#deps.errors.stored(live.id, BROADCAST_LIMITS.recordsStoredMs);
    // Records in the store are newer than the last checkpoint: the store decides which are open.
    const [saved, records] = await Promise.all([
      volatile.get(VOLATILE.judge(live.id)) as Promise<JudgeResume | undefined>,
      this.openRecords(live.id),
    ]);
    const own = records.filter(({ input_stream }) => input_stream === inputStream);
    if (saved !== undefined && (inputStream === undefined || saved.inputStream === inputStream)) {
      const recent = await Promise.all(saved.records.recent.map((each) => this.#newer(live.id, each)));
      return { ...saved, open: inputStream === undefined ? records : own, records: { ...saved.records, recent } };
    }
    return StreamJudge.resumeFrom({
      liveSinceWallMs: live.data.broadcastStartMs ?? this.#deps.clock.wallMs(),
      open: inputStream === undefined ? records : own,
      mediaStartMs: saved?.mediaStartMs,
      streamTimeMs: streamTimeMs ?? saved?.facts.streamTimeMs,
    });
  }

  /** The open records of judges. */
  async openRecords(liveVideoId: string): Promise<StoredRecord[]> {
    const { records } = await this.#deps.store.records.page(liveVideoId, { limit: 100, open: true });
    return records.filter(isJudged);
  }

  /**
   * The open records that the judge did not have: of the other one of two input streams, whose process died, or of an earlier
   * publish of a broadcast that is over, which reached the store late.
   */
  async #closedOthers(live: LiveVideo, closed: readonly RecordChange[], wallMs: number): Promise<RecordChange[]> {
    if (!isOver(live.data) && inputStreamOf(live.data, '1') === undefined) return [];
    const known = new Set(closed.map(({ body }) => body.id));
    const open = await this.openRecords(live.id);
    return open.filter(({ id }) => !known.has(id)).map((record) => clearedAt(record, live.data.endedMs ?? wallMs));
  }

  /** A cleared record that may be counted again, as the store has it if that is newer than the checkpoint. */
  async #newer(liveVideoId: string, kept: RecentRecord): Promise<RecentRecord> {
    const stored = await this.#deps.store.records.get(liveVideoId, kept.body.id);
    return stored === undefined || stored.count <= kept.body.count ? kept : { ...kept, body: stored };
  }

  /**
   * Takes the publish lease of a broadcast without a publisher, from `dead` if that holder still has it. The holder's name is
   * used once: under the name of the process, a publish that is being admitted here would share the lease.
   */
  async lease(liveVideoId: string, dead?: Lease): Promise<Lease | undefined> {
    const { store, holder, ids } = this.#deps;
    const own = holderOfOnce(holder, ids.next());
    if (dead !== undefined) return store.leases.takeOver(dead, own, BROADCAST_LIMITS.leaseMs);
    return store.leases.acquire(LEASE.publish(liveVideoId), own, BROADCAST_LIMITS.leaseMs);
  }

  /**
   * Runs `act` under the publish lease, taken from `dead` if that holder still has it, and journals the record changes. False,
   * and nothing, while another holds the lease.
   */
  async withLease(
    live: LiveVideo,
    dead: Lease | undefined,
    act: JudgeAct,
    then?: (judge: StreamJudge) => Promise<void>,
  ): Promise<boolean> {
    const lease = await this.lease(live.id, dead);
    if (lease === undefined) return false;
    try {
      await this.act(live, lease, act, then);
    } finally {
      await this.#deps.store.leases.release(lease);
    }
    return true;
  }

  /** Acts under a lease that the caller holds. */
  async act(
    live: LiveVideo,
    { fence }: Lease,
    act: JudgeAct,
    then?: (judge: StreamJudge) => Promise<void>,
  ): Promise<void> {
    const { clock, errors } = this.#deps;
    const resume = await this.#resume(live);
    const judge = new StreamJudge({
      broadcastId: live.id,
      fence,
      mode: 'live',
      secure: true,
      startWallMs: clock.wallMs(),
      analysis: this.#deps.settings.analysis,
      ...defined({ resume }),
    });
    const at = { atMs: clock.monotonicMs(), wallMs: clock.wallMs() };
    act(judge, at);
    judge.flush();
    const changes = judge.takeChanges();
    if (judge.openErrors.length === 0) changes.push(...(await this.#closedOthers(live, changes, at.wallMs)));
    void errors.append(changes.map((change, index) => ({ broadcastId: live.id, fence, number: index + 1, change })));
    await then?.(judge);
  }
}
