/**
 * Holds one stream against the live specification, packet by packet: live, offline and in replay alike. Bytes come in,
 * records come out; the clock comes in with each call. Judging a packet makes no objects unless a record changes.
 */
import type { PartialFrame } from '../bytes/partial-frame.js';
import type { SliceList } from '../bytes/slices.js';
import { AUDIO_CONFIG, BEAT, CONNECT, GO_LIVE, RATE_CLASS, TICK, VIDEO_CONFIG } from '../facts/events.js';
import { StreamFacts } from '../facts/stream-facts.js';
import { isRecord } from '../lib/objects.js';
import { type EncoderIdentity, recogniseEncoder } from '../media/encoder.js';
import type { TagHead } from '../media/flv/tag-head.js';
import { TagParser } from '../media/flv/tag-parser.js';
import type { MediaMessage } from '../media/media-message.js';
import { EVENTS_OF_RULES, Evaluation } from '../rules/judging/evaluate.js';
import { Records } from '../rules/judging/records.js';
import { remedyFor } from '../rules/remedies/remedy.js';
import type { Observed, RecordBody, RecordChange } from '../spec/error-record.js';
import { JudgeClock } from './judge-clock.js';
import type { EndVerdict, JudgeOptions, JudgeResume, Now, ObservedHealth, RuleVerdict } from './judge-types.js';
import { healthOf, verdictOf } from './judge-views.js';
import { LIVE_MEASURES } from './measures.js';

export type { EndVerdict, JudgeOptions, JudgeResume, Now, ObservedHealth, RuleVerdict } from './judge-types.js';

const SETTINGS_SAID = VIDEO_CONFIG | AUDIO_CONFIG | RATE_CLASS;

export class StreamJudge {
  readonly #options: JudgeOptions;
  readonly #facts: StreamFacts;
  readonly #records: Records;
  readonly #evaluation: Evaluation;
  #parser = new TagParser();
  #metadata: Readonly<Record<string, unknown>> | undefined;
  #encoder: EncoderIdentity | undefined;
  #encoderText = '';
  /** The broadcast counts as LIVE: a file always does. */
  #isLive: boolean;
  /** Of the broadcast, or of the preview while there is none. */
  readonly #clock: JudgeClock;
  #valid = false;
  #ended: EndVerdict | undefined;

  constructor(options: JudgeOptions) {
    this.#options = options;
    this.#isLive = options.mode === 'file';
    this.#clock = new JudgeClock(options.startWallMs);
    this.#facts = new StreamFacts(LIVE_MEASURES, { isLiveMode: options.mode === 'live', isSecure: options.secure });
    this.#records = new Records({
      recordId: (n) => `${options.broadcastId}_${options.fence}_${n}`,
      remedy: (code) => remedyFor(code, this.encoder),
    });
    this.#evaluation = new Evaluation(this.#records);
    if (options.resume !== undefined) this.#restore(options.resume);
  }

  /** The state of a LIVE broadcast of which nothing but its start and its open records is left. */
  static resumeFrom(left: { readonly liveSinceWallMs: number; readonly open: readonly RecordBody[] }): JudgeResume {
    const streamTimeMs = left.open.reduce((latest, body) => Math.max(latest, body.stream_time_ms), 0);
    return {
      version: 1,
      fence: 0,
      live: true,
      startWallMs: left.liveSinceWallMs,
      mediaStartMs: 0,
      facts: { streamTimeMs, first: {}, firstHeaderHash: 0 },
      open: left.open,
      records: { lastNumber: 0, recent: [], done: [] },
    };
  }

  // ---------------------------------------------------------------- what comes in

  /** A publish was accepted. Stamps start anywhere and headers come again; records, clock and first settings go on. */
  connect(now: Now & { readonly clientName?: string }): void {
    const facts = this.#facts;
    this.#clock.set(now);
    this.#parser = new TagParser();
    this.#metadata = undefined;
    this.#encoder = undefined;
    this.#encoderText = '';
    if (!this.#isLive) {
      // A preview is a trial of its own: settings and duration begin with it.
      this.#clock.restart(now);
      facts.video.rate.class = undefined;
      facts.restartDuration(facts.streamTimeMs);
    }
    const events = facts.connect(now.atMs, now.clientName ?? '');
    if (!this.#isLive) facts.retakeFirst();
    facts.elapsedWallMs = this.#clock.elapsedMs(now.atMs);
    this.#evaluation.forgetTimers(facts.streamTimeMs);
    this.#judge(events);
  }

  /** A video message, read during the call only. */
  video(message: MediaMessage): void {
    const facts = this.#facts;
    facts.arrived(message.payload.length, message.atMs);
    const tracks = this.#parser.parseVideo(message.payload, message.timestampMs);
    let events = facts.observeVideo(this.#parser.video, message.messageNumber, message.byteOffset);
    for (let i = 1; i < tracks; i++) {
      events |= facts.observeVideo(this.#parser.videoTrack(i), message.messageNumber, message.byteOffset);
    }
    if (events !== 0) this.#packet(events, message.atMs);
  }

  /** A tag of a file by its first bytes. False: they do not tell enough, it is to come as a whole. */
  parsePrefix(head: TagHead, messageNumber: number, atMs: number): boolean {
    const facts = this.#facts;
    if (!this.#parser.parsePrefix(head)) return false;
    facts.arrived(head.size, atMs);
    const events =
      head.kind === 'video'
        ? facts.observeVideo(this.#parser.video, messageNumber, head.byteOffset)
        : facts.observeAudio(this.#parser.audio, messageNumber, head.byteOffset);
    if (events !== 0) this.#packet(events, atMs);
    return true;
  }

  /** A video message that is still arriving: keeps of it what `video` will look at. False: all of it is wanted. */
  retainHeaders(payload: SliceList, partial: PartialFrame): boolean {
    return this.#parser.retainHeaders(payload, partial);
  }

  /** Of a video message that has come as far as `payload`, the offset of the next byte that `video` will look at. */
  nextWanted(payload: SliceList, partial: PartialFrame): number {
    return this.#parser.nextWanted(payload, partial);
  }

  audio(message: MediaMessage): void {
    const facts = this.#facts;
    facts.arrived(message.payload.length, message.atMs);
    const tracks = this.#parser.parseAudio(message.payload, message.timestampMs);
    let events = facts.observeAudio(this.#parser.audio, message.messageNumber, message.byteOffset);
    for (let i = 1; i < tracks; i++) {
      events |= facts.observeAudio(this.#parser.audioTrack(i), message.messageNumber, message.byteOffset);
    }
    if (events !== 0) this.#packet(events, message.atMs);
  }

  /** The decoded value of onMetaData; anything that is no object claims nothing. */
  metadata(value: unknown, atMs: number): void {
    const object = Array.isArray(value) ? value.findLast(isRecord) : value;
    this.#metadata = object instanceof Map ? Object.fromEntries(object) : isRecord(object) ? object : undefined;
    this.#encoder = undefined;
    this.#facts.arrived(0, atMs);
    this.#judge(this.#facts.observeMetadata(this.#metadata));
  }

  /** Time passes, whether or not anything comes. Not called in file mode. */
  tick(now: Now): void {
    this.#clock.set(now);
    this.#judge(this.#facts.tick(now.atMs, this.#clock.elapsedMs(now.atMs)));
  }

  /** The connection is gone; the broadcast may come back. Records stay open. A loss is `note`d by who saw it. */
  disconnect(at: Now & { readonly clean: boolean }): void {
    this.#clock.set(at);
    this.#judge(this.#facts.disconnect(at.atMs));
    this.#records.flush(this.#facts);
  }

  /** LIVE begins: first settings and the 8 hours count from here. */
  goLive(now: Now): void {
    if (this.#isLive) return;
    this.#clock.restart(now);
    this.#isLive = true;
    this.#evaluation.forgetDone();
    this.#judge(this.#facts.goLive());
  }

  /** Something that no packet shows (`SERVICE_CODES`). */
  note(code: number, what: { readonly observed: Observed; readonly atMs: number }): void {
    this.#facts.arrival.nowAtMs = Math.max(this.#facts.arrival.nowAtMs, what.atMs);
    this.#facts.atClock();
    this.#evaluation.note(code, what.observed, this.#facts, this.#wallAt(what.atMs));
  }

  /** The stream is over: all open records close. May be called again. */
  end(at: Now): void {
    this.#clock.set(at);
    this.#judge(this.#facts.end());
    this.#records.flush(this.#facts);
    this.#records.closeAll(this.#facts, this.#wallAt(at.atMs));
  }

  // ---------------------------------------------------------------- what comes out

  /** Changes of records wait to be taken. */
  get changed(): boolean {
    return this.#records.changed;
  }

  takeChanges(): RecordChange[] {
    return this.#records.takeChanges();
  }

  /** The newest record of a code, open or not. */
  lastRecord(code: number): RecordBody | undefined {
    return this.#records.last(code);
  }

  /** Both or one parsed sequence header and a coded frame behind it have arrived: LIVE may begin. */
  get valid(): boolean {
    return this.#valid;
  }

  /** Set when the broadcast must end. */
  get ended(): EndVerdict | undefined {
    return this.#ended;
  }

  get encoder(): EncoderIdentity {
    this.#encoder ??= recogniseEncoder({
      clientName: this.#facts.clientName,
      metadata: this.#metadata,
      encoderSei: this.#facts.video.encoderText === '' ? undefined : this.#facts.video.encoderText,
    });
    return this.#encoder;
  }

  health(): ObservedHealth {
    const { name, version } = this.encoder;
    return healthOf(this.#facts, this.#records.openCodes, version === '' ? name : `${name} ${version}`);
  }

  /** One row for each rule: passed, warned, failed, or not judged for want of data. */
  verdict(): RuleVerdict[] {
    return verdictOf(this.#facts, this.#evaluation, this.#records);
  }

  /** The rules that had enough data to be judged at least once, by code. */
  judgedCodes(): number[] {
    return this.verdict().flatMap(({ code, judged }) => (judged === 'not-judged' ? [] : [code]));
  }

  /** What the next judge of this broadcast needs. */
  resume(): JudgeResume {
    const { open, ...records } = this.#evaluation.keep();
    return {
      version: 1,
      fence: this.#options.fence,
      live: this.#isLive,
      startWallMs: this.#clock.startWallMs,
      mediaStartMs: this.#facts.mediaStartMs,
      elapsedWallMs: Math.max(this.#clock.leastElapsedMs, this.#facts.elapsedWallMs),
      facts: this.#facts.keep(),
      open,
      records,
      ...(this.#ended === undefined ? {} : { ended: this.#ended }),
    };
  }

  // ---------------------------------------------------------------- inside

  #restore(resume: JudgeResume): void {
    this.#isLive = resume.live || this.#options.mode === 'file';
    this.#clock.restore(resume.startWallMs, resume.elapsedWallMs ?? 0);
    this.#facts.restore(resume.facts);
    this.#facts.restartDuration(resume.mediaStartMs);
    this.#evaluation.restore(
      { ...resume.records, open: resume.open },
      resume.fence === this.#options.fence,
      resume.facts.streamTimeMs,
    );
    this.#ended = resume.ended;
  }

  #packet(events: number, atMs: number): void {
    const facts = this.#facts;
    if ((events & SETTINGS_SAID) !== 0) facts.completeFirst();
    if (!this.#valid) this.#valid = facts.video.isValid || facts.audio.isValid;
    if (facts.isLiveMode && (events & BEAT) !== 0) facts.elapsedWallMs = this.#clock.elapsedMs(atMs);
    if (facts.video.encoderText !== this.#encoderText) {
      this.#encoderText = facts.video.encoderText;
      this.#encoder = undefined;
    }
    // Most packets are sound between two beats, at which no rule looks.
    if ((events & EVENTS_OF_RULES) !== 0) this.#judge(events);
  }

  #judge(events: number): void {
    const facts = this.#facts;
    this.#evaluation.run(facts, events, this.#wallAt(facts.arrival.nowAtMs));
    if (this.#ended === undefined && (events & (BEAT | TICK | CONNECT | GO_LIVE)) !== 0) this.#lookForEnd();
  }

  #lookForEnd(): void {
    const over =
      this.#records.last(6501) ??
      (this.#options.enforce === 'strict' ? this.#records.strictFault(this.#facts) : undefined);
    if (over !== undefined) this.#ended = { code: over.error_code, type: over.error_type, text: over.description };
  }

  /** Wall time of a moment; offline, the stream's own time from its start. */
  #wallAt(atMs: number): number {
    if (this.#options.mode === 'file') return Math.round(this.#options.startWallMs + Math.max(0, this.#facts.momentMs));
    return this.#clock.wallMs(atMs);
  }
}
