/** Samples of live streams for ffprobe: collected by an ingest process, read in the media process. */
import type { Log } from '../../ports/index.js';
import type { SampleProbe } from '../../probe/deep-probe.js';
import type { StreamOpinion } from '../../probe/flv-probe.js';
import { type AskChannel, answerQuestions } from './ask-workers.js';
import type { RoleLink } from './link.js';
import { answerFile, type NotRead, notReadError, removeLeftFiles, SampleFiles } from './sample-files.js';

export const SAMPLES_SUBJECT = 'sample';

/** The query is the name of a file. */
export type SampleAnswer = { readonly result: 'read'; readonly opinion: StreamOpinion } | NotRead;

export type SamplesChannel = AskChannel<string, SampleAnswer>;

/** For an ingest process. Without a media process, no samples are collected. */
export class MediaSamples implements SampleProbe {
  readonly #files: SampleFiles<SampleAnswer>;

  constructor(folder: string, channel: SamplesChannel, answerMs?: number) {
    this.#files = new SampleFiles(folder, channel, answerMs);
  }

  get hasRoomForSample(): boolean {
    return this.#files.hasRoom;
  }

  /** @throws SampleSkippedError, Error with the reason why ffprobe could not read it */
  async sample(flv: Uint8Array): Promise<StreamOpinion> {
    const answer = await this.#files.ask(flv, (name) => name);
    if (answer.result === 'read') return answer.opinion;
    throw notReadError(answer);
  }
}

/** In the media process. */
export async function answerSamples(link: RoleLink, folder: string, tools: SampleProbe, log: Log): Promise<void> {
  await removeLeftFiles(folder).catch((error: unknown) => {
    log.warn({ error, folder }, 'samples that a process left behind could not be removed');
  });
  answerQuestions<string, SampleAnswer>(link, SAMPLES_SUBJECT, (name) => probeSample(folder, name, tools));
}

/** Never rejects. */
export function probeSample(folder: string, name: string, tools: SampleProbe): Promise<SampleAnswer> {
  return answerFile(folder, name, tools.hasRoomForSample, async (flv) => ({
    result: 'read' as const,
    opinion: await tools.sample(flv),
  }));
}
