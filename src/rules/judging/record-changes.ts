/**
 * The changes of records that were not taken yet. A raised or cleared record is written at once; what changes while it is
 * open waits for an interval, which doubles with each write.
 */
import type { StreamFacts } from '../../facts/stream-facts.js';
import type { RecordChange } from '../../spec/error-record.js';
import { CLEARING } from '../../spec/tolerances.js';
import type { RecordDraft } from './record-draft.js';

export class RecordChanges {
  #changes: RecordChange[] = [];
  /** Stream time of the next write of a stale record; infinite when none is stale. */
  #writeAtMs = Number.POSITIVE_INFINITY;

  get arePending(): boolean {
    return this.#changes.length > 0;
  }

  take(): RecordChange[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  write(change: RecordChange['change'], draft: RecordDraft, facts: StreamFacts): void {
    draft.refreshMs = draft.isStale ? Math.min(2 * draft.refreshMs, CLEARING.refreshMaxMs.value) : draft.refreshMs;
    draft.isStale = false;
    draft.writtenStreamMs = facts.streamTimeMs;
    this.#changes.push({ change, body: draft.body() });
  }

  /** Writes the record when its interval has elapsed. */
  markStale(draft: RecordDraft): void {
    draft.isStale = true;
    this.#writeAtMs = Math.min(this.#writeAtMs, draft.writtenStreamMs + draft.refreshMs);
  }

  /** A stale record may be due. */
  isDue(facts: StreamFacts): boolean {
    return facts.streamTimeMs >= this.#writeAtMs;
  }

  /** Writes the stale ones of all records whose interval has elapsed. */
  refresh(drafts: readonly RecordDraft[], facts: StreamFacts): void {
    this.#writeAtMs = Number.POSITIVE_INFINITY;
    for (const draft of drafts) {
      if (!draft.isStale) continue;
      if (facts.streamTimeMs - draft.writtenStreamMs >= draft.refreshMs) this.write('counted', draft, facts);
      else this.markStale(draft);
    }
  }

  /** Writes the stale ones of all records now. */
  flush(drafts: readonly RecordDraft[], facts: StreamFacts): void {
    for (const draft of drafts) if (draft.isStale) this.write('counted', draft, facts);
    this.#writeAtMs = Number.POSITIVE_INFINITY;
  }
}
