/** Runs the rules over the facts: what fails for long enough is raised, what passes for long enough is cleared. */
import { BEAT, TICK } from '../../facts/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import type { Observed } from '../../spec/error-record.js';
import type { CatalogueEntry } from '../catalogue-entry.js';
import { catalogueEntry } from '../registry/catalogue.js';
import { LIVE_RULES } from '../registry/rules.js';
import { FAIL, FAIL_NOW, has, type LiveRule, PASS, PASS_NOW, SKIP, UNKNOWN } from '../rule.js';
import type { KeptRecords, Records } from './records.js';
import { RuleTimers } from './rule-timers.js';

/** What goes over a reconnect or restart. JSON-safe. */
export interface KeptEvaluation extends KeptRecords {
  /** Codes that are raised once only and have been. */
  readonly done: readonly number[];
  /** Codes of rules that had enough data at least once. */
  readonly judged?: readonly number[];
}

/** Beside the rules, which are of many shapes: to find the check in each takes longer than most checks. */
const CHECKS = LIVE_RULES.map(({ check }) => check);
const ENTRIES = LIVE_RULES.map(({ entry }) => entry);

/** Events that any rule looks at. */
export const EVENTS_OF_RULES = LIVE_RULES.reduce((all, rule) => all | rule.events, 0);

const BY_EVENTS = new Map<number, readonly number[]>();

/** Places in `LIVE_RULES` of the rules that look at any of the events. Few combinations of events occur, so each is worked out once. */
function rulesFor(events: number): readonly number[] {
  let places = BY_EVENTS.get(events);
  if (places === undefined) {
    places = LIVE_RULES.flatMap((rule, place) => ((rule.events & events) !== 0 ? [place] : []));
    BY_EVENTS.set(events, places);
  }
  return places;
}

export class Evaluation {
  readonly #records: Records;
  /** By the rule's place: there was enough data at least once. */
  readonly #judged = new Uint8Array(LIVE_RULES.length);
  /** By the rule's place; absent while none runs. */
  #timers: (RuleTimers | undefined)[] = [];
  readonly #done = new Set<number>();

  constructor(records: Records) {
    this.#records = records;
  }

  /** Looks at all rules that the events concern. */
  run(facts: StreamFacts, events: number, wallMs: number): void {
    const places = rulesFor(events);
    for (let i = 0; i < places.length; i++) {
      const place = places[i] as number;
      const check = CHECKS[place] as LiveRule['check'];
      const outcome = check(facts, events);
      if (outcome === SKIP) continue;
      if (outcome >= FAIL) this.#fail(place, outcome === FAIL_NOW, facts, events, wallMs);
      else this.#pass(place, outcome, facts, wallMs);
    }
    if (has(events, BEAT | TICK)) this.#records.refresh(facts);
  }

  /** A fault that no packet shows: the service saw it. */
  note(code: number, observed: Observed, facts: StreamFacts, wallMs: number): void {
    const entry = catalogueEntry(code);
    const { severity } = entry;
    this.#records.raise({ entry, observed, limit: '', placeholders: {}, severity, first: facts.packet }, facts, wallMs);
  }

  /** A connection begins: timers do not run over the gap before it. */
  forgetTimers(streamMs: number): void {
    this.#records.restartTimers(streamMs);
    this.#timers = [];
  }

  /** What is raised once only may be raised again: another broadcast begins. */
  forgetDone(): void {
    this.#done.clear();
  }

  /** Ever had enough data, by code. */
  wasJudged(place: number): boolean {
    return this.#judged[place] === 1;
  }

  keep(): KeptEvaluation {
    return {
      ...this.#records.keep(),
      done: [...this.#done],
      judged: ENTRIES.filter((_entry, place) => this.wasJudged(place)).map((entry) => entry.code),
    };
  }

  /** `isSameHolder`: numbers go on; another holder's ids differ by its fence. */
  restore(kept: KeptEvaluation, isSameHolder: boolean, streamMs: number): void {
    this.#records.restore(kept, isSameHolder, streamMs);
    for (const code of kept.done) this.#done.add(code);
    for (const [place, { code }] of ENTRIES.entries()) if (kept.judged?.includes(code)) this.#judged[place] = 1;
  }

  #fail(place: number, isNow: boolean, facts: StreamFacts, events: number, wallMs: number): void {
    const rule = LIVE_RULES[place] as LiveRule;
    const entry = ENTRIES[place] as CatalogueEntry;
    this.#timers[place]?.forgetPassing();
    const severity = rule.severity?.(facts) ?? entry.severity;
    if (this.#records.isOpen(entry.code)) {
      this.#judged[place] = 1;
      this.#records.see(entry, rule.observed(facts), severity, facts);
      return;
    }
    if (rule.once === true && this.#done.has(entry.code)) return;
    if (!isNow && rule.raiseAfter !== undefined) {
      // Beyond the bound, but not for long enough: it neither fails nor passes.
      if (!this.#timersOf(place).isFailingFor(rule.raiseAfter, clockOf(entry, facts))) return;
    }
    this.#judged[place] = 1;
    if (rule.once === true) this.#done.add(entry.code);
    const finding = {
      entry,
      observed: rule.observed(facts),
      limit: rule.limit(facts),
      placeholders: rule.placeholders?.(facts) ?? {},
      severity,
      first: rule.firstEvidence?.(facts, events) ?? facts.packet,
    };
    this.#records.raise(finding, facts, wallMs);
  }

  #pass(place: number, outcome: number, facts: StreamFacts, wallMs: number): void {
    const timers = this.#timers[place];
    timers?.forgetFailing();
    if (outcome === UNKNOWN) {
      timers?.forgetPassing();
      return;
    }
    if (outcome === PASS || outcome === PASS_NOW) this.#judged[place] = 1;
    if (!this.#records.hasOpen) return;
    const entry = ENTRIES[place] as CatalogueEntry;
    if (!this.#records.isOpen(entry.code)) return;
    if (outcome === PASS_NOW || this.#timersOf(place).isPassingFor(entry.clears, clockOf(entry, facts))) {
      this.#records.clear(entry.code, facts, wallMs);
    }
  }

  #timersOf(place: number): RuleTimers {
    this.#timers[place] ??= new RuleTimers();
    return this.#timers[place];
  }
}

function clockOf(entry: CatalogueEntry, facts: StreamFacts): number {
  return entry.judgedBy === 'arrival' ? facts.arrival.nowAtMs : facts.streamTimeMs;
}
