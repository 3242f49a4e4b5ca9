/** Facts of the first video track of a connection. */
import type { Sps } from '../../media/h264/sps.js';
import type { VideoPacket } from '../../media/packet.js';
import { DISORDER, KEY_FRAME, RATE_CLASS, VIDEO_BEAT, VIDEO_CONFIG, VIDEO_FRAME } from '../measures/events.js';
import type { Measures } from '../measures/measures.js';
import type { PacketFacts } from '../measures/packet-facts.js';
import { BucketGrid, RollingSum } from '../measures/rolling.js';
import { IN_ORDER, JUMPED, RETURNED, TrackClock, WENT_BACK } from '../measures/track-clock.js';
import { FrameRate } from './frame-rate.js';
import { Gop } from './gop.js';

const H264 = 'avc1';

export class VideoFacts {
  readonly clock: TrackClock;
  readonly rate: FrameRate;
  readonly gop: Gop;
  /** Codec name of `src/media` ('avc1'); '' while unknown. */
  codec = '';
  /** A configuration has arrived in this connection, valid or not. */
  hasConfig = false;
  /** A valid configuration and a coded frame after it have arrived in this connection. */
  isValid = false;
  /** Other parameter sets came in a header, and no picture since: they may be others in band. */
  awaitsPicture = false;
  /** The active parameter sets are known; the fields below are their values. */
  hasParameterSets = false;
  profile = '';
  profileIdc = 0;
  levelIdc = 0;
  levelTimes10 = 0;
  width = 0;
  height = 0;
  widthMbs = 0;
  heightMbs = 0;
  /** Sample aspect ratio, width / height; 1 if not usable. */
  sampleAspect = 1;
  mbaff = false;
  chromaFormatIdc = 1;
  bitDepthLuma = 8;
  bitDepthChroma = 8;
  /** The last key frame was coded as fields. */
  fieldCoded = false;
  /** Hash of the parsed parameter sets; 0 while there are none. */
  headerHash = 0;
  /** Coded frames before any configuration. */
  framesBeforeConfig = 0;
  /** Bodies with a parse error. */
  faults = 0;
  lastFault = '';
  /** Settings text from x264's SEI in the first key frame. */
  encoderText = '';
  #parsedConfig = false;
  #sps: Sps | undefined = undefined;
  #pictureHash = 0;
  /** Mean over a whole short file. */
  #wholeKbps: number | undefined = undefined;
  readonly #grid: BucketGrid;
  readonly #bytes: RollingSum;
  readonly #measures: Measures;

  constructor(measures: Measures) {
    this.#measures = measures;
    this.clock = new TrackClock(measures);
    this.rate = new FrameRate(measures);
    this.gop = new Gop(Math.round(measures.keyFrameWindowMs / measures.beatMs));
    this.#grid = new BucketGrid(measures.beatMs);
    this.#bytes = new RollingSum(
      Math.round(measures.bitrateWindowMs / measures.beatMs),
      Math.round(measures.bitrateLongWindowMs / measures.beatMs),
    );
  }

  /** New connection: everything is received again; only the frame-rate class is kept. */
  reset(): void {
    this.clock.reset();
    this.gop.reset();
    this.rate.relearn(false);
    this.#restartBytes();
    this.codec = '';
    this.#forgetParameterSets();
    this.hasConfig = false;
    this.#parsedConfig = false;
    this.awaitsPicture = false;
    this.isValid = false;
    this.fieldCoded = false;
    this.encoderText = '';
  }

  /** The active SPS of H.264, while known. */
  get parameterSet(): Sps | undefined {
    return this.#sps;
  }

  /** Mean over the short window in kbps; NaN until the window is full. */
  get bitrateKbps(): number {
    if (this.#wholeKbps !== undefined) return this.#wholeKbps;
    return this.#bytes.shortIsFull ? (this.#bytes.shortSum * 8) / this.#measures.bitrateWindowMs : Number.NaN;
  }

  get longBitrateKbps(): number {
    return this.#bytes.longIsFull ? (this.#bytes.longSum * 8) / this.#measures.bitrateLongWindowMs : Number.NaN;
  }

  /** Measures a short file over its whole. Returns events. */
  measureWhole(minMs: number): number {
    const { timeMs, takenMs } = this.clock;
    const spanMs = timeMs - this.#grid.startMs;
    if (!(spanMs >= minMs)) return 0;
    // The last frame lasts as long as the one before it.
    this.#wholeKbps = (this.#bytes.total * 8) / (spanMs + takenMs);
    this.gop.measureWhole(spanMs);
    return this.rate.measureWhole(timeMs, minMs) ? RATE_CLASS : 0;
  }

  /** Processes a packet of the first track. `startMs`: stream time at which the connection began. Returns events. */
  observe(packet: VideoPacket, other: TrackClock, startMs: number, at: PacketFacts): number {
    if (packet.fault !== undefined) {
      this.faults++;
      this.lastFault = packet.fault;
    }
    if (packet.encoderSei !== undefined) this.encoderText = packet.encoderSei;
    if (packet.type === 'coded') return this.#coded(packet, other, startMs, at);
    if (packet.type !== 'config') return 0;
    at.decodeTimeMs = this.clock.near(packet.timestampMs, at.decodeTimeMs);
    at.presentationTimeMs = at.decodeTimeMs;
    this.hasConfig = true;
    if (packet.config !== undefined || packet.codec !== H264) this.#parsedConfig = true;
    this.#takeCodec(packet.codec);
    if (this.#takeParameterSets(packet.activeSps)) this.awaitsPicture = true;
    return VIDEO_CONFIG;
  }

  #coded(packet: VideoPacket, other: TrackClock, startMs: number, at: PacketFacts): number {
    let events = this.#takeCodec(packet.codec) ? VIDEO_CONFIG : 0;
    const isH264 = packet.codec === H264;
    if (isH264 && !this.hasConfig) {
      this.framesBeforeConfig++;
      return events;
    }
    if (packet.activeSps !== this.#sps && this.#takeParameterSets(packet.activeSps)) events |= VIDEO_CONFIG;
    if (this.awaitsPicture) {
      this.awaitsPicture = false;
      events |= VIDEO_CONFIG;
    }
    if (this.#parsedConfig) this.isValid = true;
    events |= VIDEO_FRAME;
    const { clock } = this;
    const order = clock.advance(packet.timestampMs, other, startMs);
    const timeMs = clock.timeMs;
    at.decodeTimeMs = timeMs;
    at.presentationTimeMs = timeMs + packet.compositionTimeMs;
    if (order !== IN_ORDER) {
      if (order === WENT_BACK || order === JUMPED) events |= DISORDER;
      if (order !== WENT_BACK) this.#skip(clock.takenMs, order === RETURNED);
    }
    const moved = this.#grid.advance(timeMs);
    if (moved > 0) {
      this.#roll(moved);
      events |= VIDEO_BEAT;
      if (this.rate.beat(timeMs)) events |= RATE_CLASS;
    }
    this.#bytes.add(packet.payloadBytes);
    if (this.rate.frame(timeMs, clock.takenMs)) events |= RATE_CLASS;
    // Only H.264 is parsed far enough to verify the flag; for other codecs the flag decides.
    const key = isH264 ? packet.idr || packet.recoveryPoint : packet.flvKeyFrame;
    this.gop.frame(timeMs, key, !isH264 || packet.idr, at);
    if (key) {
      this.fieldCoded = packet.fieldCoded;
      events |= KEY_FRAME;
    }
    return events;
  }

  #roll(moved: number): void {
    for (let i = 0; i < moved; i++) {
      this.#bytes.roll();
      this.rate.roll();
      this.gop.roll();
    }
  }

  /** Restarts the windows after a clock jump or a silence, since the time in between was not measured. */
  #skip(takenMs: number, isTime: boolean): void {
    // Backward steps are not skipped: frames in the wrong order make them continually.
    if (!isTime && takenMs > 0) this.gop.skip(takenMs);
    this.gop.restartWindow();
    this.rate.restart();
    this.#restartBytes();
  }

  #restartBytes(): void {
    this.#grid.restart();
    this.#bytes.restart();
  }

  #takeCodec(codec: string): boolean {
    if (codec === this.codec || codec === '') return false;
    this.codec = codec;
    if (codec !== H264) this.#forgetParameterSets();
    return true;
  }

  #forgetParameterSets(): void {
    this.#sps = undefined;
    this.headerHash = 0;
    this.hasParameterSets = false;
    this.width = 0;
    this.height = 0;
  }

  /** True if they differ from the previous ones. */
  #takeParameterSets(sps: Sps | undefined): boolean {
    if (sps === undefined || sps === this.#sps) return false;
    this.#sps = sps;
    const hash = hashOf(JSON.stringify(sps));
    if (hash === this.headerHash) return false;
    const isFirst = this.headerHash === 0;
    this.headerHash = hash;
    const was = this.#pictureHash;
    this.#pictureHash = pictureHash(sps);
    this.hasParameterSets = true;
    this.profile = sps.profile;
    this.profileIdc = sps.profileIdc;
    this.levelIdc = sps.levelIdc;
    this.levelTimes10 = sps.levelTimes10;
    this.width = sps.width;
    this.height = sps.height;
    this.widthMbs = sps.picWidthInMbs;
    this.heightMbs = sps.frameHeightInMbs;
    const { sarWidth, sarHeight } = sps.vui ?? { sarWidth: 1, sarHeight: 1 };
    this.sampleAspect = sarWidth > 0 && sarHeight > 0 ? sarWidth / sarHeight : 1;
    this.mbaff = sps.mbaff;
    this.chromaFormatIdc = sps.chromaFormatIdc;
    this.bitDepthLuma = sps.bitDepthLuma;
    this.bitDepthChroma = sps.bitDepthChroma;
    // Rates measured for another picture format are not valid for this one.
    if (!isFirst && was !== this.#pictureHash) {
      this.rate.relearn(true);
      this.gop.restartWindow();
      this.#restartBytes();
    }
    return true;
  }
}

/** Hash of the fields that rates depend on. In-band parameter sets of some encoders differ from the header in others. */
function pictureHash(sps: Sps): number {
  const timing = sps.vui?.timing;
  return hashOf(
    `${sps.width}x${sps.height} ${sps.profileIdc} ${sps.levelTimes10} ${timing?.numUnitsInTick} ${timing?.timeScale}`,
  );
}

/** FNV-1a of 32 bits, never 0. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0 || 1;
}
