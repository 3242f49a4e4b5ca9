/** Samples of sound for the copyright detector: collected by an ingest process, compared in the media process. */
import { SampleSkippedError } from '../../probe/deep-probe.js';
import type { MatchDetails } from '../../spec/error-record.js';
import { SOUND_SAMPLE } from '../../vod/copyright/limits.js';
import type { SoundSample } from '../../vod/copyright/sound-tap.js';
import type { SoundComparer } from '../../vod/copyright/sound-taps.js';
import { type AskChannel, answerQuestions } from './ask-workers.js';
import type { RoleLink } from './link.js';
import { readSampleFile, SampleFiles } from './sample-files.js';

export const SOUNDS_SUBJECT = 'sound';

/** `name`: the file with the sample. */
export interface SoundQuestion extends SoundSample {
  readonly name: string;
}

export type SoundAnswer =
  | { readonly result: 'compared'; readonly matches: readonly MatchDetails[] }
  | { readonly result: 'skipped'; readonly reason: string };

export type SoundsChannel = AskChannel<SoundQuestion, SoundAnswer>;

/** For an ingest process. */
export class MediaSounds implements SoundComparer {
  readonly #files: SampleFiles<SoundAnswer, SoundQuestion>;

  constructor(folder: string, channel: SoundsChannel, answerMs?: number) {
    this.#files = new SampleFiles(folder, channel, answerMs, SOUND_SAMPLE.pending);
  }

  get hasRoom(): boolean {
    return this.#files.hasRoom;
  }

  /** @throws SampleSkippedError */
  async check(sample: SoundSample, flv: Uint8Array): Promise<readonly MatchDetails[]> {
    const answer = await this.#files.ask(flv, (name) => ({ ...sample, name }));
    if (answer.result === 'compared') return answer.matches;
    throw new SampleSkippedError(answer.reason);
  }
}

/** In the media process. */
export function answerSounds(link: RoleLink, folder: string, comparer: SoundComparer): void {
  answerQuestions<SoundQuestion, SoundAnswer>(link, SOUNDS_SUBJECT, (question) =>
    compareSound(folder, question, comparer),
  );
}

/** Never rejects. */
export async function compareSound(
  folder: string,
  { name, ...sample }: SoundQuestion,
  comparer: SoundComparer,
): Promise<SoundAnswer> {
  try {
    if (!comparer.hasRoom) return { result: 'skipped', reason: 'the media process is busy' };
    return { result: 'compared', matches: await comparer.check(sample, await readSampleFile(folder, name)) };
  } catch (error) {
    return { result: 'skipped', reason: String(error) };
  }
}
