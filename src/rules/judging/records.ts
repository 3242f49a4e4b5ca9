/**
 * The error records of one broadcast. A fault is raised once, counted if it recurs within a minute of clearing, and cleared
 * at the latest at the end of the stream. Each change is emitted as a copy.
 */
import type { StreamFacts } from '../../facts/stream-facts.js';
import { defined } from '../../lib/objects.js';
import type { Observed, RecordBody, RecordChange, Severity } from '../../spec/error-record.js';
import { JUDGED_BY } from '../../spec/in-force.js';
import { CLEARING } from '../../spec/tolerances.js';
import type { CatalogueEntry } from '../catalogue-entry.js';
import { description, rounded } from '../describe.js';
import { CAUSE_CODES, catalogueEntry, explains } from '../registry/catalogue.js';
import type { LiveRule } from '../rule.js';
import type { Finding } from './finding.js';
import { RecordChanges } from './record-changes.js';
import { endsBroadcast, packetEvidence, RecordDraft, recordBody } from './record-draft.js';

export interface RecordsOptions {
  /** Id of the n-th record of this lease holder. */
  readonly recordId: (n: number) => string;
  /** Remedy for the recognized encoder. */
  readonly remedy: (code: number, values: Readonly<Record<string, string>>) => string;
  /** All records are of this video track, which each names. */
  readonly track?: number;
  /** All records are of this input stream of a live video with two. */
  readonly inputStream?: string | undefined;
}

/** State that survives a reconnect or restart. JSON-safe. */
export interface RecordsSnapshot {
  readonly lastNumber: number;
  readonly open: readonly RecordBody[];
  /** Cleared records that a recurrence would still increment. */
  readonly recent: readonly {
    readonly body: RecordBody;
    readonly clearedStreamMs: number;
    /** The body has a count that was not written yet. */
    readonly isStale?: true;
  }[];
}

/** Renewals that are written at once. An encoder that changes its settings more often waits for the interval. */
const PROMPT_RENEWALS = 20;

const NO_PLACEHOLDERS: Readonly<Record<string, string>> = {};

export class Records {
  readonly #options: RecordsOptions;
  readonly #open = new Map<number, RecordDraft>();
  readonly #recent = new Map<number, RecordDraft>();
  readonly #last = new Map<number, RecordDraft>();
  readonly #changes = new RecordChanges();
  #lastNumber = 0;

  constructor(options: RecordsOptions) {
    this.#options = options;
  }

  /** True while changes are pending. */
  get changed(): boolean {
    return this.#changes.arePending;
  }

  takeChanges(): RecordChange[] {
    return this.#changes.take();
  }

  /** The id of the next record. */
  nextId(): string {
    return this.#options.recordId(++this.#lastNumber);
  }

  get openCodes(): number[] {
    return [...this.#open.keys()].sort((a, b) => a - b);
  }

  get hasOpen(): boolean {
    return this.#open.size > 0;
  }

  isOpen(code: number): boolean {
    return this.#open.has(code);
  }

  /** The newest record of a code, open or not. */
  last(code: number): RecordBody | undefined {
    return this.#last.get(code)?.body();
  }

  /** The first record for which strict enforcement ends the broadcast. */
  strictFault(facts: StreamFacts): RecordBody | undefined {
    for (const draft of this.#open.values()) if (endsBroadcast(draft, facts)) return draft.body();
    return undefined;
  }

  snapshot(): RecordsSnapshot {
    return {
      lastNumber: this.#lastNumber,
      open: [...this.#open.values()].map((draft) => draft.body()),
      recent: [...this.#recent.values()].map((draft) => ({
        body: draft.body(),
        clearedStreamMs: draft.clearedStreamMs,
        ...(draft.isStale ? { isStale: true as const } : {}),
      })),
    };
  }

  /** `isSameHolder`: record numbers continue. Another lease holder starts at 1, since its fence makes the ids distinct. */
  restore(kept: RecordsSnapshot, isSameHolder: boolean, streamMs: number): void {
    this.#lastNumber = isSameHolder ? kept.lastNumber : 0;
    for (const { body, clearedStreamMs, isStale } of kept.recent) {
      const draft = this.#restored(body);
      draft.clearedStreamMs = clearedStreamMs;
      if (isStale) this.#changes.markStale(draft);
      this.#recent.set(body.error_code, draft);
      this.#last.set(body.error_code, draft);
    }
    for (const body of kept.open) {
      const draft = this.#restored(body);
      draft.raisedStreamMs = streamMs;
      this.#open.set(body.error_code, draft);
      this.#recent.delete(body.error_code);
      this.#last.set(body.error_code, draft);
    }
  }

  /** A connection starts: intervals must not span the gap before it. */
  restartTimers(streamMs: number): void {
    for (const draft of this.#all) draft.restartTimers(streamMs);
  }

  /** Creates a record, or increments one that cleared less than a minute ago. */
  raise(finding: Finding, facts: StreamFacts, wallMs: number): void {
    const { entry, severity } = finding;
    const observed = rounded(finding.observed, entry.unit);
    const isPoint = entry.clears.how === 'point';
    let draft = this.#reopen(finding, facts, wallMs);
    const isNew = draft === undefined;
    if (draft === undefined) {
      draft = this.#begin(finding, observed, facts, wallMs);
    } else {
      draft.count++;
      draft.say(observed, rounded(finding.limit, entry.unit), finding.placeholders);
      if (severity === 'error') draft.severity = severity;
      if (finding.changes !== undefined) draft.renew(finding.changes);
    }
    draft.addEvidence(facts.packet);
    draft.raisedStreamMs = facts.streamTimeMs;
    draft.raisedAtMs = facts.arrival.nowAtMs;
    draft.seenStreamMs = facts.streamTimeMs;
    draft.seenAtMs = facts.arrival.nowAtMs;
    if (isPoint) draft.close(wallMs);
    else draft.open(wallMs);
    draft.clearedStreamMs = facts.streamTimeMs;
    this.#last.set(entry.code, draft);
    if (isPoint) this.#recent.set(entry.code, draft);
    else this.#open.set(entry.code, draft);
    this.#attachOpenCause(entry.code, draft);
    // A rule may find a point in time with every packet: the count is then written at intervals.
    const mayRecur = isPoint && finding.isNoted !== true;
    const mayWait = mayRecur && !isNew && facts.streamTimeMs - draft.writtenStreamMs < draft.refreshMs;
    if (mayWait) this.#changes.markStale(draft);
    else this.#changes.write(isNew ? 'raised' : 'counted', draft, facts);
    this.#explainOpen(entry.code, draft, facts);
  }

  /** A cause was raised: the open records that it explains point to it. */
  #explainOpen(code: number, cause: RecordDraft, facts: StreamFacts): void {
    if (!CAUSE_CODES.includes(code)) return;
    for (const [other, draft] of this.#open) {
      if (explains(code, other) && draft.attachCause(code, cause)) this.#changes.write('counted', draft, facts);
    }
  }

  #attachOpenCause(code: number, draft: RecordDraft): void {
    for (const causeCode of CAUSE_CODES) {
      const cause = this.#open.get(causeCode);
      if (cause !== undefined && explains(causeCode, code)) draft.attachCause(causeCode, cause);
    }
  }

  #begin(
    { entry, placeholders, severity, first, changes, match, forward, ...finding }: Finding,
    observed: Observed,
    facts: StreamFacts,
    wallMs: number,
  ): RecordDraft {
    const limit = rounded(finding.limit, entry.unit);
    const remediation = finding.remedy ?? this.#options.remedy(entry.code, placeholders);
    const evidence = packetEvidence(first);
    const { track, inputStream: input_stream } = this.#options;
    const worded = this.#worded(entry);
    const body: RecordBody = {
      id: this.nextId(),
      error_code: entry.code,
      error_subcode: entry.subcode ?? entry.code,
      error_type: entry.type,
      description: description(worded, { placeholders, observed, limit }, remediation),
      severity,
      timestampMs: wallMs,
      stream_time_ms: Math.max(0, Math.round(facts.momentMs)),
      observed,
      worst: observed,
      limit,
      unit: entry.unit,
      clause: entry.clause,
      remediation,
      cleared_time_ms: null,
      count: 1,
      evidence: { first: evidence, last: evidence },
      source: entry.source,
      ...JUDGED_BY,
      ...defined({ track, changes, match, forward, input_stream }),
    };
    return new RecordDraft(body, worded, placeholders);
  }

  #restored(body: RecordBody): RecordDraft {
    return new RecordDraft(recordBody(body), this.#worded(catalogueEntry(body.error_code)));
  }

  #worded(entry: CatalogueEntry): CatalogueEntry {
    const { track } = this.#options;
    return track === undefined ? entry : { ...entry, sentence: `Video track ${track}: ${entry.sentence}` };
  }

  /** The record that this fault continues, if it cleared less than a minute ago. */
  #reopen({ entry, match, forward }: Finding, facts: StreamFacts, wallMs: number): RecordDraft | undefined {
    const draft = this.#recent.get(entry.code);
    if (draft === undefined) return undefined;
    this.#recent.delete(entry.code);
    // A match with another reference is a record of its own, and so is a fault of another forward.
    const { fixed } = draft;
    const isOther = fixed.match?.reference_id !== match?.reference_id || fixed.forward !== forward;
    const sinceMs =
      entry.judgedBy === 'media'
        ? facts.streamTimeMs - draft.clearedStreamMs
        : wallMs - (draft.clearedTimeMs ?? Number.NEGATIVE_INFINITY);
    if (sinceMs <= CLEARING.sameRecordMs.value && !isOther) return draft;
    if (draft.isStale) this.#changes.write('counted', draft, facts);
    return undefined;
  }

  /** The fault of an open record was observed again. */
  observe(rule: LiveRule, severity: Severity, facts: StreamFacts): void {
    const { entry } = rule;
    const draft = this.#open.get(entry.code);
    if (draft === undefined) return;
    draft.addEvidence(facts.packet);
    draft.seenStreamMs = facts.streamTimeMs;
    draft.seenAtMs = facts.arrival.nowAtMs;
    const observed = rounded(rule.observed(facts), entry.unit);
    const limit = rounded(rule.limit(facts), entry.unit);
    if (draft.isNews(observed, limit)) {
      draft.say(observed, limit, rule.placeholders?.(facts) ?? NO_PLACEHOLDERS);
      this.#changes.markStale(draft);
    }
    const changes = rule.changes?.(facts);
    if (changes !== undefined && draft.renew(changes)) {
      // The headers of one reconnect come one after the other: readers get all of its changes at once.
      if (draft.renewals <= PROMPT_RENEWALS) this.#changes.write('counted', draft, facts);
      else this.#changes.markStale(draft);
    }
    if (severity === 'error' && draft.severity !== 'error') {
      draft.severity = severity;
      this.#changes.markStale(draft);
    }
  }

  clear(code: number, facts: StreamFacts, wallMs: number): void {
    const draft = this.#open.get(code);
    if (draft === undefined) return;
    this.#open.delete(code);
    // Raised during the silence after the last packet, where a stream ends.
    draft.close(Math.max(wallMs, draft.fixed.timestampMs));
    draft.clearedStreamMs = facts.streamTimeMs;
    this.#recent.set(code, draft);
    this.#changes.write('cleared', draft, facts);
  }

  /** Clears all open records at the end of the stream. */
  closeAll(facts: StreamFacts, wallMs: number): void {
    for (const code of this.openCodes) this.clear(code, facts, wallMs);
  }

  /** Writes the stale records whose interval has elapsed. */
  refresh(facts: StreamFacts): void {
    if (this.#changes.isDue(facts)) this.#changes.refresh(this.#all, facts);
  }

  /** Writes all stale records now. */
  flush(facts: StreamFacts): void {
    this.#changes.flush(this.#all, facts);
  }

  /** Open ones, and those that a recurrence would still increment. */
  get #all(): RecordDraft[] {
    return [...this.#open.values(), ...this.#recent.values()];
  }
}
