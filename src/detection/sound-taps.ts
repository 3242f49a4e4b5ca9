/** The taps of the copyright detector in a process that receives streams. */
import { randomUUID } from 'node:crypto';
import type { OwnerData } from '../lifecycle/documents.js';
import {
  type DetectorState,
  type Log,
  type PictureDecoding,
  type Store,
  type TappedStream,
  TOPIC,
  VOLATILE,
} from '../ports/index.js';
import { copyrightMatch } from '../rules/service/copyright-match.js';
import type { MatchDetails } from '../spec/error-record.js';
import { DETECTOR, TURNS } from './limits.js';
import { EarlyPictures, type PictureWitness, witnessedWithin } from './live-pictures.js';
import { type Collected, type SoundSample, SoundTap } from './sound-tap.js';
import type { Turn } from './turns.js';

/** Result for a sample. */
export interface Checked {
  readonly matches: readonly MatchDetails[];
  /** Absent: as before. */
  readonly next?: Turn;
  /** It was not compared. */
  readonly isSkipped?: boolean;
  /** A part of a reference was found, and a match may follow. */
  readonly isLikely?: boolean;
  /** Media time up to which sound is wanted at once: it may confirm the match. */
  readonly wantedToMs?: number;
}

/** Compares samples, in this process or in the one that opens media. */
export interface SoundComparer extends PictureWitness {
  readonly hasRoom: boolean;
  /** @throws what says that the sample was not compared */
  check(sample: SoundSample, flv: Uint8Array): Promise<Checked>;
}

export interface SoundTapsDeps {
  readonly store: Store;
  readonly log: Log;
  readonly comparer: SoundComparer;
  /** Decodes key frames. Absent: pictures are no witness. */
  readonly pictures?: PictureDecoding | undefined;
  /** A match with a reference whose policy is `block` ends the broadcast. */
  readonly blocks: boolean;
}

export interface SoundTapCounts {
  sent: number;
  /** Not compared: too many samples wait. */
  skipped: number;
}

/** A stream whose sound is compared. */
interface Tapped {
  readonly stream: TappedStream;
  readonly tap: SoundTap;
  readonly early: EarlyPictures;
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

  open(stream: TappedStream, when: 'publish' | 'live'): SoundTap | undefined {
    if (when !== 'live') return undefined;
    const early = new EarlyPictures(this.#deps.pictures, this.#deps.log);
    const tap: SoundTap = new SoundTap({
      liveVideoId: stream.liveVideoId,
      session: randomUUID(),
      isOn: () => this.#isOn,
      submit: (collected) => void this.#compare({ stream, tap, early }, collected),
    });
    return tap;
  }

  async #compare({ stream, tap, early }: Tapped, { sample, flv, keyFrames }: Collected): Promise<void> {
    const { comparer, log, pictures: decoder } = this.#deps;
    if (!comparer.hasRoom) {
      this.#skip(tap);
      return;
    }
    try {
      const { matches, next, isSkipped, isLikely, wantedToMs } = await comparer.check(sample, flv);
      if (isSkipped === true) this.counts.skipped++;
      else this.counts.sent++;
      if (next !== undefined) this.#follow(tap, next);
      if (wantedToMs !== undefined) tap.want(wantedToMs);
      if (isLikely === true) early.look(sample, keyFrames);
      for (const match of matches) {
        const known = early.pictures;
        const seen = await witnessedWithin({ witness: comparer, decoder, early: known, log }, sample, match, keyFrames);
        this.#tell(stream, seen);
      }
    } catch (error) {
      this.#skip(tap);
      log.debug({ liveVideoId: sample.liveVideoId, error }, 'a sample of sound was not compared');
    }
  }

  #tell(stream: TappedStream, match: MatchDetails): void {
    const { blocks, log } = this.#deps;
    stream.note(copyrightMatch.entry.code, describe(match), match);
    if (match.policy !== 'block' || !blocks) return;
    this.#stop(stream, match).catch((error: unknown) => {
      log.warn({ liveVideoId: stream.liveVideoId, error }, 'a broadcast that matches a reference could not be stopped');
    });
  }

  /** Like an operator's stop: 6601 for the encoder, and the recording is withheld. */
  async #stop(stream: TappedStream, { page_id: pageId }: MatchDetails): Promise<void> {
    const page = await this.#deps.store.objects.get<OwnerData>(pageId);
    await stream.stopForCopyright(`the Page ${page?.data.name ?? pageId}`);
  }

  /** Too many samples wait. Fewer come of longer ones, and each suffices for a match. */
  #skip(tap: SoundTap): void {
    this.counts.skipped++;
    tap.lengthen(TURNS.windowsMax);
  }

  #follow(tap: SoundTap, { windows, pauseMs }: Turn): void {
    tap.lengthen(windows);
    if (pauseMs > 0) tap.pause(pauseMs);
    else tap.resume();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unsubscribe();
  }
}

function describe({ reference_id: video, page_id: page, ...match }: MatchDetails): string {
  const at = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  const errors = `${(match.error_rate * 100).toFixed(1)}% of the bits differ`;
  return `the video ${video} of the Page ${page}, from ${at(match.offset_ms)} on, for ${at(match.length_ms)} (${errors})`;
}
