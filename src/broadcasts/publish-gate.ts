/**
 * Decides who may publish. A publish name is a stream key; the answer is either the live video with its lease, or a
 * refusal whose description the encoder shows. No refusal of a wrong key reveals whether the live video exists.
 */

import { configIdOf } from '../golive/request.js';
import type { LiveVideoData } from '../lifecycle/documents.js';
import { type EncoderSetup, isEncoderSetup } from '../lifecycle/encoder-setup.js';
import { isOver } from '../lifecycle/lifecycle.js';
import { isRetuning } from '../lifecycle/retune.js';
import { inputStreamOf, LEASE, type Lease, StoreUnavailableError, VOLATILE_GROUP } from '../ports/index.js';
import { ServiceError } from '../spec/service-errors.js';
import type { BroadcastDeps, ParsedKey } from './deps.js';
import { Hold, type IsWaiting } from './hold.js';
import type { KeyHandover, Taken } from './key-handover.js';
import { type KeyTarget, keyName } from './key-targets.js';
import { BROADCAST_LIMITS } from './limits.js';
import type { Publications } from './publications.js';
import type { PublishChecks } from './publish-checks.js';
import type { AdmittedInput } from './publisher/publisher.js';
import {
  ALREADY_IN_PREFLIGHT,
  ALREADY_PUBLISHING,
  LOOP,
  RETUNING,
  type Refusal,
  refuseFor,
  STORE_AWAY,
  tooManyPublishers,
} from './publisher/refusals.js';
import { type PublishOrigin, RefusedPublishes } from './refused-publishes.js';
import type { LiveVideo } from './state-writer.js';

export interface Admission {
  readonly accepted: true;
  readonly live: LiveVideo;
  /** Lease on the stream key. The lease of a preflight excludes other preflights, not publishers. */
  readonly lease: Lease;
  readonly preflight: boolean;
  /** This publisher took the stream key over from an older one. */
  readonly tookOver: boolean;
  /** The owner is below its limit of bytes, so the broadcast may be recorded. */
  readonly hasStorage: boolean;
  /** How long the publish waited for the stream key or the store. */
  readonly heldMs: number;
  /** The settings that the encoder asked this server for. */
  readonly setup?: EncoderSetup;
  /** The input stream of a live video with two, whose lease it is. */
  readonly input?: AdmittedInput;
}

export class PublishGate {
  readonly #deps: BroadcastDeps;
  readonly #checks: PublishChecks;
  readonly #publications: Publications;
  readonly #handover: KeyHandover;
  readonly #refused: RefusedPublishes;

  constructor(deps: BroadcastDeps, checks: PublishChecks, publications: Publications, handover: KeyHandover) {
    this.#deps = deps;
    this.#publications = publications;
    this.#handover = handover;
    this.#refused = new RefusedPublishes(deps);
    this.#checks = checks;
  }

  /**
   * `name` is the publish name, `path` the application path; either may hold the stream key. Held while another publisher
   * has the key and while the store is away, at most 5 s in all; 12 s where calls of the embedded store time out.
   */
  async admit(name: string, path: string, from: PublishOrigin, isWaiting: IsWaiting): Promise<Admission | Refusal> {
    const key = this.#deps.keys.parse(name, path);
    if (key === undefined) return this.#checks.wrongKey(from.address);
    const hold = new Hold(this.#deps, isWaiting);
    for (;;) {
      try {
        return await this.#decide(key, from, hold);
      } catch (error) {
        // A persistent key needs a new live video, and a limit of its owner prevents it.
        if (error instanceof ServiceError) {
          const line = { action: 'limit reached: quota of an owner', who: 'stream key', from: from.address };
          this.#deps.refusals.add({ ...line, owner: key.id }, key.id);
          return refuseFor('no-new-live-video', error);
        }
        if (!(error instanceof StoreUnavailableError)) throw error;
        if (!(await hold.nextForStore())) return STORE_AWAY;
      }
    }
  }

  async #decide(key: ParsedKey, from: PublishOrigin, hold: Hold): Promise<Admission | Refusal> {
    const target = await this.#checks.targets.find(key);
    if (target === undefined) return this.#checks.wrongKey(from.address);
    const { live, input } = target;
    if (this.#hasOldSettings(live, key)) return RETUNING;
    const admitted = this.#hasPassed(from) ? LOOP : this.#admitTo(target, key, hold);
    const [verdict, setup] = await Promise.all([admitted, this.#setupOf(key, keyName(key.id, input), live.data)]);
    // The persistent key of a Page leads to another live video now.
    if (verdict === 'over') return this.#decide(key, from, hold);
    if (!verdict.accepted) {
      this.#noteLimit(verdict, live, from.address);
      const entry = await this.#refused.record(live.id, verdict, from);
      // The answer does not wait for the disk. The publisher of the broadcast is told, too.
      if (entry) void this.#deps.errors.append([entry]).then((written) => this.#publications.push(written));
      return verdict;
    }
    return setup === undefined ? verdict : { ...verdict, setup };
  }

  /** The records of the owner tell each refusal; the audit log only that its limit was reached. */
  #noteLimit({ reason }: Refusal, { id: target, data: { ownerId: owner } }: LiveVideo, from: string): void {
    if (reason !== 'too-many-publishers-of-owner') return;
    const line = { action: 'limit reached: publishers of an owner', who: 'stream key', from, target, owner };
    this.#deps.refusals.add(line, owner);
  }

  /** Frees the stream key of an admission that never started. */
  async release({ live, lease, preflight, input }: Admission): Promise<void> {
    if (!preflight) this.#publications.taken(input?.id ?? live.id);
    await this.#deps.quota.releaseSlot(live.data.ownerId, lease);
  }

  /** A forward of this deployment, or of one behind it, has sent it back. */
  #hasPassed({ passed = [] }: PublishOrigin): boolean {
    return passed.some((id) => this.#deps.settings.deploymentIds.includes(id));
  }

  /** The encoder has to ask for the settings that the operator changed. */
  #hasOldSettings({ data }: LiveVideo, { params }: ParsedKey): boolean {
    return isRetuning(data, this.#deps.clock.wallMs()) && configIdOf(params) === data.retune?.configId;
  }

  /** `over`: the broadcast ended while the publish waited for its lease. */
  async #admitTo(target: KeyTarget, key: ParsedKey, hold: Hold): Promise<Admission | Refusal | 'over'> {
    const { live } = target;
    const refused = await this.#checks.refusalFor(live);
    if (refused !== undefined) return refused;
    return key.params.get('preflight') === '1' ? this.#preflight(live) : this.#take(target, hold);
  }

  /**
   * The answer that the publish name refers to: that of the broadcast so far, also once a newer one replaced it, or the last one
   * for the key. Never a reason to refuse: without it the stream counts as not set up.
   */
  async #setupOf(
    key: ParsedKey,
    keyId: string,
    { ownerId, encoderSetup }: LiveVideoData,
  ): Promise<EncoderSetup | undefined> {
    const id = configIdOf(key.params);
    if (id === undefined) return undefined;
    if (encoderSetup?.configId === id) return encoderSetup;
    try {
      const setup = await this.#deps.store.volatile.getIn(VOLATILE_GROUP.encoderSetups(ownerId), keyId);
      return isEncoderSetup(setup) && setup.configId === id && setup.ownerId === ownerId ? setup : undefined;
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the settings of an encoder could not be read');
      return undefined;
    }
  }

  async #preflight(live: LiveVideo): Promise<Admission | Refusal> {
    const { store, holder, ids } = this.#deps;
    // A unique holder: with the holder of this process, the store would renew the lease of the first preflight.
    const own = `${holder}:${ids.next()}`;
    const lease = await store.leases.acquire(LEASE.preflight(live.id), own, BROADCAST_LIMITS.preflightLeaseMs);
    if (lease === undefined) return ALREADY_IN_PREFLIGHT;
    const full = await this.#acquireSlot(live, lease);
    if (full !== undefined) return full;
    return { accepted: true, live, lease, preflight: true, tookOver: false, hasStorage: false, heldMs: 0 };
  }

  async #take(target: KeyTarget, hold: Hold): Promise<Admission | Refusal | 'over'> {
    const { live, input } = target;
    const subject = inputStreamOf(live.data, input) ?? live.id;
    const taken = await this.#handover.take(subject, hold);
    if (taken === undefined) return ALREADY_PUBLISHING;
    let verdict: Admission | Refusal | 'over' | undefined;
    try {
      verdict = await this.#admitWith(taken, target, hold);
      return verdict;
    } finally {
      if (typeof verdict !== 'object' || !verdict.accepted) this.#publications.taken(subject);
    }
  }

  async #admitWith(
    { lease, tookOver }: Taken,
    { live, input }: KeyTarget,
    hold: Hold,
  ): Promise<Admission | Refusal | 'over'> {
    const { store, quota } = this.#deps;
    const inputId = inputStreamOf(live.data, input);
    const { ownerId } = live.data;
    // The state read before the lease may be stale. All three at once: each would be a round trip to a store elsewhere.
    const [current, full, hasStorage] = await Promise.all([
      store.objects.get<LiveVideoData>(live.id),
      this.#acquireSlot(live, lease),
      quota.hasStorage(ownerId),
    ]);
    if (full !== undefined) return full;
    if (current === undefined || isOver(current.data)) {
      await quota.releaseSlot(ownerId, lease);
      return 'over';
    }
    // A holder that yielded has written the disconnect; one that died has not.
    const yielded = tookOver && (inputId !== undefined || current.data.stream !== 'connected');
    const { waitedMs: heldMs } = hold;
    const admission = { accepted: true, live: current, lease, preflight: false, hasStorage, heldMs } as const;
    const index = input === '0' ? 0 : 1;
    return { ...admission, tookOver: yielded, ...(inputId === undefined ? {} : { input: { id: inputId, index } }) };
  }

  /** Takes one of the owner's publisher slots. If none is free, releases the lease and returns the refusal. */
  async #acquireSlot(live: LiveVideo, lease: Lease): Promise<Refusal | undefined> {
    const full = await this.#deps.quota.acquireSlot(live.data.ownerId, lease);
    if (full === undefined) return undefined;
    await this.#deps.store.leases.release(lease);
    return tooManyPublishers(full.limit);
  }
}
