/** Facts of the first tracks beyond the published document: bit stream and timestamps. Updated only with `analysis` on. */
import { CodedPictureBuffer } from '../media/h264/cpb.js';
import { FLAW_NAL_UNIT, FLAW_REFERENCE_LOST, FLAW_SET_REPLACED } from '../media/h264/flaws.js';
import type { AudioPacket, VideoPacket } from '../media/packet.js';
import type { AudioFacts } from './audio/audio-facts.js';
import { LevelFacts } from './audio/level-facts.js';
import { IntervalSpread, PresentationOrder, RecentTimes } from './data/stamp-facts.js';
import { InterleaveFacts } from './interleave-facts.js';
import { AUDIO_FRAME, AUDIO_LEVEL, DISORDER, FLAW, VIDEO_BEAT, VIDEO_FRAME } from './measures/events.js';
import type { Measures } from './measures/measures.js';
import { RollingSum } from './measures/rolling.js';
import { PictureFacts } from './video/picture-facts.js';
import type { VideoFacts } from './video/video-facts.js';

/** Further bits of `flaws`, after those of `media/h264/flaws.ts`. */
export const FLAW_COMPOSITION = 1 << 8;
export const FLAW_FIRST_FRAME = 1 << 9;
export const FLAW_NO_HEADER = 1 << 10;
export const FLAW_CPB = 1 << 11;
export const FLAW_SLICES = 1 << 12;
export const FLAW_DUPLICATE = 1 << 13;
export const FLAW_AUDIO_SYNTAX = 1 << 14;
export const FLAW_AUDIO_CIPHER = 1 << 15;

const H264 = 'avc1';
const AAC = 'mp4a';
/** Beats between two measurements of the intervals. */
const MEASURE_BEATS = 10;
/** A step of this many audio frames is a gap, not an irregular frame. */
const GAP_FRAMES = 1.5;
/** The only fault that names its cause. */
const ADTS = 'an ADTS header';
/** 1 s at 48 kHz. Of 3,300 blocks of random frames, all had so many faults of so many kinds. */
const CIPHER = { frames: 48, faults: 24, kinds: 3 } as const;

/**
 * Tells ciphertext from damage, by blocks of AAC frames: three in four random frames are invalid, in different ways. An
 * encoder that is configured wrongly has one fault, and damage leaves most frames valid.
 */
class CipherTest {
  /** In the current block. */
  faults = 0;
  /** The first block is complete. */
  hasBlock = false;
  /** Faults of the last complete block, if it is ciphertext; else 0. */
  found = 0;
  #frames = 0;
  readonly #kinds = new Set<string>();

  restart(): void {
    this.hasBlock = false;
    this.found = 0;
    this.#next();
  }

  /** True at the end of a block. */
  frame(fault: string): boolean {
    if (fault !== '' && fault !== ADTS) {
      this.faults++;
      if (this.#kinds.size < CIPHER.kinds) this.#kinds.add(fault);
    }
    if (++this.#frames < CIPHER.frames) return false;
    this.found = this.faults >= CIPHER.faults && this.#kinds.size >= CIPHER.kinds ? this.faults : 0;
    this.hasBlock = true;
    this.#next();
    return true;
  }

  #next(): void {
    this.#frames = 0;
    this.faults = 0;
    this.#kinds.clear();
  }
}

export class AnalysisFacts {
  /** Flaws of the last packet. */
  flaws = 0;
  /** Slices of the last picture. */
  slices = 0;
  /** Reference pictures missing before the last picture that had the flaw. */
  missingReferences = 0;
  /** QP of the first slice of the last picture; NaN if unknown. */
  qp = Number.NaN;
  compositionTimeMs = 0;
  /** Fault of the last audio frame that had one; '' if none had. */
  syntaxFault = '';
  /** Shortfall of the last underflow, as a share of the buffer. */
  underflow = 0;
  /** Track of the last frame without a header, or with a repeated stamp. */
  track: 'video' | 'audio' = 'video';
  /** Frames of `track` before its header, in this connection. */
  framesWithoutHeader = 0;
  /** An edit list of the file discards the frame. */
  isDiscarded = false;
  /** Frames that repeat the stamp of the one before, in this connection. */
  duplicates = 0;
  readonly buffer = new CodedPictureBuffer();
  readonly intervals: IntervalSpread;
  readonly interleave = new InterleaveFacts();
  readonly levels: LevelFacts;
  readonly picture: PictureFacts;
  /** Share of audio steps off the frame length; NaN until the window is full. */
  audioDeviation = Number.NaN;
  readonly #measures: Measures['analysis'];
  readonly #videoDuplicates: RecentTimes;
  readonly #audioDuplicates: RecentTimes;
  readonly #underflows: RecentTimes;
  readonly #audioSteps: RollingSum;
  readonly #audioOff: RollingSum;
  readonly #shown = new PresentationOrder();
  readonly #cipher = new CipherTest();
  #hasVideoFrame = false;
  #videoWithoutHeader = 0;
  #audioWithoutHeader = 0;
  #hasIdr = false;
  #startsMidStream = false;
  #beats = 0;
  #nextAudioRollMs = Number.NaN;

  constructor(measures: Measures, loudnessTarget = Number.NaN) {
    this.levels = new LevelFacts(loudnessTarget);
    this.#measures = measures.analysis;
    this.picture = new PictureFacts(measures.analysis.picture);
    const { windowMs, duplicates, underflows } = measures.analysis;
    this.intervals = new IntervalSpread(windowMs);
    this.#videoDuplicates = new RecentTimes(duplicates);
    this.#audioDuplicates = new RecentTimes(duplicates);
    this.#underflows = new RecentTimes(underflows);
    const seconds = Math.round(windowMs / 1000);
    this.#audioSteps = new RollingSum(seconds);
    this.#audioOff = new RollingSum(seconds);
  }

  /** New connection. `midStream`: frames before the first one that is observed were left out, so it need not be an IDR. */
  reset(midStream = false): void {
    this.#startsMidStream = midStream;
    this.flaws = 0;
    this.#hasVideoFrame = false;
    this.#hasIdr = false;
    this.duplicates = 0;
    this.#videoWithoutHeader = 0;
    this.#audioWithoutHeader = 0;
    this.syntaxFault = '';
    this.#cipher.restart();
    this.buffer.restart();
    this.levels.reset();
    this.picture.restart();
    this.#videoDuplicates.restart();
    this.#audioDuplicates.restart();
    this.#underflows.restart();
    this.#restartStamps();
  }

  /** A packet of the first track, after `facts` observed it with `events`. Returns further events. */
  video(packet: VideoPacket, facts: VideoFacts, events: number): number {
    this.flaws = 0;
    if (packet.type !== 'coded' || packet.codec !== H264) return 0;
    if (!facts.hasConfig) {
      this.track = 'video';
      this.framesWithoutHeader = ++this.#videoWithoutHeader;
      this.flaws = FLAW_NO_HEADER;
      return FLAW;
    }
    if ((events & VIDEO_FRAME) === 0) return 0;
    let flaws = packet.flaws;
    this.slices = packet.slices;
    this.qp = packet.qp;
    this.compositionTimeMs = packet.compositionTimeMs;
    if ((flaws & FLAW_REFERENCE_LOST) !== 0) this.missingReferences = packet.missingReferences;
    if (packet.compositionTimeMs < 0) flaws |= FLAW_COMPOSITION;
    if (packet.slices > this.#measures.slices) flaws |= FLAW_SLICES;
    const isDamaged = (flaws & FLAW_NAL_UNIT) !== 0;
    if (packet.idr) this.#hasIdr = true;
    else if (!isDamaged && !this.#hasVideoFrame && !packet.recoveryPoint && !this.#startsMidStream)
      flaws |= FLAW_FIRST_FRAME;
    // Until the first IDR the references cannot be complete.
    if (!this.#hasIdr) flaws &= ~(FLAW_REFERENCE_LOST | FLAW_SET_REPLACED);
    this.#hasVideoFrame = true;
    flaws |= this.#timing(packet, facts, events);
    this.flaws = flaws;
    return (flaws === 0 ? 0 : FLAW) | this.picture.frame(packet, facts.widthMbs * facts.heightMbs, facts.clock.timeMs);
  }

  audio(packet: AudioPacket, facts: AudioFacts, events: number): number {
    this.flaws = 0;
    if (packet.type !== 'coded' || packet.codec !== AAC) return 0;
    if (!facts.hasConfig) {
      this.track = 'audio';
      this.framesWithoutHeader = ++this.#audioWithoutHeader;
      this.flaws = FLAW_NO_HEADER;
      return FLAW;
    }
    if ((events & AUDIO_FRAME) === 0) return 0;
    const { clock } = facts;
    if ((events & DISORDER) !== 0) this.#restartStamps();
    this.interleave.audio(clock.dtsMs);
    this.#audioStep(facts);
    if (clock.frames > 1 && clock.stepMs === 0 && !this.isDiscarded) {
      this.duplicates++;
      if (this.#audioDuplicates.add(clock.timeMs, this.#measures.windowMs)) {
        this.track = 'audio';
        this.flaws = FLAW_DUPLICATE;
      }
    }
    this.flaws |= this.#syntax(packet.syntaxFault);
    return (this.flaws === 0 ? 0 : FLAW) | (this.isAudioCiphertext ? 0 : this.#level(packet, facts));
  }

  /** AAC frames of the last second are ciphertext. */
  get isAudioCiphertext(): boolean {
    return this.#cipher.found > 0;
  }

  /** The share of invalid frames, for the record. */
  get audioCiphertext(): string {
    return `encrypted or damaged (${this.#cipher.found} of ${CIPHER.frames} frames are no AAC)`;
  }

  /** The first block is complete, so that a fault of a frame is known to be one. */
  get isAudioSyntaxKnown(): boolean {
    return this.#cipher.hasBlock;
  }

  #syntax(fault: string): number {
    const cipher = this.#cipher;
    const wasKnown = cipher.hasBlock;
    if (fault !== '') this.syntaxFault = fault;
    const ends = cipher.frame(fault);
    if (cipher.found > 0) return ends ? FLAW_AUDIO_CIPHER : 0;
    // Faults of the first block count once it is known to be no ciphertext.
    const isFault = wasKnown || fault === ADTS ? fault !== '' : ends && this.syntaxFault !== '';
    return isFault ? FLAW_AUDIO_SYNTAX : 0;
  }

  #level(packet: AudioPacket, { channels, outputChannels }: AudioFacts): number {
    const { levels } = this;
    levels.frame(packet.isRepeat);
    if (packet.levels === undefined) return 0;
    return levels.sample(packet.levels, channels, channels === 1 && outputChannels === 2 ? 2 : 1) ? AUDIO_LEVEL : 0;
  }

  #timing(packet: VideoPacket, facts: VideoFacts, events: number): number {
    const { clock } = facts;
    let flaws = 0;
    if (packet.activeSps !== undefined) this.buffer.configure(packet.activeSps);
    if ((events & DISORDER) !== 0) {
      this.buffer.restart();
      this.picture.restart();
      this.#restartStamps();
    }
    const missing = this.buffer.remove(packet.payloadBytes, clock.timeMs);
    if (missing > 0) {
      this.underflow = missing;
      if (this.#underflows.add(clock.timeMs, this.#measures.windowMs)) flaws |= FLAW_CPB;
    }
    this.interleave.video(clock.dtsMs);
    if (this.isDiscarded) this.#shown.restart();
    else if (packet.slices > 0) this.#shown.push(clock.timeMs + packet.compositionTimeMs);
    for (let stepMs = this.#shown.next(clock.timeMs); stepMs >= 0; stepMs = this.#shown.next(clock.timeMs)) {
      this.intervals.add(stepMs);
      // The fields of a frame may share its stamp.
      if (stepMs > 0 || packet.fieldCoded || facts.fieldCoded) continue;
      this.duplicates++;
      if (this.#videoDuplicates.add(clock.timeMs, this.#measures.windowMs)) {
        this.track = 'video';
        flaws |= FLAW_DUPLICATE;
      }
    }
    if ((events & VIDEO_BEAT) !== 0 && ++this.#beats % MEASURE_BEATS === 0) this.intervals.measure();
    return flaws;
  }

  /** HE-AAC codes twice the samples; a gap is not an irregular step. */
  #audioStep(facts: AudioFacts): void {
    const { clock, coreSampleRate } = facts;
    if (coreSampleRate <= 0 || facts.frameSamples === 0 || clock.frames < 2) return;
    const frameMs = (facts.frameSamples * 1000) / coreSampleRate;
    if (clock.stepMs < GAP_FRAMES * frameMs) {
      this.#audioSteps.add(1);
      if (Math.abs(clock.stepMs - frameMs) > this.#measures.audioStepMs) this.#audioOff.add(1);
    }
    if (clock.timeMs < this.#nextAudioRollMs) return;
    if (!Number.isNaN(this.#nextAudioRollMs)) {
      this.#audioSteps.roll();
      this.#audioOff.roll();
      const { shortSum } = this.#audioSteps;
      this.audioDeviation =
        this.#audioSteps.shortIsFull && shortSum > 0 ? this.#audioOff.shortSum / shortSum : Number.NaN;
    }
    this.#nextAudioRollMs = clock.timeMs + 1000;
  }

  #restartStamps(): void {
    this.intervals.restart();
    this.#shown.restart();
    this.interleave.restart();
    this.#audioSteps.restart();
    this.#audioOff.restart();
    this.audioDeviation = Number.NaN;
    this.#nextAudioRollMs = Number.NaN;
  }
}

/** Whether the last packet has one of the flaws. */
export function hasFlaw({ flaws }: AnalysisFacts, wanted: number): boolean {
  return (flaws & wanted) !== 0;
}

export {
  FLAW_B_IN_BASELINE,
  FLAW_NAL_UNIT,
  FLAW_REFERENCE_LOST,
  FLAW_SET_ABSENT,
  FLAW_SET_REPLACED,
} from '../media/h264/flaws.js';
