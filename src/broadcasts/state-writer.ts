/**
 * Writes lifecycle transitions to the store: the pure lifecycle decides, a version check detects concurrent writes, and
 * the deadlines that a transition sets are written in the same commit.
 */

import { defined } from '../lib/objects.js';
import type { EndReason, LiveVideoData } from '../lifecycle/documents.js';
import {
  advance,
  DELETED,
  EXPIRED,
  isOver,
  type LifecycleEffect,
  type LifecycleInput,
} from '../lifecycle/lifecycle.js';
import {
  type Clock,
  type Log,
  type StateMessage,
  type Store,
  type StoredObject,
  StoreUnavailableError,
  SYSTEM_EDGES,
  TOPIC,
  toBeClosed,
  updateObject,
  type Write,
} from '../ports/index.js';
import { parameterError, ServiceError, subcodeError } from '../spec/service-errors.js';
import { airedWrites, changedCopies, following } from './crossposts.js';
import type { BroadcastDeps } from './deps.js';

export type LiveVideo = StoredObject<LiveVideoData>;

export interface Moved {
  readonly live: LiveVideo;
  readonly effects: readonly LifecycleEffect[];
}

export interface MoveOptions {
  readonly guard?: ((live: LiveVideo) => void | Promise<void>) | undefined;
  readonly also?: readonly Write[] | undefined;
  /** The last known state: tried before it is read. If it forbids the change or needs none, it is read. */
  readonly known?: LiveVideo | undefined;
}

/** Why the stored broadcast takes no transition. `undefined`: its owner ended it. */
export type WhyRefused = EndReason | 'fault' | undefined;

/** Outcome of a transition of a publication. */
export type Written =
  | ({ readonly is: 'moved' } & Moved)
  /** The broadcast was ended or deleted elsewhere, or this server failed. */
  | { readonly is: 'refused'; readonly why: WhyRefused }
  /** Another process receives the broadcast. */
  | { readonly is: 'superseded' }
  /** The server shuts down without a store: the next process finds the broadcast without a holder and recovers it. */
  | { readonly is: 'dropped' };

/** The transitions of a publish session that the store has lost. `isLive`: the session is. */
export function lostInputs(known: LiveVideo, stored: LiveVideo | undefined, isLive: boolean): LifecycleInput[] {
  if (stored === undefined) return [];
  const { publishFence: fence, stream, broadcastStartMs, streamSinceMs = 0, isSetUp, encoderSetup } = known.data;
  const setup = isSetUp ? encoderSetup : undefined;
  const wallMs = broadcastStartMs ?? streamSinceMs;
  const isConnected = stored.data.stream === 'connected' && stored.data.publishFence === fence;
  const inputs: LifecycleInput[] = [];
  if (stream === 'connected' && !isConnected)
    inputs.push({ type: 'publish', wallMs: streamSinceMs, ...defined({ fence, setup }) });
  if (isLive && stored.data.status !== 'LIVE') inputs.push({ type: 'go-live', wallMs, dataFlows: true });
  return inputs;
}

/** Between two attempts while the store is unavailable. */
const RETRY_MS = 500;

/** A later holder of the lease receives the broadcast: this one may change its state no more. */
export class SupersededError extends Error {}

/** Refuses a transition of a holder with this fence once a later one receives the broadcast. */
export function requireFence(fence: number): (live: LiveVideo) => void {
  return ({ data }) => {
    if ((data.publishFence ?? 0) > fence) throw new SupersededError('another process receives the broadcast');
  };
}

/** The changes that a client requests, in the words of an error message. */
const REQUESTED: Readonly<Partial<Record<LifecycleInput['type'], string>>> = {
  'go-live': 'go LIVE',
  schedule: 'be scheduled',
  'scheduled-live': 'become SCHEDULED_LIVE',
  cancel: 'be canceled',
  end: 'be ended',
  stop: 'be stopped',
};

function impossible(live: LiveVideo, { type }: LifecycleInput): ServiceError {
  return parameterError(`The live video is ${live.data.status} and cannot ${REQUESTED[type] ?? `take ${type}`}`);
}

export class StateWriter {
  readonly #store: Pick<Store, 'objects' | 'bus'>;
  readonly #clock: Clock;

  constructor(store: Pick<Store, 'objects' | 'bus'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** @throws ServiceError LIVE_VIDEO__NOT_EXIST */
  async load(liveVideoId: string): Promise<LiveVideo> {
    return requireLiveVideo(await this.#store.objects.get<LiveVideoData>(liveVideoId));
  }

  /** Undefined: it was deleted, or cannot be read now. */
  find(liveVideoId: string): Promise<LiveVideo | undefined> {
    return this.load(liveVideoId).catch(() => undefined);
  }

  /**
   * Applies one input to the lifecycle table. `guard` may refuse by the state that is about to be changed; `also` is
   * written with the change.
   * @throws ServiceError if the table has no such transition
   */
  async move(liveVideoId: string, input: LifecycleInput, { guard, also, known }: MoveOptions = {}): Promise<Moved> {
    const decide = async (live: LiveVideo) => {
      await guard?.(live);
      if (live.data.crosspostOf !== undefined) throw parameterError('A cross-posted copy follows its original');
      const step = advance(live.data, input);
      if (step === undefined) throw impossible(live, input);
      return step;
    };
    return this.#retrying(liveVideoId, decide, also, known);
  }

  /** Steps of processing a recording. A step that the lifecycle no longer allows is ignored. */
  async processing(liveVideoId: string, step: 'processing-started' | 'processing-done'): Promise<void> {
    try {
      await this.move(liveVideoId, { type: step, wallMs: this.#clock.wallMs() });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }

  /**
   * Writes a transition of a publication that has the lease with this fence. Retries while the store is unavailable: a decided
   * end must not be lost.
   */
  async write(
    known: LiveVideo,
    input: LifecycleInput,
    fence: number,
    deps: Pick<BroadcastDeps, 'pause'>,
    log: Log,
  ): Promise<Written> {
    for (let isKnown = true; ; ) {
      try {
        const options = { guard: requireFence(fence), ...(isKnown ? { known } : {}) };
        return { is: 'moved', ...(await this.move(known.id, input, options)) };
      } catch (error) {
        if (error instanceof StoreUnavailableError) {
          // A failover may have lost the state that is known, and its version may be that of another one now.
          isKnown = false;
          if (await deps.pause(RETRY_MS)) continue;
          return { is: 'dropped' };
        }
        if (error instanceof SupersededError) return { is: 'superseded' };
        if (error instanceof ServiceError) {
          log.info({ input: input.type, error }, 'broadcast no longer allows this transition');
          return { is: 'refused', why: await this.#whyRefused(known.id) };
        }
        log.error({ input: input.type, error }, 'a transition of the broadcast failed');
        return { is: 'refused', why: 'fault' };
      }
    }
  }

  /** Only the store tells it: the broadcast was ended by another process. */
  async #whyRefused(liveVideoId: string): Promise<WhyRefused> {
    try {
      const { data } = await this.load(liveVideoId);
      return data.status === 'SCHEDULED_EXPIRED' ? EXPIRED : data.endReason;
    } catch (error) {
      return error instanceof ServiceError ? DELETED : 'fault';
    }
  }

  /** Changes plain fields in any status. */
  async edit(
    liveVideoId: string,
    change: (data: LiveVideoData) => LiveVideoData,
    also?: readonly Write[] | ((now: LiveVideo) => readonly Write[]),
  ): Promise<LiveVideo> {
    const decide = async (found: LiveVideo) => ({ state: change(found.data), effects: [] });
    const { live } = await this.#retrying(liveVideoId, decide, also);
    return live;
  }

  /** Stores which rules were judged in an ended broadcast; ignores a deleted one. @throws StoreUnavailableError */
  async keepJudged(liveVideoId: string, judgedCodes: readonly number[]): Promise<void> {
    try {
      await this.edit(liveVideoId, (data) => ({ ...data, judgedCodes }));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }

  /** Logs a failure of `keepJudged`: the sweep after the end stores what is missing. */
  async tryToKeepJudged(liveVideoId: string, judgedCodes: readonly number[], log: Log): Promise<void> {
    try {
      await this.keepJudged(liveVideoId, judgedCodes);
    } catch (error) {
      log.warn({ error }, 'storing the codes of the judged rules failed');
    }
  }

  async #retrying(
    liveVideoId: string,
    decide: (live: LiveVideo) => Promise<{ state: LiveVideoData; effects: readonly LifecycleEffect[] }>,
    also: readonly Write[] | ((now: LiveVideo) => readonly Write[]) = [],
    known?: LiveVideo,
  ): Promise<Moved> {
    let effects: readonly LifecycleEffect[] = [];
    let isChanged = false;
    let copies: readonly LiveVideo[] = [];
    const updated = await updateObject<LiveVideoData>(
      this.#store.objects,
      this.#clock,
      liveVideoId,
      async (found, nowMs) => {
        const before = requireLiveVideo(found);
        const decided = await decide(before);
        effects = decided.effects;
        isChanged = decided.state !== before.data;
        if (!isChanged) return undefined;
        copies = await this.#copiesAfter(before.data, decided.state, nowMs);
        return {
          data: decided.state,
          also: [
            ...copies.map(({ version, ...object }): Write => ({ op: 'put', object, expect: version - 1 })),
            ...indexWrites(before, decided.state, effects, nowMs),
            ...[{ ...before, data: decided.state }, ...copies].flatMap((each) => airedWrites(before.data, each)),
            ...(typeof also === 'function' ? also({ ...before, data: decided.state }) : also),
          ],
        };
      },
      known,
    );
    const live = requireLiveVideo(updated);
    if (isChanged) for (const each of [live, ...copies]) this.#announce(each);
    return { live, effects };
  }

  /** The cross-posted copies as this change leaves them. */
  async #copiesAfter(before: LiveVideoData, after: LiveVideoData, nowMs: number): Promise<readonly LiveVideo[]> {
    const ids = changedCopies(before, after);
    const found = ids.length === 0 ? [] : await this.#store.objects.getMany(ids);
    return found.flatMap((copy) => (copy === undefined ? [] : [following(copy as LiveVideo, after, nowMs)]));
  }

  #announce({ id, data, updatedMs }: LiveVideo): void {
    const { ownerId, status, stream } = data;
    const message: StateMessage = { liveVideoId: id, ownerId, status, stream, atMs: updatedMs };
    this.#store.bus.publish(TOPIC.state, message);
  }
}

function requireLiveVideo(found: LiveVideo | undefined): LiveVideo {
  if (found?.kind !== 'live_video') throw subcodeError('LIVE_VIDEO__NOT_EXIST');
  return found;
}

function indexWrites(
  before: LiveVideo,
  state: LiveVideoData,
  effects: readonly LifecycleEffect[],
  nowMs: number,
): Write[] {
  const member = before.id;
  const writes: Write[] = [];
  const deadline = effects.findLast((effect) => effect.effect === 'deadline');
  if (deadline?.effect === 'deadline') {
    writes.push(
      deadline.wallMs === undefined
        ? { op: 'edgeRemove', ...SYSTEM_EDGES.deadlines, member }
        : { op: 'edgeAdd', ...SYSTEM_EDGES.deadlines, member, score: Math.max(0, Math.round(deadline.wallMs)) },
    );
  }
  const was = before.data.stream === 'connected';
  const is = state.stream === 'connected';
  if (is && !was) writes.push({ op: 'edgeAdd', ...SYSTEM_EDGES.connected, member, score: nowMs });
  if (was && !is) writes.push({ op: 'edgeRemove', ...SYSTEM_EDGES.connected, member });
  // The process that closes its records may die first. Records of the publish before may reach the store after the judge of this
  // one has begun.
  const isContinued = before.data.publishFence !== undefined && state.publishFence !== before.data.publishFence;
  if (isContinued || (isOver(state) && !isOver(before.data))) writes.push(toBeClosed(member, nowMs));
  return writes;
}
