/** Whether a publish with a stream key would be accepted: asked before a publish, and part of the decision on one. */

import type { OwnerData } from '../lifecycle/documents.js';
import { goLiveRefusal } from '../lifecycle/eligibility.js';
import { goesLiveOnPublish, isOver } from '../lifecycle/lifecycle.js';
import { inputStreamOf, LEASE, type PublishCheck, StoreUnavailableError } from '../ports/index.js';
import type { BroadcastService } from './broadcast-service.js';
import type { BroadcastDeps } from './deps.js';
import { type KeyTarget, KeyTargets, keyName } from './key-targets.js';
import { BROADCAST_LIMITS } from './limits.js';
import {
  ALREADY_PUBLISHING,
  broadcastEnded,
  type Refusal,
  refuseFor,
  STORE_AWAY,
  TOO_MANY_WRONG_KEYS,
  UNKNOWN_KEY,
} from './publisher/refusals.js';
import type { LiveVideo } from './state-writer.js';

export class PublishChecks {
  readonly targets: KeyTargets;
  readonly #deps: BroadcastDeps;
  readonly #broadcasts: BroadcastService;
  readonly #wrongKeys = new WrongKeys();

  constructor(deps: BroadcastDeps, broadcasts: BroadcastService) {
    this.#deps = deps;
    this.#broadcasts = broadcasts;
    this.targets = new KeyTargets(deps, broadcasts);
  }

  /** Decides as the publish gate would now. Takes no lease, opens no live video and leaves no record. */
  async check(name: string, address: string): Promise<PublishCheck> {
    const key = this.#deps.keys.parse(name, '');
    try {
      const target = key && (await this.targets.of(key));
      if (key === undefined || target === undefined) return this.wrongKey(address);
      const { live, ownerId, opensNew, input } = target;
      const keyId = keyName(key.id, input);
      const accepted: PublishCheck = { accepted: true, ownerId, keyId, live, opensNew };
      if (target.opensNew) return accepted;
      const refused = await this.refusalFor(target.live);
      if (refused !== undefined) return refused;
      return (await this.#isBusy(target)) ? ALREADY_PUBLISHING : accepted;
    } catch (error) {
      if (error instanceof StoreUnavailableError) return STORE_AWAY;
      throw error;
    }
  }

  /** Valid keys are not limited: with a 160-bit secret the limit bounds work and log lines, it does not protect keys. */
  wrongKey(address: string): Refusal {
    const { refusals, clock } = this.#deps;
    const count = this.#wrongKeys.count(address, clock.monotonicMs());
    const isLimited = count > BROADCAST_LIMITS.wrongKeysPerAddress;
    refusals.add({ action: 'sign-in refused: stream key unknown', from: address });
    if (isLimited) refusals.add({ action: 'limit reached: wrong stream keys of an address', from: address });
    return isLimited ? TOO_MANY_WRONG_KEYS : UNKNOWN_KEY;
  }

  /** Why this live video accepts no publish, regardless of other publishers. */
  async refusalFor(live: LiveVideo): Promise<Refusal | undefined> {
    const { store, clock } = this.#deps;
    if (isOver(live.data)) return broadcastEnded(live.data.endReason);
    if (!goesLiveOnPublish(live.data)) return undefined;
    const owner = await store.objects.get<OwnerData>(live.data.ownerId);
    const denied = owner && goLiveRefusal(owner.data, live.data, clock.wallMs());
    if (denied === undefined) return undefined;
    return refuseFor(`denied-${denied.shape.subcode ?? denied.shape.code}`, denied);
  }

  /** Another publisher is sending. One that is silent or whose process died loses the key to a publish, so it does not count. */
  async #isBusy({ live, input }: KeyTarget): Promise<boolean> {
    const { leases } = this.#deps.store;
    const inputId = inputStreamOf(live.data, input);
    const holder = await leases.holder(LEASE.publish(inputId ?? live.id));
    if (holder === undefined || !(await leases.isAlive(holder.holder))) return false;
    const health = await (inputId === undefined
      ? this.#broadcasts.health(live.id)
      : this.#broadcasts.inputHealth(live.id, inputId));
    return health === undefined || (health.connected && (health.silentMs ?? 0) < BROADCAST_LIMITS.takeOverSilenceMs);
  }
}

/** Counts wrong keys per address in a fixed window. Bounded: an address is dropped with its window. */
class WrongKeys {
  readonly #byAddress = new Map<string, { since: number; count: number }>();
  #sweptMs = Number.NEGATIVE_INFINITY;

  /** Adds a wrong key; returns the address's count in its current window. */
  count(address: string, nowMs: number): number {
    this.#sweep(nowMs);
    const entry = this.#byAddress.get(address);
    if (entry !== undefined && nowMs - entry.since <= BROADCAST_LIMITS.wrongKeysWindowMs) return ++entry.count;
    this.#byAddress.set(address, { since: nowMs, count: 1 });
    return 1;
  }

  #sweep(nowMs: number): void {
    if (nowMs - this.#sweptMs <= BROADCAST_LIMITS.wrongKeysWindowMs) return;
    this.#sweptMs = nowMs;
    for (const [address, entry] of this.#byAddress) {
      if (nowMs - entry.since > BROADCAST_LIMITS.wrongKeysWindowMs) this.#byAddress.delete(address);
    }
  }
}
