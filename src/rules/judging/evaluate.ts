/** Runs the rules on the facts: raises a record when a rule has failed for long enough, clears it when it has passed. */
import { BEAT, TICK } from '../../facts/measures/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import type { MatchDetails, Observed, SettingChange } from '../../spec/error-record.js';
import { houseSeverity } from '../../spec/house.js';
import type { CatalogueEntry } from '../catalogue-entry.js';
import { catalogueEntry } from '../registry/catalogue.js';
import { LIVE_RULES } from '../registry/rules.js';
import { FAIL, FAIL_NOW, has, type LiveRule, PASS, PASS_NOW, SKIP, UNKNOWN } from '../rule.js';
import type { Records, RecordsSnapshot } from './records.js';
import { RuleTimers } from './rule-timers.js';

/** State that survives a reconnect or restart. JSON-safe. */
export interface EvaluationSnapshot extends RecordsSnapshot {
  /** Codes of `once` rules that were raised already. */
  readonly done: readonly number[];
  /** Codes of rules that had enough data to be judged at least once. */
  readonly judged?: readonly number[];
}

/** Flat arrays: the rules have different hidden classes, so reading `check` from each would cost more than most checks. */
const CHECKS = LIVE_RULES.map(({ check }) => check);
const ENTRIES = LIVE_RULES.map(({ entry }) => entry);
const FAILS_ON = Int32Array.from(LIVE_RULES, ({ events, failsOn = events }) => failsOn);

/** The rules that apply, with or without those beyond the published document, by the events that they handle. */
class RuleIndex {
  /** All events that some rule handles. */
  readonly events: number;
  readonly #applies: readonly boolean[];
  readonly #byEvents = new Map<number, readonly number[]>();

  constructor(applies: (entry: CatalogueEntry) => boolean) {
    this.#applies = ENTRIES.map(applies);
    this.events = LIVE_RULES.reduce((all, rule, index) => (this.#applies[index] ? all | rule.events : all), 0);
  }

  /** Indexes in `LIVE_RULES` of the rules that handle any of the events. Memoized: few combinations occur. */
  of(events: number): readonly number[] {
    let indexes = this.#byEvents.get(events);
    if (indexes === undefined) {
      indexes = LIVE_RULES.flatMap((rule, index) =>
        this.#applies[index] && (rule.events & events) !== 0 ? [index] : [],
      );
      this.#byEvents.set(events, indexes);
    }
    return indexes;
  }
}

const RULES = {
  all: new RuleIndex(() => true),
  published: new RuleIndex((entry) => !entry.analysis),
  /** For a video track other than the first. */
  track: new RuleIndex(({ perTrack }) => perTrack),
} as const;

/** A fault that the service observed, not a packet. */
export interface Noted {
  readonly observed: Observed;
  readonly match?: MatchDetails | undefined;
  /** ID of the forward that it is about. */
  readonly forward?: string | undefined;
  readonly changes?: readonly SettingChange[] | undefined;
  /** In place of the remedy for the encoder. */
  readonly remedy?: string | undefined;
}

export class Evaluation {
  readonly #records: Records;
  readonly #rules: RuleIndex;
  /** By rule index: 1 once it had enough data. */
  readonly #judged = new Uint8Array(LIVE_RULES.length);
  /** By rule index; created on first use. */
  #timers: (RuleTimers | undefined)[] = [];
  readonly #done = new Set<number>();

  constructor(records: Records, rules: keyof typeof RULES = 'all') {
    this.#records = records;
    this.#rules = RULES[rules];
  }

  /** All events that some rule handles. */
  get events(): number {
    return this.#rules.events;
  }

  /** Checks every rule that handles one of the events. */
  run(facts: StreamFacts, events: number, wallMs: number): void {
    const indexes = this.#rules.of(events);
    for (let i = 0; i < indexes.length; i++) {
      const index = indexes[i] as number;
      if (((FAILS_ON[index] as number) & events) === 0 && this.#isSettled(index)) continue;
      const check = CHECKS[index] as LiveRule['check'];
      const outcome = check(facts, events);
      if (outcome === SKIP) continue;
      if (outcome >= FAIL) this.#fail(index, outcome === FAIL_NOW, facts, events, wallMs);
      else this.#pass(index, outcome, facts, wallMs);
    }
    if (has(events, BEAT | TICK)) this.#records.refresh(facts);
  }

  /** The end of a short file, measured over its whole: checks the rules that had too little data so far. Returns their codes. */
  judgeWhole(facts: StreamFacts, wallMs: number): number[] {
    const codes: number[] = [];
    for (const [index, rule] of LIVE_RULES.entries()) {
      if (rule.whole !== true || this.wasJudged(index)) continue;
      const outcome = rule.check(facts, rule.events);
      if (outcome === SKIP) continue;
      if (outcome >= FAIL) this.#fail(index, true, facts, rule.events, wallMs);
      else this.#pass(index, outcome, facts, wallMs);
      if (this.wasJudged(index)) codes.push(rule.entry.code);
    }
    return codes;
  }

  /** Raises a fault that the service observed, not a packet. */
  note(code: number, { observed, match, forward, changes, remedy }: Noted, facts: StreamFacts, wallMs: number): void {
    const entry = catalogueEntry(code);
    const { severity } = entry;
    const what = {
      entry,
      observed,
      match,
      forward,
      changes,
      remedy,
      limit: '',
      placeholders: {},
      severity,
      first: facts.packet,
    };
    this.#records.raise({ ...what, isNoted: true }, facts, wallMs);
  }

  /** Clears a record that was noted. */
  clearNoted(code: number, facts: StreamFacts, wallMs: number): void {
    this.#records.clear(code, facts, wallMs);
  }

  /** A connection starts: timers must not span the gap before it. */
  resetTimers(streamMs: number): void {
    this.#records.restartTimers(streamMs);
    this.#timers = [];
  }

  /** Another broadcast starts: `once` rules may be raised again. */
  resetOnce(): void {
    this.#done.clear();
  }

  /** Passing changes nothing: the rule is judged, has no record open and no time that counts. */
  #isSettled(index: number): boolean {
    if (this.#judged[index] !== 1 || this.#timers[index] !== undefined) return false;
    return !this.#records.hasOpen || !this.#records.isOpen((ENTRIES[index] as CatalogueEntry).code);
  }

  wasJudged(index: number): boolean {
    return this.#judged[index] === 1;
  }

  snapshot(): EvaluationSnapshot {
    return {
      ...this.#records.snapshot(),
      done: [...this.#done],
      judged: ENTRIES.filter((_entry, index) => this.wasJudged(index)).map((entry) => entry.code),
    };
  }

  /** `isSameHolder`: record numbers continue. Another lease holder starts at 1, since its fence makes the ids distinct. */
  restore(kept: EvaluationSnapshot, isSameHolder: boolean, streamMs: number): void {
    this.#records.restore(kept, isSameHolder, streamMs);
    for (const code of kept.done) this.#done.add(code);
    for (const [index, { code }] of ENTRIES.entries()) if (kept.judged?.includes(code)) this.#judged[index] = 1;
  }

  #fail(index: number, isNow: boolean, facts: StreamFacts, events: number, wallMs: number): void {
    const rule = LIVE_RULES[index] as LiveRule;
    const entry = ENTRIES[index] as CatalogueEntry;
    this.#timers[index]?.resetPassing();
    const severity = houseSeverity(entry.code) ?? rule.severity?.(facts) ?? entry.severity;
    if (this.#records.isOpen(entry.code)) {
      this.#judged[index] = 1;
      this.#records.observe(rule, severity, facts);
      return;
    }
    if (rule.once === true && this.#done.has(entry.code)) return;
    if (!isNow && rule.raiseAfter !== undefined) {
      // Beyond the bound, but not for long enough yet: neither fails nor passes.
      if (!this.#timersOf(index).isFailingFor(rule.raiseAfter, clockOf(entry, facts))) return;
    }
    this.#judged[index] = 1;
    if (rule.once === true) this.#done.add(entry.code);
    const changes = rule.changes?.(facts);
    const remedy = rule.remedyNow?.(facts);
    const finding = {
      entry,
      remedy,
      changes,
      observed: rule.observed(facts),
      limit: rule.limit(facts),
      placeholders: rule.placeholders?.(facts) ?? {},
      severity,
      first: rule.firstEvidence?.(facts, events) ?? facts.packet,
    };
    this.#records.raise(finding, facts, wallMs);
  }

  #pass(index: number, outcome: number, facts: StreamFacts, wallMs: number): void {
    const timers = this.#timers[index];
    timers?.resetFailing();
    if (outcome === UNKNOWN) {
      timers?.resetPassing();
      return;
    }
    if (outcome === PASS || outcome === PASS_NOW) this.#judged[index] = 1;
    if (!this.#records.hasOpen) return;
    const entry = ENTRIES[index] as CatalogueEntry;
    if (!this.#records.isOpen(entry.code)) return;
    if (outcome === PASS_NOW || this.#timersOf(index).isPassingFor(entry.clears, clockOf(entry, facts))) {
      this.#records.clear(entry.code, facts, wallMs);
    }
  }

  #timersOf(index: number): RuleTimers {
    this.#timers[index] ??= new RuleTimers();
    return this.#timers[index];
  }
}

function clockOf(entry: CatalogueEntry, facts: StreamFacts): number {
  return entry.judgedBy === 'arrival' ? facts.arrival.nowAtMs : facts.streamTimeMs;
}
