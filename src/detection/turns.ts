/**
 * Shares the time for sound among the running broadcasts. While it suffices, each sends all its sound in samples of one
 * window. With more broadcasts the samples get longer, since each has a fixed cost, most of it where a decoder is started. Beyond that
 * they take turns: each sends a sample in which a match can be confirmed, and pauses until all others had theirs.
 */
import { SOUND_SAMPLE, sampleMs, TURNS } from './limits.js';

/** Next step of a broadcast. */
export interface Turn {
  /** Windows of its next sample. */
  readonly windows: number;
  /** Sound that it leaves out before. */
  readonly pauseMs: number;
}

interface Stream {
  readonly turn: Turn;
  /** When its next sample should be here. */
  readonly dueMs: number;
  /** When it would have arrived if the stream sent sound in real time. */
  readonly earliestMs: number;
}

export interface TurnCounts {
  /** Broadcasts whose sound is compared without a gap, and those that pause. */
  readonly continuous: number;
  readonly turns: number;
}

export class Turns {
  readonly #budget: number;
  readonly #streams = new Map<string, Stream>();
  #correction = 1;
  /** Part of the samples for which a decoder is started. */
  #startedPart = 1;
  /** Up to here the time is given to turns. */
  #givenMs = Number.NEGATIVE_INFINITY;

  /** `share`: of one processor. */
  constructor(share: number) {
    this.#budget = share * TURNS.planned;
  }

  /** False if the stream sends its sound faster than in real time, or before its turn. */
  admits(session: string, nowMs: number): boolean {
    const known = this.#streams.get(session);
    return known === undefined || nowMs >= known.earliestMs - TURNS.burst * SOUND_SAMPLE.stepMs;
  }

  /** Next step of the stream after the sample that arrived at `nowMs`. */
  next(session: string, nowMs: number): Turn {
    this.#forget(nowMs);
    const known = this.#streams.get(session);
    this.#streams.delete(session);
    const turn = this.#turn(this.#streams.size + 1, nowMs);
    const lengthMs = turn.pauseMs + (turn.pauseMs > 0 ? sampleMs(turn.windows) : turn.windows * SOUND_SAMPLE.stepMs);
    const fromMs = Math.max(nowMs, known?.earliestMs ?? nowMs);
    this.#streams.set(session, { turn, dueMs: nowMs + lengthMs, earliestMs: fromMs + lengthMs });
    return turn;
  }

  /** Its sound cannot be decoded: as much as a pause. */
  fail(session: string, nowMs: number): Turn {
    const turn = { windows: 1, pauseMs: TURNS.failedPauseMs };
    const dueMs = nowMs + turn.pauseMs + sampleMs(1);
    this.#streams.set(session, { turn, dueMs, earliestMs: dueMs });
    return turn;
  }

  /** Records the cost of a sample. `isStarted`: with the start of a decoder. */
  spent(windows: number, ms: number, isStarted: boolean): void {
    const { weight, correction } = TURNS;
    const seen = Math.min(correction.to, Math.max(correction.from, ms / expectedMs(windows, isStarted ? 1 : 0)));
    this.#correction += weight * (seen - this.#correction);
    this.#startedPart += weight * ((isStarted ? 1 : 0) - this.#startedPart);
  }

  counts(nowMs: number): TurnCounts {
    this.#forget(nowMs);
    const turns = [...this.#streams.values()].filter(({ turn }) => turn.pauseMs > 0).length;
    return { continuous: this.#streams.size - turns, turns };
  }

  #turn(streams: number, nowMs: number): Turn {
    for (let windows = 1; windows <= TURNS.windowsMax; windows++) {
      const timeMs = streams * this.#timeOf(windows);
      if (timeMs <= windows * SOUND_SAMPLE.stepMs) return { windows, pauseMs: 0 };
    }
    const windows = TURNS.windowsMax;
    const lengthMs = sampleMs(windows);
    this.#givenMs = Math.max(this.#givenMs + this.#timeOf(windows), nowMs + lengthMs);
    // Rounded up: a pause of 0 is none.
    return { windows, pauseMs: Math.max(1, Math.ceil(this.#givenMs - nowMs - lengthMs)) };
  }

  /** Time that a sample takes within the share. */
  #timeOf(windows: number): number {
    return (this.#correction * expectedMs(windows, this.#startedPart)) / this.#budget;
  }

  /** Streams that have ended. */
  #forget(nowMs: number): void {
    for (const [session, { dueMs }] of this.#streams) {
      if (nowMs > dueMs + TURNS.graceMs) this.#streams.delete(session);
    }
  }
}

const expectedMs = (windows: number, startedPart: number): number =>
  startedPart * TURNS.startMs + TURNS.sampleMs + windows * TURNS.windowMs;
