/**
 * How far packets of one track lie behind packets of the other that were sent before them. A constant offset between the
 * tracks is a drift, which has its own rule; uneven interleaving shows as an offset that comes and goes.
 */
const SECONDS = 5;
/** A larger step of one track is a jump or a pause: packets before it are not comparable. */
const STEP_MS = 2000;
/** No distance is negative. */
const UNKNOWN = -1;

/** How far one track lies behind the other, by second. */
class TrackLag {
  readonly #most = new Float64Array(SECONDS);
  readonly #least = new Float64Array(SECONDS).fill(Number.POSITIVE_INFINITY);
  #at = 0;
  /** Figures of the current second. Plain fields: a packet touches no array. */
  #currentMost = 0;
  #currentLeast = UNKNOWN;

  restart(): void {
    this.#most.fill(0);
    this.#least.fill(Number.POSITIVE_INFINITY);
    this.#currentMost = 0;
    this.#currentLeast = UNKNOWN;
  }

  add(ms: number): void {
    if (ms > this.#currentMost) this.#currentMost = ms;
    if (ms < this.#currentLeast || this.#currentLeast === UNKNOWN) this.#currentLeast = ms;
  }

  roll(): void {
    this.#keep();
    this.#at = (this.#at + 1) % SECONDS;
    this.#currentMost = 0;
    this.#currentLeast = UNKNOWN;
    this.#keep();
  }

  #keep(): void {
    this.#most[this.#at] = this.#currentMost;
    this.#least[this.#at] = this.#currentLeast === UNKNOWN ? Number.POSITIVE_INFINITY : this.#currentLeast;
  }

  /** The largest distance, unless the smallest exceeds `constantMs` too. */
  varying(constantMs: number): number {
    this.#keep();
    let most = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < SECONDS; i++) {
      most = Math.max(most, this.#most[i] as number);
      least = Math.min(least, this.#least[i] as number);
    }
    return least > constantMs ? 0 : most;
  }
}

export class InterleaveFacts {
  readonly #video = new TrackLag();
  readonly #audio = new TrackLag();
  #highVideoMs = Number.NEGATIVE_INFINITY;
  #highAudioMs = Number.NEGATIVE_INFINITY;
  #nextRollMs = Number.NaN;

  restart(): void {
    this.#video.restart();
    this.#audio.restart();
    this.#highVideoMs = Number.NEGATIVE_INFINITY;
    this.#highAudioMs = Number.NEGATIVE_INFINITY;
    this.#nextRollMs = Number.NaN;
  }

  /** A coded frame with the decode time `dtsMs`, comparable between the tracks. */
  video(dtsMs: number): void {
    if (isJump(dtsMs - this.#highVideoMs)) this.restart();
    if (dtsMs > this.#highVideoMs) this.#highVideoMs = dtsMs;
    this.#roll(dtsMs);
    if (this.#highAudioMs > dtsMs) this.#video.add(this.#highAudioMs - dtsMs);
    else this.#video.add(0);
  }

  audio(dtsMs: number): void {
    if (isJump(dtsMs - this.#highAudioMs)) this.restart();
    if (dtsMs > this.#highAudioMs) this.#highAudioMs = dtsMs;
    this.#roll(dtsMs);
    if (this.#highVideoMs > dtsMs) this.#audio.add(this.#highVideoMs - dtsMs);
    else this.#audio.add(0);
  }

  /** Distance in the last 5 s, of the worse track; 0 if it is constant (beyond `constantMs` throughout). */
  apartMs(constantMs: number): number {
    return Math.max(this.#video.varying(constantMs), this.#audio.varying(constantMs));
  }

  #roll(dtsMs: number): void {
    if (dtsMs < this.#nextRollMs) return;
    if (!Number.isNaN(this.#nextRollMs)) {
      this.#video.roll();
      this.#audio.roll();
    }
    this.#nextRollMs = dtsMs + 1000;
  }
}

/** The first packet of a track is no jump. */
function isJump(stepMs: number): boolean {
  return Math.abs(stepMs) > STEP_MS && Number.isFinite(stepMs);
}
