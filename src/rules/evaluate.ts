/**
 * Runs the rules over the facts and keeps their records: a fault is raised once, counted when it comes back within a
 * minute, cleared by the rule's own clearing, and closed at the end of the stream.
 */
import { BEAT, TICK } from '../facts/events.js';
import type { PacketFacts } from '../facts/packet-facts.js';
import type { StreamFacts } from '../facts/stream-facts.js';
import type { Observed, RecordBody, RecordChange, Severity } from '../spec/error-record.js';
import { type CatalogueEntry, catalogueEntry } from '../spec/errors.js';
import { CLEARING, ENFORCEMENT } from '../spec/tolerances.js';
import { description, rounded } from './describe.js';
import { isWorse, packetEvidence, RecordDraft, recordBody } from './record-draft.js';
import { LIVE_RULES, rulesFor } from './registry.js';
import { BROKEN, BROKEN_NOW, has, KEPT, KEPT_NOW, type LiveRule, SKIP, UNKNOWN } from './rule.js';
import { RuleTimers } from './rule-timers.js';

export interface EvaluationOptions {
  /** Makes ids: the n-th record of this holder. */
  readonly recordId: (n: number) => string;
  /** What to change, for the encoder as far as it is recognised. */
  readonly remedy: (code: number) => string;
}

/** What goes over a reconnect or restart. JSON-safe. */
export interface KeptRecords {
  readonly lastNumber: number;
  readonly open: readonly RecordBody[];
  /** Cleared, and still to be counted on when raised again soon. */
  readonly recent: readonly { readonly body: RecordBody; readonly clearedStreamMs: number }[];
  /** Codes that are raised once only and have been. */
  readonly done: readonly number[];
  /** Codes of rules that had enough data at least once. */
  readonly judged?: readonly number[];
}

/** Beside the rules, which are of many shapes: to find the check in each takes longer than most checks. */
const CHECKS = LIVE_RULES.map(({ check }) => check);
const ENTRIES = LIVE_RULES.map((rule) => catalogueEntry(rule.code));

export class Evaluation {
  readonly #options: EvaluationOptions;
  /** By the rule's place: there was enough data at least once. */
  readonly #judged = new Uint8Array(LIVE_RULES.length);
  /** By the rule's place; absent while none runs. */
  #timers: (RuleTimers | undefined)[] = [];
  readonly #open = new Map<number, RecordDraft>();
  readonly #recent = new Map<number, RecordDraft>();
  readonly #last = new Map<number, RecordDraft>();
  readonly #done = new Set<number>();
  #changes: RecordChange[] = [];
  #lastNumber = 0;
  /** Stream time at which the next stale record is to be written; infinite when none is stale. */
  #writeAtMs = Number.POSITIVE_INFINITY;

  constructor(options: EvaluationOptions) {
    this.#options = options;
  }

  /** Changes that wait to be taken. */
  get changed(): boolean {
    return this.#changes.length > 0;
  }

  takeChanges(): RecordChange[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  get openCodes(): number[] {
    return [...this.#open.keys()].sort((a, b) => a - b);
  }

  /** The newest record of a code, open or not. */
  lastRecord(code: number): RecordBody | undefined {
    return this.#last.get(code)?.body();
  }

  /** Looks at all rules that the events concern. */
  run(facts: StreamFacts, events: number, wallMs: number): void {
    const places = rulesFor(events);
    for (let i = 0; i < places.length; i++) {
      const place = places[i] as number;
      const check = CHECKS[place] as LiveRule['check'];
      const outcome = check(facts, events);
      if (outcome === SKIP) continue;
      if (outcome >= BROKEN) this.#broken(place, outcome === BROKEN_NOW, facts, events, wallMs);
      else this.#notBroken(place, outcome, facts, wallMs);
    }
    if (facts.streamTimeMs >= this.#writeAtMs && has(events, BEAT | TICK)) this.#refresh(facts);
  }

  /** A fault that no packet shows: the service saw it. */
  note(code: number, observed: Observed, facts: StreamFacts, wallMs: number): void {
    const entry = catalogueEntry(code);
    const findings = { observed, limit: '', words: {} };
    this.#raise(entry, findings, entry.severity, facts.packet, facts, wallMs);
  }

  /** A connection begins: timers do not run over the gap before it. */
  forgetTimers(streamMs: number): void {
    for (const draft of [...this.#open.values(), ...this.#recent.values()]) draft.restartTimers(streamMs);
    this.#timers = [];
  }

  /** What is raised once only may be raised again: another broadcast begins. */
  forgetDone(): void {
    this.#done.clear();
  }

  /** The end of the stream closes all. */
  closeAll(facts: StreamFacts, wallMs: number): void {
    for (const code of this.openCodes) this.#clear(code, facts, wallMs);
  }

  /** Ever had enough data, by code. */
  wasJudged(place: number): boolean {
    return this.#judged[place] === 1;
  }

  /** The first record of severity error that strict enforcement ends a broadcast for. */
  strictFault(facts: StreamFacts): RecordBody | undefined {
    for (const [code, draft] of this.#open) {
      if (draft.severity !== 'error') continue;
      const entry = catalogueEntry(code);
      const stands =
        entry.clears.how === 'header' || entry.clears.how === 'settings' || entry.clears.how === 'connection';
      const atMs = facts.arrival.nowAtMs;
      const overDue =
        isDue(facts.streamTimeMs, draft.raisedStreamMs, stands ? facts.streamTimeMs : draft.seenStreamMs) ||
        (facts.isLiveMode &&
          entry.judgedBy === 'arrival' &&
          isDue(atMs, draft.raisedAtMs, stands ? atMs : draft.seenAtMs));
      if (overDue) return draft.body();
    }
    return undefined;
  }

  keep(): KeptRecords {
    return {
      lastNumber: this.#lastNumber,
      open: [...this.#open.values()].map((draft) => draft.body()),
      recent: [...this.#recent.values()].map((draft) => ({
        body: draft.body(),
        clearedStreamMs: draft.clearedStreamMs,
      })),
      done: [...this.#done],
      judged: ENTRIES.filter((_entry, place) => this.wasJudged(place)).map((entry) => entry.code),
    };
  }

  /** `isSameHolder`: numbers go on; another holder's ids differ by its fence. */
  restore(kept: KeptRecords, isSameHolder: boolean, streamMs: number): void {
    this.#lastNumber = isSameHolder ? kept.lastNumber : 0;
    for (const { body, clearedStreamMs } of kept.recent) {
      const draft = new RecordDraft(recordBody(body));
      draft.clearedStreamMs = clearedStreamMs;
      this.#recent.set(body.error_code, draft);
      this.#last.set(body.error_code, draft);
    }
    for (const body of kept.open) {
      const draft = new RecordDraft(recordBody(body));
      draft.raisedStreamMs = streamMs;
      this.#open.set(body.error_code, draft);
      this.#recent.delete(body.error_code);
      this.#last.set(body.error_code, draft);
    }
    for (const code of kept.done) this.#done.add(code);
    for (const [place, { code }] of ENTRIES.entries()) if (kept.judged?.includes(code)) this.#judged[place] = 1;
  }

  #broken(place: number, isNow: boolean, facts: StreamFacts, events: number, wallMs: number): void {
    const rule = LIVE_RULES[place] as LiveRule;
    const entry = ENTRIES[place] as CatalogueEntry;
    this.#timers[place]?.forgetKept();
    const open = this.#open.get(rule.code);
    if (open !== undefined) {
      this.#judged[place] = 1;
      this.#seen(open, rule, entry, facts);
      return;
    }
    if (rule.once === true && this.#done.has(rule.code)) return;
    if (!isNow && rule.raiseAfter !== undefined) {
      const timers = this.#timersOf(place);
      // Beyond the bound, but not for long enough: neither broken nor kept.
      if (!lasts(rule.raiseAfter, timers, clockOf(entry, facts))) return;
    }
    this.#judged[place] = 1;
    if (rule.once === true) this.#done.add(rule.code);
    const findings = {
      observed: rule.observed(facts),
      limit: rule.limit(facts),
      words: rule.words?.(facts) ?? {},
    };
    const first = rule.firstEvidence?.(facts, events) ?? facts.packet;
    this.#raise(entry, findings, rule.severity?.(facts) ?? entry.severity, first, facts, wallMs);
  }

  #notBroken(place: number, outcome: number, facts: StreamFacts, wallMs: number): void {
    const timers = this.#timers[place];
    timers?.forgetBroken();
    if (outcome === UNKNOWN) {
      timers?.forgetKept();
      return;
    }
    if (outcome === KEPT || outcome === KEPT_NOW) this.#judged[place] = 1;
    if (this.#open.size === 0) return;
    const entry = ENTRIES[place] as CatalogueEntry;
    if (!this.#open.has(entry.code)) return;
    if (outcome === KEPT_NOW || isOver(entry, this.#timersOf(place), clockOf(entry, facts))) {
      this.#clear(entry.code, facts, wallMs);
    }
  }

  #timersOf(place: number): RuleTimers {
    this.#timers[place] ??= new RuleTimers();
    return this.#timers[place];
  }

  #raise(
    entry: CatalogueEntry,
    findings: {
      readonly observed: Observed;
      readonly limit: Observed;
      readonly words: Readonly<Record<string, string>>;
    },
    severity: Severity,
    first: PacketFacts,
    facts: StreamFacts,
    wallMs: number,
  ): void {
    const observed = rounded(findings.observed, entry.unit);
    const isPoint = entry.clears.how === 'point';
    let draft = this.#comeBack(entry, facts, wallMs);
    const isNew = draft === undefined;
    if (draft === undefined) {
      const limit = rounded(findings.limit, entry.unit);
      const remediation = this.#options.remedy(entry.code);
      const evidence = packetEvidence(first);
      draft = new RecordDraft({
        id: this.#options.recordId(++this.#lastNumber),
        error_code: entry.code,
        error_subcode: entry.subcode,
        error_type: entry.type,
        description: description(entry, { ...findings, observed, limit }, remediation),
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
      });
    } else {
      draft.count++;
      if (isWorse(observed, draft.worst, entry.worst)) draft.worst = observed;
      if (severity === 'error') draft.severity = severity;
    }
    draft.prove(facts.packet);
    draft.raisedStreamMs = facts.streamTimeMs;
    draft.raisedAtMs = facts.arrival.nowAtMs;
    draft.seenStreamMs = facts.streamTimeMs;
    draft.seenAtMs = facts.arrival.nowAtMs;
    draft.clearedTimeMs = isPoint ? wallMs : null;
    draft.clearedStreamMs = facts.streamTimeMs;
    this.#last.set(entry.code, draft);
    if (isPoint) this.#recent.set(entry.code, draft);
    else this.#open.set(entry.code, draft);
    // Points can come with every packet; then what is written is the count every so often.
    const mayWait = isPoint && !isNew && facts.streamTimeMs - draft.writtenStreamMs < draft.refreshMs;
    if (mayWait) this.#markStale(draft);
    else this.#write(isNew ? 'raised' : 'counted', draft, facts);
  }

  /** The record that this is the same fault as: cleared less than a minute ago. */
  #comeBack(entry: CatalogueEntry, facts: StreamFacts, wallMs: number): RecordDraft | undefined {
    const draft = this.#recent.get(entry.code);
    if (draft === undefined) return undefined;
    this.#recent.delete(entry.code);
    const sinceMs =
      entry.judgedBy === 'media'
        ? facts.streamTimeMs - draft.clearedStreamMs
        : wallMs - (draft.clearedTimeMs ?? Number.NEGATIVE_INFINITY);
    if (sinceMs <= CLEARING.sameRecordMs.value) return draft;
    if (draft.isStale) this.#write('counted', draft, facts);
    return undefined;
  }

  #seen(draft: RecordDraft, rule: LiveRule, entry: CatalogueEntry, facts: StreamFacts): void {
    draft.prove(facts.packet);
    draft.seenStreamMs = facts.streamTimeMs;
    draft.seenAtMs = facts.arrival.nowAtMs;
    const observed = rounded(rule.observed(facts), entry.unit);
    if (isWorse(observed, draft.worst, entry.worst)) {
      draft.worst = observed;
      this.#markStale(draft);
    }
    const severity = rule.severity?.(facts) ?? entry.severity;
    if (severity === 'error' && draft.severity !== 'error') {
      draft.severity = severity;
      this.#markStale(draft);
    }
  }

  #clear(code: number, facts: StreamFacts, wallMs: number): void {
    const draft = this.#open.get(code);
    if (draft === undefined) return;
    this.#open.delete(code);
    draft.clearedTimeMs = wallMs;
    draft.clearedStreamMs = facts.streamTimeMs;
    this.#recent.set(code, draft);
    this.#write('cleared', draft, facts);
  }

  #markStale(draft: RecordDraft): void {
    draft.isStale = true;
    this.#writeAtMs = Math.min(this.#writeAtMs, draft.writtenStreamMs + draft.refreshMs);
  }

  /** Writes what has grown worse since it was last written, at most every so often. */
  #refresh(facts: StreamFacts): void {
    this.#writeAtMs = Number.POSITIVE_INFINITY;
    for (const draft of [...this.#open.values(), ...this.#recent.values()]) {
      if (!draft.isStale) continue;
      if (facts.streamTimeMs - draft.writtenStreamMs >= draft.refreshMs) this.#write('counted', draft, facts);
      else this.#markStale(draft);
    }
  }

  /** Writes all that waits, whatever its time. */
  flush(facts: StreamFacts): void {
    for (const draft of [...this.#open.values(), ...this.#recent.values()]) {
      if (draft.isStale) this.#write('counted', draft, facts);
    }
    this.#writeAtMs = Number.POSITIVE_INFINITY;
  }

  #write(change: RecordChange['change'], draft: RecordDraft, facts: StreamFacts): void {
    draft.refreshMs = draft.isStale ? Math.min(2 * draft.refreshMs, CLEARING.refreshMaxMs.value) : draft.refreshMs;
    draft.isStale = false;
    draft.writtenStreamMs = facts.streamTimeMs;
    this.#changes.push({ change, body: draft.body() });
  }
}

function clockOf(entry: CatalogueEntry, facts: StreamFacts): number {
  return entry.judgedBy === 'arrival' ? facts.arrival.nowAtMs : facts.streamTimeMs;
}

function lasts(
  after: { readonly holdMs: number } | { readonly times: number },
  timers: RuleTimers,
  nowMs: number,
): boolean {
  timers.brokenTimes++;
  if ('times' in after) return timers.brokenTimes >= after.times;
  if (Number.isNaN(timers.brokenSinceMs)) timers.brokenSinceMs = nowMs;
  return nowMs - timers.brokenSinceMs >= after.holdMs;
}

function isOver(entry: CatalogueEntry, timers: RuleTimers, nowMs: number): boolean {
  const { clears } = entry;
  if (clears.how === 'key-frames') return ++timers.keptTimes >= clears.times;
  if (clears.how !== 'window') return true;
  if (Number.isNaN(timers.keptSinceMs)) timers.keptSinceMs = nowMs;
  return nowMs - timers.keptSinceMs >= clears.insideMs;
}

function isDue(nowMs: number, raisedMs: number, seenMs: number): boolean {
  return nowMs - raisedMs >= ENFORCEMENT.strictOpenMs.value && nowMs - seenMs <= ENFORCEMENT.strictSeenMs.value;
}
