/** JudgeFactory of broadcasts: for a publisher that comes, and for a moment, of one that nobody publishes to now. */

import { type JudgeResume, StreamJudge } from '../broadcast/judge.js';
import { LEASE, VOLATILE } from '../ports/index.js';
import type { BroadcastDeps } from './deps.js';
import { BROADCAST_LIMITS } from './limits.js';
import type { LiveVideo } from './state-writer.js';

export class JudgeFactory {
  readonly #deps: BroadcastDeps;

  constructor(deps: BroadcastDeps) {
    this.#deps = deps;
  }

  /** The judge as it was left by the last holder, or a fresh one. */
  async ofPublisher(live: LiveVideo, fence: number, secure: boolean): Promise<StreamJudge> {
    const resume = live.data.status === 'LIVE' ? await this.#resume(live) : undefined;
    return new StreamJudge({
      broadcastId: live.id,
      fence,
      mode: 'live',
      secure,
      startWallMs: this.#deps.clock.wallMs(),
      ...(this.#deps.settings.enforce === 'strict' ? { enforce: 'strict' as const } : {}),
      ...(resume === undefined ? {} : { resume }),
    });
  }

  async #resume(live: LiveVideo): Promise<JudgeResume | undefined> {
    const saved = (await this.#deps.store.volatile.get(VOLATILE.judge(live.id))) as JudgeResume | undefined;
    // Records are newer in the store than in the last checkpoint: what is open there is open.
    const { records } = await this.#deps.store.records.page(live.id, { limit: 100, open: true });
    if (saved !== undefined) return { ...saved, open: records };
    return StreamJudge.resumeFrom({
      liveSinceWallMs: live.data.broadcastStartMs ?? this.#deps.clock.wallMs(),
      open: records,
    });
  }

  /** What `act` finds goes to the journal. Somebody who holds the stream sees to it himself: then nothing is done. */
  async whileHolding(
    live: LiveVideo,
    act: (judge: StreamJudge, at: { readonly atMs: number; readonly wallMs: number }) => void,
    then?: (judge: StreamJudge) => Promise<void>,
  ): Promise<void> {
    const { store, clock, errors, holder } = this.#deps;
    const lease = await store.leases.acquire(LEASE.publish(live.id), holder, BROADCAST_LIMITS.leaseMs);
    if (lease === undefined) return;
    try {
      const resume = await this.#resume(live);
      const judge = new StreamJudge({
        broadcastId: live.id,
        fence: lease.fence,
        mode: 'live',
        secure: true,
        startWallMs: clock.wallMs(),
        ...(resume === undefined ? {} : { resume }),
      });
      act(judge, { atMs: clock.monotonicMs(), wallMs: clock.wallMs() });
      judge.takeChanges().forEach((change, index) => {
        errors.record({ broadcastId: live.id, fence: lease.fence, number: index + 1, change });
      });
      await then?.(judge);
    } finally {
      await store.leases.release(lease);
    }
  }
}
