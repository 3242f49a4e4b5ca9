/** Closed captions in the pictures of the first track: whether they are there, and whether they carry text. */
import { CAPTIONS_708, CAPTIONS_FIELD_1, CAPTIONS_FIELD_2 } from '../../media/h264/caption-data.js';
import type { VideoPacket } from '../../media/packet.js';
import { CAPTIONS } from '../measures/events.js';
import type { CaptionMeasures } from '../measures/measures.js';

/** Period over which a sender counts as one that puts captions into every picture. */
const SHARE_MS = 10_000;

export interface CaptionChannel {
  readonly name: 'CEA-608 field 1' | 'CEA-608 field 2' | 'CEA-708';
  readonly bit: number;
  /** Pictures with data other than padding, and the time of the last one. */
  frames: number;
  liveAtMs: number;
}

export class CaptionFacts {
  /** In use; empty for a stream without captions. */
  readonly channels: CaptionChannel[] = [];
  /** Byte pairs with wrong parity. */
  damaged = 0;
  /** Captions were live and are no longer, until they are live again. */
  isLost = false;
  /** How long no caption came, or none with text, and how long that may last. */
  lostMs = 0;
  boundMs = 0;
  /** NaN before the first. */
  #sentAtMs = Number.NaN;
  #liveAtMs = Number.NaN;
  #isConstant = false;
  #shareFromMs = Number.NaN;
  #frames = 0;
  #captioned = 0;
  readonly #measures: CaptionMeasures;

  constructor(measures: CaptionMeasures) {
    this.#measures = measures;
  }

  /** New connection. */
  reset(): void {
    this.channels.length = 0;
    this.damaged = 0;
    this.isLost = false;
    this.#sentAtMs = Number.NaN;
    this.#liveAtMs = Number.NaN;
    this.#isConstant = false;
    this.#shareFromMs = Number.NaN;
  }

  /** A jump of the timestamps: what was counted up to now does not belong to one span. */
  restart(): void {
    this.#shareFromMs = Number.NaN;
  }

  /** Text was sent in this connection. */
  get hasLived(): boolean {
    return !Number.isNaN(this.#liveAtMs);
  }

  /** A picture at stream time `nowMs`. Returns an event. */
  frame({ captions }: VideoPacket, nowMs: number): number {
    if (captions === undefined && Number.isNaN(this.#sentAtMs)) return 0;
    this.#measureShare(captions !== undefined, nowMs);
    if (captions !== undefined) {
      this.#sentAtMs = nowMs;
      this.damaged += captions.damaged;
      for (const bit of [CAPTIONS_FIELD_1, CAPTIONS_FIELD_2, CAPTIONS_708]) {
        if ((captions.live & bit) !== 0) this.#live(bit, nowMs);
      }
      if (captions.live !== 0) {
        this.#liveAtMs = nowMs;
        this.isLost = false;
        return CAPTIONS;
      }
    }
    if (this.hasLived && !this.isLost) this.#judge(nowMs);
    else if (this.isLost) this.lostMs = nowMs - this.#liveAtMs;
    return 0;
  }

  #judge(nowMs: number): void {
    const { absentMs, paddingMs } = this.#measures;
    const silentMs = nowMs - this.#sentAtMs;
    if (this.#isConstant && silentMs > absentMs) this.#lose(silentMs, absentMs);
    else if (silentMs <= absentMs && nowMs - this.#liveAtMs > paddingMs) this.#lose(nowMs - this.#liveAtMs, paddingMs);
  }

  #lose(lostMs: number, boundMs: number): void {
    this.isLost = true;
    this.lostMs = lostMs;
    this.boundMs = boundMs;
  }

  #live(bit: number, nowMs: number): void {
    let channel = this.channels.find((one) => one.bit === bit);
    if (channel === undefined) {
      channel = { name: nameOf(bit), bit, frames: 0, liveAtMs: nowMs };
      this.channels.push(channel);
    }
    channel.frames++;
    channel.liveAtMs = nowMs;
  }

  #measureShare(isCaptioned: boolean, nowMs: number): void {
    if (Number.isNaN(this.#shareFromMs)) {
      this.#shareFromMs = nowMs;
      this.#frames = 0;
      this.#captioned = 0;
    }
    this.#frames++;
    if (isCaptioned) this.#captioned++;
    if (nowMs - this.#shareFromMs < SHARE_MS) return;
    if (this.#captioned >= this.#measures.constantShare * this.#frames) this.#isConstant = true;
    this.#shareFromMs = Number.NaN;
  }
}

function nameOf(bit: number): CaptionChannel['name'] {
  if (bit === CAPTIONS_708) return 'CEA-708';
  return bit === CAPTIONS_FIELD_1 ? 'CEA-608 field 1' : 'CEA-608 field 2';
}
