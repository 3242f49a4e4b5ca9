/**
 * OBS's own measurements: three SEI messages (user data unregistered) after the slices of each key frame, from OBS 31.0 with
 * multitrack video. Each has a UUID, one to four timestamps and, in two of them, counters since the track's last key frame.
 */

const UUID_BYTES = 16;
/** Timestamps, session metrics (of all tracks), encoder metrics (of this track). */
const TIMES = [0x0a, 0xec, 0xff, 0xe7, 0x52, 0x72, 0x4e, 0x2f, 0xa6, 0x2f, 0xd1, 0x9c, 0xd6, 0x1a, 0x93, 0xb5];
const SESSION = [0xca, 0x60, 0xe7, 0x1c, 0x6a, 0x8b, 0x43, 0x88, 0xa3, 0x77, 0x15, 0x1d, 0xf7, 0xbf, 0x8a, 0xc2];
const ENCODER = [0xf1, 0xfb, 0xc1, 0xd5, 0x10, 0x1e, 0x4f, 0xb5, 0xa6, 0x1e, 0xb8, 0xce, 0x3c, 0x07, 0xb8, 0xc0];
const RFC_3339 = 1;
const NUMBER_BYTES = 8;
/** '2026-01-15T12:00:00.0000Z': OBS writes 24 characters, 25 after a carry. */
const MAX_TIME_BYTES = 32;
const COMPOSED = 1;
const INTERLEAVED = 4;
const TEXT = new TextDecoder('latin1');

/** Messages of one frame. Counters are differences since the track's previous key frame. Reused: call `reset` before each frame. */
export class PerformanceMessages {
  hasSession = false;
  hasEncoder = false;
  /** Wall time of the encoder's machine, milliseconds since the epoch; NaN if not sent. */
  composedMs = Number.NaN;
  interleavedMs = Number.NaN;
  rendered = 0;
  lagged = 0;
  /** Frames that the send queue dropped, of `sent` (all tracks, with those dropped). */
  dropped = 0;
  sent = 0;
  /** Frames that the encoder was given, and those that it skipped. */
  input = 0;
  skipped = 0;

  get isEmpty(): boolean {
    return !this.hasSession && !this.hasEncoder && Number.isNaN(this.composedMs);
  }

  reset(): void {
    this.hasSession = false;
    this.hasEncoder = false;
    this.composedMs = Number.NaN;
    this.interleavedMs = Number.NaN;
  }

  /** Reads the payload of a user data message in `bytes[from, to)`. One that is no such message, or is cut, changes nothing. */
  read(bytes: Uint8Array, from: number, to: number): void {
    if (to - from <= UUID_BYTES) return;
    const first = bytes[from];
    const uuid =
      first === TIMES[0] ? TIMES : first === SESSION[0] ? SESSION : first === ENCODER[0] ? ENCODER : undefined;
    if (uuid === undefined || !uuid.every((byte, i) => bytes[from + i] === byte)) return;
    const at = this.#times(bytes, from + UUID_BYTES, to, uuid === TIMES);
    if (at < 0 || uuid === TIMES) return;
    this.#counters(bytes, at, to, uuid === SESSION);
  }

  /** Returns the offset after the timestamps, -1 if the message is cut. */
  #times(bytes: Uint8Array, from: number, to: number, keeps: boolean): number {
    let at = from + 1;
    for (let left = ((bytes[from] as number) & 0x0f) + 1; left > 0; left--) {
      if (at + 2 >= to) return -1;
      const type = bytes[at] as number;
      const event = bytes[at + 1] as number;
      at += 2;
      if (type !== RFC_3339) {
        at += NUMBER_BYTES;
        continue;
      }
      const end = bytes.subarray(at, Math.min(to, at + MAX_TIME_BYTES)).indexOf(0);
      if (end < 0) return -1;
      if (keeps && event === COMPOSED) this.composedMs = Date.parse(TEXT.decode(bytes.subarray(at, at + end)));
      if (keeps && event === INTERLEAVED) this.interleavedMs = Date.parse(TEXT.decode(bytes.subarray(at, at + end)));
      at += end + 1;
    }
    return at;
  }

  #counters(bytes: Uint8Array, from: number, to: number, isSession: boolean): void {
    if (from >= to) return;
    const count = ((bytes[from] as number) & 0x0f) + 1;
    if (from + 1 + count * 5 > to) return;
    if (isSession) this.#clearSession();
    else this.#clearEncoder();
    for (let i = 0; i < count; i++) {
      const at = from + 1 + i * 5;
      const value =
        (bytes[at + 1] as number) * 0x1000000 +
        (((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 8) | (bytes[at + 4] as number));
      if (isSession) this.#sessionCounter(bytes[at] as number, value);
      else this.#encoderCounter(bytes[at] as number, value);
    }
  }

  #clearSession(): void {
    this.hasSession = true;
    this.rendered = 0;
    this.lagged = 0;
    this.dropped = 0;
    this.sent = 0;
  }

  #clearEncoder(): void {
    this.hasEncoder = true;
    this.input = 0;
    this.skipped = 0;
  }

  #sessionCounter(tag: number, value: number): void {
    if (tag === 1) this.rendered = value;
    else if (tag === 2) this.lagged = value;
    else if (tag === 3) this.dropped = value;
    else if (tag === 4) this.sent = value;
  }

  #encoderCounter(tag: number, value: number): void {
    if (tag === 1) this.input = value;
    else if (tag === 2) this.skipped = value;
  }
}
