/**
 * Which of two input streams of a broadcast is on air, and the timestamps of what is. Packets and time come in as data; a
 * packet creates no object. The next input stream goes on air at its first key frame after it was chosen, and the timestamps
 * of the one before go on.
 */

/** Index of an input stream: 0 is the primary one, 1 the backup. */
export type InputIndex = 0 | 1;

export type SwitchReason =
  /** The one on air sent nothing for too long. */
  | 'silent'
  /** The one on air unpublished, or its connection was lost. */
  | 'lost'
  /** Its owner asked for it. */
  | 'command'
  /** The primary one sends well again. */
  | 'returned';

export interface Switch {
  readonly to: InputIndex;
  readonly reason: SwitchReason;
  /**
   * Time without a packet on air; negative: the newer stream begins so long before the older one had ended. Undefined: nothing was on
   * air before.
   */
  readonly gapMs: number | undefined;
}

export interface OnAirSettings {
  /** Silence after which the other input stream is chosen. */
  readonly afterMs: number;
  /** The primary one returns by itself. */
  readonly returns: boolean;
}

/** At most one switch for silence, or for a return, in this time: two bad encoders would alternate. */
const AUTOMATIC_EVERY_MS = 10_000;
/** Good time after which the primary input stream returns. */
const RETURN_AFTER_MS = 10_000;
/** A process that was late by more reads the packets of both inputs one after the other: neither was silent. */
const LATE_MS = 200;
/** In each window, the packet that arrived earliest relates timestamps to the clock. */
const WINDOW_MS = 5_000;
/** A larger step is a reset of the encoder's clock. */
const STEP_MS_MAX = 5_000;

const NEVER = Number.NEGATIVE_INFINITY;

class Input {
  isConnected = false;
  lastAtMs = NEVER;
  /** Since when it sends without a pause and without a fault. */
  goodSinceMs = NEVER;
  /** The last timestamp, without the wrap at 32 bits. */
  timestampMs: number | undefined;
  shiftMs = 0;

  unwrap(timestampMs: number): number {
    const last = this.timestampMs ?? timestampMs;
    this.timestampMs = last + ((timestampMs - last) | 0);
    return this.timestampMs;
  }
}

export class OnAir {
  readonly #afterMs: number;
  /** The primary input stream returns by itself. */
  returns: boolean;
  readonly #inputs = [new Input(), new Input()] as const;
  #onAir: InputIndex | undefined;
  #wanted: InputIndex | undefined;
  #reason: SwitchReason = 'lost';
  #switchedAtMs = NEVER;
  #trustedFromMs = NEVER;
  /** The last timestamp on air, and the first of the input stream that is; undefined before the first packet. */
  #lastMs: number | undefined;
  #startMs = NEVER;
  #lastAtMs = NEVER;
  /** Largest difference of timestamp and arrival, in this window and in the one before. */
  #aheadMs = NEVER;
  #aheadBeforeMs = NEVER;
  #windowAtMs = NEVER;

  constructor(settings: OnAirSettings) {
    this.#afterMs = settings.afterMs;
    this.returns = settings.returns;
  }

  get current(): InputIndex | undefined {
    return this.#onAir;
  }

  /** The input stream that goes on air with its next key frame. */
  get next(): InputIndex | undefined {
    return this.#wanted;
  }

  /** Whole packets of this input stream are needed: it may go on air with its next key frame. */
  isNeeded(input: InputIndex, atMs: number): boolean {
    const current = this.#onAir;
    if (current === input) return false;
    if (this.#wanted === input) return true;
    return current !== undefined && atMs - this.#inputs[current].lastAtMs >= this.#afterMs / 2;
  }

  connect(input: InputIndex, atMs: number): void {
    const each = this.#inputs[input];
    each.isConnected = true;
    each.lastAtMs = atMs;
    each.goodSinceMs = atMs;
    each.timestampMs = undefined;
  }

  /** Nothing is on air: this input stream is, from its next packet on and with its own timestamps. */
  begin(input: InputIndex): void {
    this.#onAir = input;
    this.#wanted = undefined;
    this.#inputs[input].shiftMs = 0;
    this.#restartClock();
  }

  /** The input stream on air is in another process. What is here stands by. */
  leaveAir(): void {
    this.#onAir = undefined;
    this.#wanted = undefined;
    this.#restartClock();
  }

  #restartClock(): void {
    this.#lastMs = undefined;
    this.#startMs = NEVER;
    this.#aheadMs = NEVER;
    this.#aheadBeforeMs = NEVER;
  }

  /** The other one is chosen if this one was on air. */
  disconnect(input: InputIndex): void {
    this.#inputs[input].isConnected = false;
    if (this.#wanted === input) this.#wanted = undefined;
    if (this.#onAir === input && this.#inputs[other(input)].isConnected) this.#want(other(input), 'lost');
  }

  /** Chooses a connected input stream that is not on air. False: it is not connected. */
  choose(input: InputIndex, reason: SwitchReason): boolean {
    if (!this.#inputs[input].isConnected) return false;
    if (this.#onAir === input) this.#wanted = undefined;
    else this.#want(input, reason);
    return true;
  }

  #want(input: InputIndex, reason: SwitchReason): void {
    this.#wanted = input;
    this.#reason = reason;
  }

  /** An input stream with open faults is not good. */
  judged(input: InputIndex, hasFaults: boolean, atMs: number): void {
    if (hasFaults) this.#inputs[input].goodSinceMs = atMs;
  }

  /** `lateMs`: how much later than due this runs. */
  tick(atMs: number, lateMs: number): void {
    if (lateMs > LATE_MS) this.#trustedFromMs = atMs + this.#afterMs;
    const current = this.#onAir;
    if (current === undefined || this.#wanted !== undefined || atMs < this.#trustedFromMs) return;
    const standby = this.#inputs[other(current)];
    if (!standby.isConnected || this.#isSilent(other(current), atMs)) return;
    if (atMs - this.#switchedAtMs < AUTOMATIC_EVERY_MS) return;
    if (this.#isSilent(current, atMs)) this.#want(other(current), 'silent');
    else if (this.returns && current === 1 && atMs - standby.goodSinceMs >= RETURN_AFTER_MS) this.#want(0, 'returned');
  }

  #isSilent(input: InputIndex, atMs: number): boolean {
    return atMs - this.#inputs[input].lastAtMs >= this.#afterMs;
  }

  /** The one on air has sent nothing for so long that another one may replace it. */
  isSilentOnAir(atMs: number): boolean {
    return this.#onAir !== undefined && atMs >= this.#trustedFromMs && this.#isSilent(this.#onAir, atMs);
  }

  /** A packet of this input stream arrived. */
  arrived(input: InputIndex, atMs: number): void {
    const each = this.#inputs[input];
    if (atMs - each.lastAtMs >= this.#afterMs) each.goodSinceMs = atMs;
    each.lastAtMs = atMs;
  }

  /** With a whole key frame of this input stream it goes on air. */
  mayBegin(input: InputIndex): boolean {
    return this.#wanted === input;
  }

  /** This input stream is on air from a packet with this timestamp on. */
  switchTo(input: InputIndex, timestampMs: number, atMs: number): Switch {
    const each = this.#inputs[input];
    const ownMs = each.unwrap(timestampMs);
    const lastMs = this.#lastMs;
    // The window before is preferred: what has just arrived ahead of its time overlaps.
    const aheadMs = this.#aheadBeforeMs === NEVER ? this.#aheadMs : this.#aheadBeforeMs;
    // The time that has passed since counts as the stream's: what follows keeps its distance to the clock.
    const dueMs = lastMs === undefined ? ownMs : Math.round(atMs + aheadMs);
    this.#startMs = lastMs === undefined ? ownMs : Math.max(dueMs, lastMs + 1);
    each.shiftMs = this.#startMs - ownMs;
    const reason = this.#reason;
    // A loss leaves no choice, and neither does a command.
    if (reason === 'silent' || reason === 'returned') this.#switchedAtMs = atMs;
    this.#onAir = input;
    this.#wanted = undefined;
    return { to: input, reason, gapMs: lastMs === undefined ? undefined : dueMs - lastMs };
  }

  /** Timestamp on air of a packet of the input stream that is; -1: it is older than the switch and is left out. */
  place(input: InputIndex, timestampMs: number, atMs: number): number {
    const each = this.#inputs[input];
    const outMs = each.unwrap(timestampMs) + each.shiftMs;
    if (outMs < this.#startMs && this.#startMs - outMs < STEP_MS_MAX) return -1;
    this.#follow(outMs, atMs);
    return outMs >>> 0;
  }

  #follow(outMs: number, atMs: number): void {
    const aheadMs = outMs - atMs;
    const isReset = Math.abs(aheadMs - Math.max(this.#aheadMs, this.#aheadBeforeMs)) > STEP_MS_MAX;
    if (isReset || atMs - this.#windowAtMs >= WINDOW_MS) {
      this.#aheadBeforeMs = isReset ? NEVER : this.#aheadMs;
      this.#aheadMs = aheadMs;
      this.#windowAtMs = atMs;
    } else if (aheadMs > this.#aheadMs) this.#aheadMs = aheadMs;
    if (isReset || this.#lastMs === undefined || outMs > this.#lastMs) this.#lastMs = outMs;
    this.#lastAtMs = atMs;
  }

  /** A packet is on air. */
  get hasBegun(): boolean {
    return this.#lastMs !== undefined || this.#startMs !== NEVER;
  }

  /** Timestamp of now on air, for what has none of its own: metadata and headers. */
  get nowMs(): number {
    return Math.max(this.#startMs, this.#lastMs ?? 0) >>> 0;
  }

  /** When the last packet on air arrived. */
  get lastOnAirMs(): number {
    return this.#lastAtMs;
  }
}

export const other = (input: InputIndex): InputIndex => (input === 0 ? 1 : 0);
