/**
 * Judges one stream against the live specification, packet by packet; live, offline and replay share this code. The clock
 * is passed in with each call. Judging a packet allocates nothing unless a record changes.
 */
import type { PartialFrame } from '../bytes/partial-frame.js';
import type { SliceList } from '../bytes/slices.js';
import type { OwnDelay } from '../facts/delivery/delivery-facts.js';
import { AUDIO_CONFIG, BEAT, CONNECT, GO_LIVE, RATE_CLASS, TICK, VIDEO_CONFIG } from '../facts/measures/events.js';
import { StreamFacts } from '../facts/stream-facts.js';
import { defined } from '../lib/objects.js';
import { agreedTracks, announcedVideo, type EncoderSetup } from '../lifecycle/encoder-setup.js';
import { readTimedData } from '../media/data/timed-data.js';
import type { EncoderIdentity } from '../media/encoder.js';
import type { TagHead } from '../media/flv/tag-head.js';
import { TagParser } from '../media/flv/tag-parser.js';
import type { MediaMessage } from '../media/media-message.js';
import { Evaluation, type Noted } from '../rules/judging/evaluate.js';
import { durationExceeded } from '../rules/live/duration-exceeded.js';
import { remedyFor } from '../rules/remedies/remedy.js';
import type { RecordBody, RecordChange } from '../spec/error-record.js';
import { LIVE } from '../spec/live.js';
import { JudgeClock } from './judge-clock.js';
import type { JudgeOptions, JudgeResume } from './judge-options.js';
import type { EndVerdict, Now, ObservedHealth, RuleVerdict } from './judge-types.js';
import { healthOf, verdictOf } from './judge-views.js';
import { LIVE_MEASURES } from './measures.js';
import { StreamEncoder } from './stream-encoder.js';
import { StreamRecords } from './stream-records.js';

export type { JudgeOptions, JudgeResume } from './judge-options.js';
export type { EndVerdict, Now, ObservedHealth, RuleVerdict } from './judge-types.js';

const SETTINGS_EVENTS = VIDEO_CONFIG | AUDIO_CONFIG | RATE_CLASS;

export class StreamJudge {
  readonly #options: JudgeOptions;
  readonly #facts: StreamFacts;
  readonly #records: StreamRecords;
  readonly #evaluation: Evaluation;
  readonly #analysis: boolean;
  readonly #sender: StreamEncoder;
  /** Clock of the broadcast, or of the preview before it. */
  readonly #clock: JudgeClock;
  /** True while the broadcast is LIVE; always true for a file. */
  #isLive: boolean;
  #parser: TagParser;
  #valid = false;
  /** It stands by: another stream of the broadcast is on air, and nothing that this one breaks ends the broadcast. */
  standsBy = false;
  #ended: EndVerdict | undefined;

  constructor(options: JudgeOptions) {
    this.#options = options;
    this.#analysis = options.analysis ?? true;
    this.#parser = this.#newParser();
    this.#isLive = options.mode === 'file';
    this.#clock = new JudgeClock(options.startWallMs);
    this.#facts = new StreamFacts(LIVE_MEASURES, {
      isLiveMode: options.mode === 'live',
      isSecure: options.secure,
      analysis: this.#analysis,
      loudnessTarget: options.loudnessTarget ?? LIVE.audio.loudnessLufs,
    });
    this.#sender = new StreamEncoder(this.#facts);
    this.#records = new StreamRecords({
      isSecure: options.secure,
      facts: this.#facts,
      inputStream: options.inputStream,
      recordId: (n) => `${options.broadcastId}_${options.fence}_${n}`,
      remedy: (code, values) => remedyFor(code, this.encoder, values),
    });
    this.#evaluation = new Evaluation(this.#records.main, this.#analysis ? 'all' : 'published');
    if (options.resume !== undefined) this.#restore(options.resume);
  }

  /** Minimal state of a LIVE broadcast when only its start and its open records are known. */
  static resumeFrom(left: {
    readonly liveSinceWallMs: number;
    readonly open: readonly RecordBody[];
    /** Where the broadcast went LIVE and is now, in stream time; absent: from the records. */
    readonly mediaStartMs?: number | undefined;
    readonly streamTimeMs?: number | undefined;
  }): JudgeResume {
    const { mediaStartMs = 0, streamTimeMs: knownMs = 0 } = left;
    const streamTimeMs = left.open.reduce((latest, body) => Math.max(latest, body.stream_time_ms), knownMs);
    return {
      version: 1,
      fence: 0,
      live: true,
      startWallMs: left.liveSinceWallMs,
      mediaStartMs,
      facts: { streamTimeMs, first: {} },
      open: left.open,
      records: { lastNumber: 0, recent: [], done: [] },
    };
  }

  // ---------------------------------------------------------------- what arrives

  /** A publish was accepted. Timestamps restart and headers repeat; records, clock and first settings continue. */
  connect(
    now: Now & {
      readonly clientName?: string;
      /** The settings that the server gave this encoder. */
      readonly setup?: EncoderSetup | undefined;
      /** Settings that are new in this broadcast: they replace its first settings. */
      readonly announced?: EncoderSetup | undefined;
      readonly midStream?: boolean;
    },
  ): void {
    const facts = this.#facts;
    this.#clock.set(now);
    this.#parser = this.#newParser();
    this.#sender.restart();
    if (!this.#isLive) {
      // Each preview is judged on its own: settings and duration start with it.
      this.#clock.restart(now);
      facts.video.rate.class = undefined;
      facts.restartDuration(facts.streamTimeMs);
    }
    if (this.#isLive && now.announced !== undefined) facts.settings.announceVideo(announcedVideo(now.announced));
    facts.multitrack.connect(now.setup && agreedTracks(now.setup));
    const events = facts.connect(now.atMs, now.clientName ?? '', now.midStream);
    this.#records.connect(this.#isLive, now.announced);
    if (!this.#isLive) facts.settings.retake();
    facts.elapsedWallMs = this.#clock.elapsedMs(now.atMs);
    this.#evaluation.resetTimers(facts.streamTimeMs);
    this.#judge(events);
  }

  /** Whether an edit list of the file discards the next frame, so that its presentation time does not count. */
  set isDiscarded(isDiscarded: boolean) {
    this.#facts.analysis.isDiscarded = isDiscarded;
  }

  /** A video message. The payload is not retained after the call. */
  video(message: MediaMessage): void {
    const facts = this.#facts;
    facts.arrived(message.payload.length, message.atMs);
    const tracks = this.#parser.parseVideo(message.payload, message.timestampMs);
    let events = facts.observeVideo(
      this.#parser.video,
      message.messageNumber,
      message.byteOffset,
      this.#arrivedWallMs(message.atMs),
    );
    for (let i = 1; i < tracks; i++) {
      events |= facts.observeVideo(this.#parser.videoTrack(i), message.messageNumber, message.byteOffset);
    }
    if (events !== 0) this.#packet(events, message.atMs);
    if (tracks > 1 || this.#parser.video.trackId !== 0) this.#otherTracks(tracks, message);
  }

  /** Judges a file's tag by its first bytes. False: they are not enough, pass the whole tag. */
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

  /** For a video message that is still arriving: retains the bytes that `video` will parse. False: it needs all of them. */
  retainHeaders(payload: SliceList, partial: PartialFrame): boolean {
    return this.#parser.retainHeaders(payload, partial);
  }

  /** Offset of the next byte that `video` will parse, for a message received up to the end of `payload`. */
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

  /** The decoded value of onMetaData; anything but an object makes no claims. */
  metadata(value: unknown, atMs: number): void {
    this.#facts.arrived(0, atMs);
    this.#judge(this.#facts.observeMetadata(this.#sender.takeMetadata(value)));
  }

  /** A data message other than onMetaData. */
  data(name: string, values: readonly unknown[], timestampMs: number, atMs: number): void {
    this.#facts.arrived(0, atMs);
    const data = this.#analysis ? readTimedData(name, values) : undefined;
    const events = data === undefined ? 0 : this.#facts.observeData(data, timestampMs);
    if (events !== 0) this.#judge(events);
  }

  /** No lag, gap or interruption is being looked into. */
  get arrivesEvenly(): boolean {
    return this.#facts.arrivesEvenly;
  }

  /** Advances the clock, whether or not packets arrive. Not called in file mode. */
  tick(now: Now & { readonly own?: OwnDelay }): void {
    this.#clock.set(now);
    this.#judge(this.#facts.tick(now.atMs, this.#clock.elapsedMs(now.atMs), now.own));
  }

  /** The connection is closed and may come back, so records stay open. The caller reports a loss with `note`. */
  disconnect(at: Now & { readonly clean: boolean }): void {
    this.#clock.set(at);
    this.#judge(this.#facts.disconnect(at.atMs));
    this.#records.flush();
  }

  /** Writes the counts that wait for their interval: this judge may see nothing more. */
  flush(): void {
    this.#records.flush();
  }

  /** The broadcast goes LIVE: first settings and the 8-hour limit count from here. */
  goLive(now: Now): void {
    if (this.#isLive) return;
    this.#clock.restart(now);
    this.#isLive = true;
    this.#evaluation.resetOnce();
    this.#judge(this.#facts.goLive());
    this.#records.goLive();
  }

  /** A fault that the service observed, not a packet (`SERVICE_CODES`). */
  note(code: number, what: Noted & { readonly atMs: number }): void {
    this.#facts.arrival.nowAtMs = Math.max(this.#facts.arrival.nowAtMs, what.atMs);
    this.#facts.atClock();
    this.#evaluation.note(code, what, this.#facts, this.#wallAt(what.atMs));
  }

  /** Clears a record that `note` raised. */
  clearNoted(code: number, atMs: number): void {
    this.#evaluation.clearNoted(code, this.#facts, this.#wallAt(atMs));
  }

  /** The next key frame should reach `askPicture` complete. */
  get wantsPicture(): boolean {
    return this.#analysis && this.#facts.analysis.picture.isWanted;
  }

  /** The wanted picture is a sample: a later key frame serves as well. */
  get wantsSample(): boolean {
    return this.#facts.analysis.picture.isSampleWanted;
  }

  /** After a video message: the number under which its picture, decoded, is to be passed to `picture`; 0 if it is not wanted. */
  askPicture(): number {
    return this.wantsPicture ? this.#facts.analysis.picture.ask() : 0;
  }

  /** The key frame of `askPicture` as a small gray picture; undefined if it could not be decoded. */
  picture(number: number, gray: Uint8Array | undefined): void {
    const events = this.#facts.decoded(number, gray);
    if (events !== 0) this.#judge(events);
  }

  /** Before the end of a file: judges one shorter than the windows by its whole. Returns the codes of the rules judged so. */
  judgeWhole(): number[] {
    const events = this.#facts.measureWhole();
    if (events !== 0) this.#packet(events, 0);
    return this.#facts.isWholeFile ? this.#evaluation.judgeWhole(this.#facts, this.#wallAt(0)) : [];
  }

  /** Ends the stream and closes all open records. Idempotent. */
  end(at: Now): void {
    this.#clock.set(at);
    this.#judge(this.#facts.end());
    this.#records.closeAll(this.#wallAt(at.atMs));
  }

  // ---------------------------------------------------------------- what is shown

  /** True while record changes are pending. */
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

  /** At least one track has a parsed sequence header followed by a coded frame: the broadcast may go LIVE. */
  get valid(): boolean {
    return this.#valid;
  }

  /** The reason, once the broadcast must end. */
  get ended(): EndVerdict | undefined {
    return this.#ended;
  }

  get encoder(): EncoderIdentity {
    return this.#sender.identity;
  }

  /** Codes of the open records, in ascending order: those of `health`. */
  get openErrors(): readonly number[] {
    return this.#records.openCodes;
  }

  /** Codes of the open records with the severity `error`. */
  get openFaults(): readonly number[] {
    return this.openErrors.filter((code) => this.lastRecord(code)?.severity === 'error');
  }

  /** Media time of the stream. */
  get streamTimeMs(): number {
    return this.#facts.streamTimeMs;
  }

  health(): ObservedHealth {
    return healthOf(this.#facts, this.#records.openCodes, this.#sender.label);
  }

  /** One row per rule: pass, warn, fail, or not judged for lack of data. */
  verdict(): RuleVerdict[] {
    return verdictOf(this.#facts, this.#evaluation, (code) => this.lastRecord(code));
  }

  /** Codes of the rules that had enough data to be judged at least once. */
  judgedCodes(): number[] {
    return this.verdict().flatMap(({ code, judged }) => (judged === 'not-judged' ? [] : [code]));
  }

  // ---------------------------------------------------------------- the next judge of the broadcast

  resume(): JudgeResume {
    const { open, ...records } = this.#evaluation.snapshot();
    const others = this.#records.resumeTracks();
    return {
      version: 1,
      fence: this.#options.fence,
      live: this.#isLive,
      startWallMs: this.#clock.startWallMs,
      mediaStartMs: this.#facts.mediaStartMs,
      elapsedWallMs: Math.max(this.#clock.leastElapsedMs, this.#facts.elapsedWallMs),
      facts: this.#facts.snapshot(),
      open: others === undefined ? open : [...open, ...others.open],
      records,
      ...defined({ tracks: others?.tracks, ended: this.#ended, inputStream: this.#options.inputStream }),
    };
  }

  #restore(resume: JudgeResume): void {
    this.#isLive = resume.live || this.#options.mode === 'file';
    this.#clock.restore(resume.startWallMs, resume.elapsedWallMs ?? 0);
    this.#facts.restore(resume.facts);
    this.#facts.restartDuration(resume.mediaStartMs);
    this.#evaluation.restore(
      { ...resume.records, open: resume.open.filter(({ track }) => track === undefined) },
      resume.fence === this.#options.fence,
      resume.facts.streamTimeMs,
    );
    this.#records.restoreTracks(
      resume.tracks,
      resume.open.filter(({ track }) => track !== undefined),
    );
    this.#ended = resume.ended;
  }

  // ---------------------------------------------------------------- rules

  /** After a packet with `events`. */
  #packet(events: number, atMs: number): void {
    const facts = this.#facts;
    if ((events & SETTINGS_EVENTS) !== 0) facts.settings.complete();
    if (!this.#valid) this.#valid = facts.video.isValid || facts.audio.isValid;
    if (facts.isLiveMode && (events & BEAT) !== 0) facts.elapsedWallMs = this.#clock.elapsedMs(atMs);
    this.#sender.refresh();
    // Most packets are audio between two beats, which no rule checks.
    if ((events & this.#evaluation.events) !== 0) this.#judge(events);
  }

  #judge(events: number): void {
    const facts = this.#facts;
    this.#evaluation.run(facts, events, this.#wallAt(facts.arrival.nowAtMs));
    if (this.#ended === undefined && (events & (BEAT | TICK | CONNECT | GO_LIVE)) !== 0) this.#checkEnd();
  }

  #checkEnd(): void {
    if (this.standsBy) return;
    const isStrict = this.#options.enforce === 'strict';
    const over =
      this.#records.main.last(durationExceeded.entry.code) ?? (isStrict ? this.#records.strictFault() : undefined);
    if (over !== undefined) this.#ended = { code: over.error_code, type: over.error_type, text: over.description };
  }

  /** Wall time of a monotonic time; offline, the start plus stream time. */
  #wallAt(atMs: number): number {
    if (this.#options.mode === 'file') return Math.round(this.#options.startWallMs + Math.max(0, this.#facts.momentMs));
    return this.#clock.wallMs(atMs);
  }

  #newParser(): TagParser {
    return new TagParser({ analysis: this.#analysis, isFile: this.#options.mode === 'file' });
  }

  #otherTracks(count: number, { messageNumber, byteOffset, atMs }: MediaMessage): void {
    for (let i = 0; i < count; i++) {
      const packet = this.#parser.videoTrack(i);
      if (packet.trackId !== 0) this.#records.trackVideo(packet, messageNumber, byteOffset, this.#wallAt(atMs));
    }
  }

  /** Wall time at which a packet arrived; NaN for a file. */
  #arrivedWallMs(atMs: number): number {
    return this.#options.mode === 'file' ? Number.NaN : this.#clock.wallMs(atMs);
  }
}
