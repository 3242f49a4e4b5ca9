/**
 * Who may publish. A publish name is a key; the answer is either the live video with its lease, or a refusal in words
 * that the encoder shows. Nothing is said about a key that would tell a guesser whether the live video exists.
 */

import type { LiveVideoData, OwnerData } from '../broadcast/documents.js';
import { goLiveRefusal } from '../broadcast/eligibility.js';
import { goesLiveOnPublish, isOver } from '../broadcast/lifecycle.js';
import { LEASE, type Lease, type StoredObject, StoreUnavailableError, TOPIC } from '../ports/index.js';
import { ServiceError } from '../spec/service-errors.js';
import type { BroadcastService } from './broadcast-service.js';
import type { BroadcastDeps, ParsedKey } from './deps.js';
import { BROADCAST_LIMITS } from './limits.js';
import type { Publications } from './publications.js';
import {
  ALREADY_IN_PREFLIGHT,
  ALREADY_PUBLISHING,
  broadcastEnded,
  type Refusal,
  refuse,
  STORE_AWAY,
  TOO_MANY_WRONG_KEYS,
  tooManyPublishers,
  UNKNOWN_KEY,
} from './refusals.js';
import type { LiveVideo } from './state-writer.js';

export interface Admission {
  readonly accepted: true;
  readonly live: LiveVideo;
  /** On the stream key; that of a preflight keeps other preflights out, not publishers. */
  readonly lease: Lease;
  readonly preflight: boolean;
  /** The older publisher that this one takes over from. */
  readonly tookOver: boolean;
}

export class PublishGate {
  readonly #deps: BroadcastDeps;
  readonly #broadcasts: BroadcastService;
  readonly #publications: Publications;
  readonly #wrongKeys = new WrongKeys();

  constructor(deps: BroadcastDeps, broadcasts: BroadcastService, publications: Publications) {
    this.#deps = deps;
    this.#broadcasts = broadcasts;
    this.#publications = publications;
  }

  /** `name` and `path`: what was published, and under which path; either may hold the key. */
  async admit(name: string, path: string, address: string): Promise<Admission | Refusal> {
    const nowMs = this.#deps.clock.monotonicMs();
    const key = this.#deps.keys.parse(name, path);
    try {
      const live = key && (await this.#find(key));
      if (key === undefined || live === undefined) {
        // A right key is never refused for its neighbours' wrong ones: the secret has 160 bits, so the limit saves work, not secrets.
        return this.#wrongKeys.count(address, nowMs) > BROADCAST_LIMITS.wrongKeysPerAddress
          ? TOO_MANY_WRONG_KEYS
          : UNKNOWN_KEY;
      }
      return await this.#admitTo(live, key);
    } catch (error) {
      if (error instanceof StoreUnavailableError) {
        return STORE_AWAY;
      }
      // The live video that a persistent key would open is beyond a limit of its owner.
      if (error instanceof ServiceError) {
        const { userMessage, message } = error.shape;
        return refuse('no-new-live-video', userMessage ?? message);
      }
      throw error;
    }
  }

  /** An accepted publish that did not come about: its key is free again. */
  async release({ live, lease }: Admission): Promise<void> {
    await this.#deps.quota.leavePlace(live.data.ownerId, lease);
  }

  forgetOldAddresses(nowMs: number): void {
    this.#wrongKeys.sweep(nowMs);
  }

  /** The live video that this key opens, or undefined when the key is wrong in any way. */
  async #find(key: ParsedKey): Promise<LiveVideo | undefined> {
    const found = await this.#deps.store.objects.get(key.id);
    if (found?.kind === 'live_video') {
      const live = found as LiveVideo;
      return this.#deps.keys.matches(key.id, live.data.keyVersion, key.secret) ? live : undefined;
    }
    if (found?.kind === 'page') {
      const page = found as StoredObject<OwnerData>;
      const version = page.data.persistentKeyVersion;
      if (version === undefined || !this.#deps.keys.matches(key.id, version, key.secret)) return undefined;
      return this.#persistentTarget(page);
    }
    // The comparison is made for an unknown id too, so that the time it takes tells nothing.
    this.#deps.keys.matches(key.id, 1, key.secret);
    return undefined;
  }

  /** The Page's current live video, or a new one when that can take no stream any more. */
  async #persistentTarget(page: StoredObject<OwnerData>): Promise<LiveVideo> {
    const { store, clock } = this.#deps;
    const currentId = page.data.persistentLiveVideoId;
    const current = currentId === undefined ? undefined : await store.objects.get<LiveVideoData>(currentId);
    if (current !== undefined && !isOver(current.data.status)) return current;
    if (current !== undefined && this.#toldAgain(current.data, clock.wallMs())) return current;
    const live = await this.#broadcasts.create({
      ownerId: page.id,
      ...(current?.data.title === undefined ? {} : { title: current.data.title }),
      ...(current?.data.privacy === undefined ? {} : { privacy: current.data.privacy }),
    });
    const data = { ...page.data, persistentLiveVideoId: live.id };
    const object = { id: page.id, kind: page.kind, createdMs: page.createdMs, updatedMs: clock.wallMs(), data };
    await store.objects.commit([{ op: 'put', object, expect: page.version }]);
    store.bus.publish(TOPIC.persistentLive, { ownerId: page.id, liveVideoId: live.id });
    return live;
  }

  /**
   * A broadcast stopped for what it showed is not continued by an encoder that reconnects by itself: within the grace
   * time it is told why again. The 8 hours are no such fault: the next publish opens a new broadcast at once.
   */
  #toldAgain(data: LiveVideoData, nowMs: number): boolean {
    if (data.endReason === undefined || data.endReason.code === 6501) return false;
    return nowMs - (data.endedMs ?? 0) < this.#deps.settings.reconnectGraceMs;
  }

  async #admitTo(live: LiveVideo, key: ParsedKey): Promise<Admission | Refusal> {
    const { store, clock } = this.#deps;
    if (isOver(live.data.status)) {
      return broadcastEnded(live.data.endReason?.text);
    }
    if (goesLiveOnPublish(live.data)) {
      const owner = await store.objects.get<OwnerData>(live.data.ownerId);
      const denied = owner && goLiveRefusal(owner.data, live.data, clock.wallMs());
      if (denied) {
        const { code, subcode, message, userMessage } = denied.shape;
        return refuse(`denied-${subcode ?? code}`, `[${code}/${subcode ?? ''}] ${userMessage ?? message}`);
      }
    }
    return key.params.get('preflight') === '1' ? this.#preflight(live) : this.#take(live);
  }

  async #preflight(live: LiveVideo): Promise<Admission | Refusal> {
    const { store, holder, ids } = this.#deps;
    // A holder of its own: asked by the same holder the store would renew the lease of the first preflight.
    const own = `${holder}:${ids.next()}`;
    const lease = await store.leases.acquire(LEASE.preflight(live.id), own, BROADCAST_LIMITS.preflightLeaseMs);
    if (lease === undefined) return ALREADY_IN_PREFLIGHT;
    const full = await this.#takePlace(live, lease);
    if (full !== undefined) return full;
    return { accepted: true, live, lease, preflight: true, tookOver: false };
  }

  async #take(live: LiveVideo): Promise<Admission | Refusal> {
    const { store, holder } = this.#deps;
    const tookOver = await this.#publications.yieldIfSilent(live.id);
    if (tookOver === 'busy') return ALREADY_PUBLISHING;
    const lease = await store.leases.acquire(LEASE.publish(live.id), holder, BROADCAST_LIMITS.leaseMs);
    if (lease === undefined) return ALREADY_PUBLISHING;
    // What was read before the lease may be old by now.
    const current = await store.objects.get<LiveVideoData>(live.id);
    if (current === undefined || isOver(current.data.status)) {
      await store.leases.release(lease);
      return current === undefined
        ? UNKNOWN_KEY
        : this.#admitTo(current, { id: live.id, secret: '', params: new Map() });
    }
    const full = await this.#takePlace(current, lease);
    if (full !== undefined) return full;
    // A holder that gave way has written so; one that died has not.
    const gaveWay = tookOver === 'taken-over' && current.data.stream !== 'connected';
    return { accepted: true, live: current, lease, preflight: false, tookOver: gaveWay };
  }

  /** One of the owner's publishers; refused, its key is free again. */
  async #takePlace(live: LiveVideo, lease: Lease): Promise<Refusal | undefined> {
    const full = await this.#deps.quota.takePlace(live.data.ownerId, lease);
    if (full === undefined) return undefined;
    await this.#deps.store.leases.release(lease);
    return tooManyPublishers(full.limit);
  }
}

/** Wrong keys by address in a fixed window; bounded because an address is forgotten with its window. */
class WrongKeys {
  readonly #byAddress = new Map<string, { since: number; count: number }>();

  /** Wrong keys of the address in its current window, this one included. */
  count(address: string, nowMs: number): number {
    const entry = this.#byAddress.get(address);
    if (entry !== undefined && nowMs - entry.since <= BROADCAST_LIMITS.wrongKeysWindowMs) return ++entry.count;
    this.#byAddress.set(address, { since: nowMs, count: 1 });
    return 1;
  }

  sweep(nowMs: number): void {
    for (const [address, entry] of this.#byAddress) {
      if (nowMs - entry.since > BROADCAST_LIMITS.wrongKeysWindowMs) this.#byAddress.delete(address);
    }
  }
}
