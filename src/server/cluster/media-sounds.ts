/** Samples of sound for the copyright detector: collected by an ingest process, compared in the media process. */

import { KEY_FRAMES, SOUND_SAMPLE } from '../../detection/limits.js';
import type { LivePictures } from '../../detection/live-pictures.js';
import type { SoundSample } from '../../detection/sound-tap.js';
import type { Checked, SoundComparer } from '../../detection/sound-taps.js';
import { SampleSkippedError } from '../../probe/deep-probe.js';
import type { MatchDetails } from '../../spec/error-record.js';
import { type AskChannel, answerQuestions, askWorkers } from './ask-workers.js';
import type { RoleLink } from './link.js';
import { readSampleFile, SampleFiles } from './sample-files.js';

export const SOUNDS_SUBJECT = 'sound';
/** Pictures of a match that the sound has found. */
export const WITNESS_SUBJECT = 'witness';

/** `name`: the file with the sample. */
export interface SoundQuestion extends SoundSample {
  readonly name: string;
}

export type SoundAnswer =
  | ({ readonly result: 'compared' } & Checked)
  | { readonly result: 'skipped'; readonly reason: string };

export interface WitnessQuestion {
  readonly liveVideoId: string;
  readonly match: MatchDetails;
  readonly pictures: LivePictures;
}

export type SoundsChannel = AskChannel<SoundQuestion, SoundAnswer>;
export type WitnessChannel = AskChannel<WitnessQuestion, MatchDetails | null>;

/** For an ingest process. */
export class MediaSounds implements SoundComparer {
  readonly #files: SampleFiles<SoundAnswer, SoundQuestion>;
  readonly #witness: (question: WitnessQuestion) => Promise<readonly (MatchDetails | null)[]>;

  constructor(folder: string, channel: SoundsChannel, witness: WitnessChannel, answerMs?: number) {
    this.#files = new SampleFiles(folder, channel, answerMs, SOUND_SAMPLE.pending);
    this.#witness = askWorkers(witness, KEY_FRAMES.waitMs);
  }

  get hasRoom(): boolean {
    return this.#files.hasRoom;
  }

  /** @throws SampleSkippedError */
  async check(sample: SoundSample, flv: Uint8Array): Promise<Checked> {
    const answer = await this.#files.ask(flv, (name) => ({ ...sample, name }));
    if (answer.result === 'skipped') throw new SampleSkippedError(answer.reason);
    const { result: _compared, ...checked } = answer;
    return checked;
  }

  async witness(liveVideoId: string, match: MatchDetails, pictures: LivePictures): Promise<MatchDetails> {
    const [seen] = await this.#witness({ liveVideoId, match, pictures });
    return seen ?? match;
  }
}

/** In the media process. */
export function answerSounds(link: RoleLink, folder: string, comparer: SoundComparer): void {
  answerQuestions<SoundQuestion, SoundAnswer>(link, SOUNDS_SUBJECT, (question) =>
    compareSound(folder, question, comparer),
  );
  answerQuestions<WitnessQuestion, MatchDetails | null>(link, WITNESS_SUBJECT, ({ liveVideoId, match, pictures }) =>
    comparer.witness(liveVideoId, match, pictures).catch(() => null),
  );
}

/** Never rejects. */
async function compareSound(
  folder: string,
  { name, ...sample }: SoundQuestion,
  comparer: SoundComparer,
): Promise<SoundAnswer> {
  try {
    if (!comparer.hasRoom) return { result: 'skipped', reason: 'the media process is busy' };
    return { result: 'compared', ...(await comparer.check(sample, await readSampleFile(folder, name))) };
  } catch (error) {
    return { result: 'skipped', reason: String(error) };
  }
}
