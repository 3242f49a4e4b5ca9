/** The taps of the copyright detector in a process that receives streams. */
import { randomUUID } from 'node:crypto';
import { type Clock, type DetectorState, type Log, type Store, TOPIC, VOLATILE } from '../../ports/index.js';
import type { MatchDetails } from '../../spec/error-record.js';
import { DETECTOR } from './limits.js';
import { type SoundSample, SoundTap } from './sound-tap.js';

/** Compares samples, in this process or in the one that opens media. */
export interface SoundComparer {
  readonly hasRoom: boolean;
  /** @throws what says that the sample was not compared */
  check(sample: SoundSample, flv: Uint8Array): Promise<readonly MatchDetails[]>;
}

export interface SoundTapsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly comparer: SoundComparer;
  readonly onMatch: (liveVideoId: string, match: MatchDetails) => void;
}

export interface SoundTapCounts {
  sent: number;
  /** Not compared: too many samples wait. */
  skipped: number;
}

export class SoundTaps {
  readonly counts: SoundTapCounts = { sent: 0, skipped: 0 };
  readonly #deps: SoundTapsDeps;
  #isOn = false;
  readonly #timer: NodeJS.Timeout;
  readonly #unsubscribe: () => void;

  /** Follows the state of the detector until `close`. */
  constructor(deps: SoundTapsDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.#look(), DETECTOR.stateMs).unref();
    this.#unsubscribe = deps.store.bus.subscribe(TOPIC.references, () => void this.#look());
    void this.#look();
  }

  async #look(): Promise<void> {
    const { store, log } = this.#deps;
    try {
      const state = (await store.volatile.get(VOLATILE.copyrightDetector)) as DetectorState | undefined;
      this.#isOn = state?.state === 'on';
    } catch (error) {
      log.debug({ error }, 'the state of the copyright detector cannot be read');
    }
  }

  open(liveVideoId: string, when: 'publish' | 'live'): SoundTap | undefined {
    if (when !== 'live') return undefined;
    return new SoundTap({
      liveVideoId,
      session: randomUUID(),
      isOn: () => this.#isOn,
      submit: (sample, flv) => void this.#compare(sample, flv),
    });
  }

  async #compare(sample: SoundSample, flv: Uint8Array): Promise<void> {
    const { comparer, log, onMatch } = this.#deps;
    if (!comparer.hasRoom) {
      this.counts.skipped++;
      return;
    }
    try {
      const matches = await comparer.check(sample, flv);
      this.counts.sent++;
      for (const match of matches) onMatch(sample.liveVideoId, match);
    } catch (error) {
      this.counts.skipped++;
      log.debug({ liveVideoId: sample.liveVideoId, error }, 'a sample of sound was not compared');
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unsubscribe();
  }
}
