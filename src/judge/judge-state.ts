/**
 * State of the judge of one stream: how rules are run on its facts, how the next judge of the broadcast continues, and what
 * is shown. The inputs are in `judge.ts`.
 */
import { AUDIO_CONFIG, BEAT, CONNECT, GO_LIVE, RATE_CLASS, TICK, VIDEO_CONFIG } from '../facts/measures/events.js';
import { StreamFacts } from '../facts/stream-facts.js';
import { defined } from '../lib/objects.js';
import type { EncoderIdentity } from '../media/encoder.js';
import { Evaluation } from '../rules/judging/evaluate.js';
import { remedyFor } from '../rules/remedies/remedy.js';
import type { RecordBody, RecordChange } from '../spec/error-record.js';
import { LIVE } from '../spec/live.js';
import { JudgeClock } from './judge-clock.js';
import type { EndVerdict, JudgeOptions, JudgeResume, ObservedHealth, RuleVerdict } from './judge-types.js';
import { healthOf, verdictOf } from './judge-views.js';
import { LIVE_MEASURES } from './measures.js';
import { StreamEncoder } from './stream-encoder.js';
import { StreamRecords } from './stream-records.js';

const SETTINGS_EVENTS = VIDEO_CONFIG | AUDIO_CONFIG | RATE_CLASS;

export abstract class JudgeState {
  protected readonly options: JudgeOptions;
  protected readonly facts: StreamFacts;
  protected readonly records: StreamRecords;
  protected readonly evaluation: Evaluation;
  protected readonly analysis: boolean;
  protected readonly sender: StreamEncoder;
  /** Clock of the broadcast, or of the preview before it. */
  protected readonly clock: JudgeClock;
  /** True while the broadcast is LIVE; always true for a file. */
  protected isLive: boolean;
  #valid = false;
  #ended: EndVerdict | undefined;

  constructor(options: JudgeOptions) {
    this.options = options;
    this.analysis = options.analysis ?? true;
    this.isLive = options.mode === 'file';
    this.clock = new JudgeClock(options.startWallMs);
    this.facts = new StreamFacts(LIVE_MEASURES, {
      isLiveMode: options.mode === 'live',
      isSecure: options.secure,
      analysis: this.analysis,
      loudnessTarget: options.loudnessTarget ?? LIVE.audio.loudnessLufs,
    });
    this.sender = new StreamEncoder(this.facts);
    this.records = new StreamRecords({
      isSecure: options.secure,
      facts: this.facts,
      recordId: (n) => `${options.broadcastId}_${options.fence}_${n}`,
      remedy: (code, values) => remedyFor(code, this.encoder, values),
    });
    this.evaluation = new Evaluation(this.records.main, this.analysis ? 'all' : 'published');
    if (options.resume !== undefined) this.#restore(options.resume);
  }

  // ---------------------------------------------------------------- what is shown

  /** True while record changes are pending. */
  get changed(): boolean {
    return this.records.changed;
  }

  takeChanges(): RecordChange[] {
    return this.records.takeChanges();
  }

  /** The newest record of a code, open or not. */
  lastRecord(code: number): RecordBody | undefined {
    return this.records.last(code);
  }

  /** At least one track has a parsed sequence header followed by a coded frame: the broadcast may go LIVE. */
  get valid(): boolean {
    return this.#valid;
  }

  /** The reason, once the broadcast must end. */
  get ended(): EndVerdict | undefined {
    return this.#ended;
  }

  get encoder(): EncoderIdentity {
    return this.sender.identity;
  }

  /** Codes of the open records, in ascending order: those of `health`. */
  get openErrors(): readonly number[] {
    return this.records.openCodes;
  }

  /** Media time of the stream. */
  get streamTimeMs(): number {
    return this.facts.streamTimeMs;
  }

  health(): ObservedHealth {
    return healthOf(this.facts, this.records.openCodes, this.sender.label);
  }

  /** One row per rule: pass, warn, fail, or not judged for lack of data. */
  verdict(): RuleVerdict[] {
    return verdictOf(this.facts, this.evaluation, (code) => this.lastRecord(code));
  }

  /** Codes of the rules that had enough data to be judged at least once. */
  judgedCodes(): number[] {
    return this.verdict().flatMap(({ code, judged }) => (judged === 'not-judged' ? [] : [code]));
  }

  // ---------------------------------------------------------------- the next judge of the broadcast

  resume(): JudgeResume {
    const { open, ...records } = this.evaluation.snapshot();
    const others = this.records.resumeTracks();
    return {
      version: 1,
      fence: this.options.fence,
      live: this.isLive,
      startWallMs: this.clock.startWallMs,
      mediaStartMs: this.facts.mediaStartMs,
      elapsedWallMs: Math.max(this.clock.leastElapsedMs, this.facts.elapsedWallMs),
      facts: this.facts.snapshot(),
      open: others === undefined ? open : [...open, ...others.open],
      records,
      ...defined({ tracks: others?.tracks, ended: this.#ended }),
    };
  }

  #restore(resume: JudgeResume): void {
    this.isLive = resume.live || this.options.mode === 'file';
    this.clock.restore(resume.startWallMs, resume.elapsedWallMs ?? 0);
    this.facts.restore(resume.facts);
    this.facts.restartDuration(resume.mediaStartMs);
    this.evaluation.restore(
      { ...resume.records, open: resume.open.filter(({ track }) => track === undefined) },
      resume.fence === this.options.fence,
      resume.facts.streamTimeMs,
    );
    this.records.restoreTracks(
      resume.tracks,
      resume.open.filter(({ track }) => track !== undefined),
    );
    this.#ended = resume.ended;
  }

  // ---------------------------------------------------------------- rules

  /** After a packet with `events`. */
  protected packet(events: number, atMs: number): void {
    const { facts } = this;
    if ((events & SETTINGS_EVENTS) !== 0) facts.settings.complete();
    if (!this.#valid) this.#valid = facts.video.isValid || facts.audio.isValid;
    if (facts.isLiveMode && (events & BEAT) !== 0) facts.elapsedWallMs = this.clock.elapsedMs(atMs);
    this.sender.refresh();
    // Most packets are audio between two beats, which no rule checks.
    if ((events & this.evaluation.events) !== 0) this.judge(events);
  }

  protected judge(events: number): void {
    const { facts } = this;
    this.evaluation.run(facts, events, this.wallAt(facts.arrival.nowAtMs));
    if (this.#ended === undefined && (events & (BEAT | TICK | CONNECT | GO_LIVE)) !== 0) this.#checkEnd();
  }

  #checkEnd(): void {
    const isStrict = this.options.enforce === 'strict';
    const over = this.records.main.last(6501) ?? (isStrict ? this.records.strictFault() : undefined);
    if (over !== undefined) this.#ended = { code: over.error_code, type: over.error_type, text: over.description };
  }

  /** Wall time of a monotonic time; offline, the start plus stream time. */
  protected wallAt(atMs: number): number {
    if (this.options.mode === 'file') return Math.round(this.options.startWallMs + Math.max(0, this.facts.momentMs));
    return this.clock.wallMs(atMs);
  }
}
