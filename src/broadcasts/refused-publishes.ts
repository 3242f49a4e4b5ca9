/**
 * Records of publishes that had the right key and were refused (6102). One record for each reason, address and encoder; a
 * repeated refusal counts on it. Several processes may refuse publishes of one broadcast while a third receives it, so the
 * counts are in a stored document, and each process journals under a random fence of its own.
 */
import { type RefusedPublish, refusalRecord } from '../judge/service-record.js';
import { DERIVED_ID, type JournalEntry, newFence, RECORD_FENCES, retryConflicts } from '../ports/index.js';
import type { BroadcastDeps } from './deps.js';
import { BROADCAST_LIMITS } from './limits.js';
import type { Refusal } from './publisher/refusals.js';

/** Who asked to publish. */
export interface PublishOrigin {
  readonly address: string;
  /** The name that the encoder gave; empty if it gave none. */
  readonly encoder: string;
  /** Ids of the deployments that passed the stream on; absent: none. */
  readonly passed?: readonly string[];
}

type Counted = Omit<RefusedPublish, 'description' | 'refusal'>;

interface RefusalsData {
  readonly refused: readonly Counted[];
}

/** Numbering of this process in one broadcast. */
interface Numbering {
  readonly fence: number;
  /** The number of the last entry. */
  number: number;
  /** The number of the last record's id: one that followed the stored counts was given again where a failover lost them. */
  record: number;
}

const CONTROL = /\p{Cc}+/gu;

export class RefusedPublishes {
  readonly #deps: Pick<BroadcastDeps, 'store' | 'clock' | 'ids' | 'log'>;
  readonly #numberings = new Map<string, Numbering>();

  constructor(deps: Pick<BroadcastDeps, 'store' | 'clock' | 'ids' | 'log'>) {
    this.#deps = deps;
  }

  /**
   * Counts the refusal; resolves with the change of its record, for the journal. A failure is logged: it must not change the
   * answer to the encoder.
   */
  async record(
    liveVideoId: string,
    refusal: Refusal,
    { address, encoder }: PublishOrigin,
    nowMs = this.#deps.clock.wallMs(),
  ): Promise<JournalEntry | undefined> {
    const name = encoder.replace(CONTROL, ' ').slice(0, BROADCAST_LIMITS.encoderName);
    try {
      return await this.#record(liveVideoId, refusal, { address, encoder: name }, nowMs);
    } catch (error) {
      this.#deps.log.warn({ error, liveVideoId, reason: refusal.reason }, 'recording a refused publish failed');
      return undefined;
    }
  }

  async #record(
    liveVideoId: string,
    refusal: Refusal,
    from: PublishOrigin,
    nowMs: number,
  ): Promise<JournalEntry | undefined> {
    const counted = await retryConflicts(() => this.#count(liveVideoId, refusal.reason, from, nowMs));
    if (counted === undefined) return undefined;
    const numbering = this.#numberingOf(liveVideoId);
    numbering.number += 1;
    const { fence, number } = numbering;
    const change = counted.count === 1 ? 'raised' : 'counted';
    const body = refusalRecord({ ...counted, description: refusal.description, refusal: refusal.refusal }, nowMs);
    return { broadcastId: liveVideoId, fence, number, change: { change, body } };
  }

  /** Adds the refusal to the stored counts. `undefined`: there are too many others already. */
  async #count(liveVideoId: string, reason: string, from: PublishOrigin, nowMs: number): Promise<Counted | undefined> {
    const { objects } = this.#deps.store;
    const id = DERIVED_ID.refusals(liveVideoId);
    const found = await objects.get<RefusalsData>(id);
    const refused = found?.data.refused ?? [];
    const index = indexOf(refused, reason, from);
    const former = refused[index];
    if (former === undefined && refused.length >= BROADCAST_LIMITS.refusalRecords) return undefined;
    const counted: Counted =
      former === undefined
        ? { id: this.#newId(liveVideoId), reason, ...from, timestampMs: nowMs, count: 1 }
        : { ...former, count: former.count + 1 };
    const data: RefusalsData = {
      refused: former === undefined ? [...refused, counted] : refused.with(index, counted),
    };
    const object = { id, kind: 'setting' as const, createdMs: found?.createdMs ?? nowMs, updatedMs: nowMs, data };
    await objects.commit([{ op: 'put', object, expect: found?.version ?? 0 }]);
    return counted;
  }

  #newId(liveVideoId: string): string {
    const numbering = this.#numberingOf(liveVideoId);
    numbering.record += 1;
    return `${liveVideoId}_${numbering.fence}_${numbering.record}`;
  }

  #numberingOf(liveVideoId: string): Numbering {
    const known = this.#numberings.get(liveVideoId);
    if (known !== undefined) return known;
    const fresh = { fence: newFence(RECORD_FENCES.unjudged, this.#deps.ids), number: 0, record: 0 };
    if (this.#numberings.size >= BROADCAST_LIMITS.refusalNumberings) {
      const oldest = this.#numberings.keys().next().value;
      if (oldest !== undefined) this.#numberings.delete(oldest);
    }
    this.#numberings.set(liveVideoId, fresh);
    return fresh;
  }
}

/** Beyond the limit, a refusal counts on the newest record of its reason. */
function indexOf(refused: readonly Counted[], reason: string, { address, encoder }: PublishOrigin): number {
  const same = refused.findIndex(
    (each) => each.reason === reason && each.address === address && each.encoder === encoder,
  );
  if (same >= 0 || refused.length < BROADCAST_LIMITS.refusalRecords) return same;
  return refused.findLastIndex((each) => each.reason === reason);
}
