/**
 * Stills of live streams: the web process asks the ingest processes, which send a key frame to the media process, as for
 * the pictures of the rules.
 */
import type { StillDecoding } from '../../ports/index.js';
import { type AskChannel, answerQuestions, askWorkers } from './ask-workers.js';
import type { RoleLink } from './link.js';
import { answerFile, type NotRead, notReadError, SampleFiles } from './sample-files.js';
import { workerChannel } from './workers.js';

/** To the media process: the name of a sample. */
export const STILLS_SUBJECT = 'still';
/** To an ingest process: the ID of a live video. */
const TAKE_SUBJECT = 'take-still';

/** The wait for a key frame, and the decoder's time on a busy machine. A page asks again. */
const TAKE_MS = 20_000;

export type StillAnswer = { readonly result: 'decoded'; readonly jpegBase64: string } | NotRead;

type Taken = { readonly jpegBase64: string } | null;

/** For an ingest process. */
export class MediaStills implements StillDecoding {
  readonly #files: SampleFiles<StillAnswer>;

  constructor(folder: string, channel: AskChannel<string, StillAnswer>, answerMs?: number) {
    this.#files = new SampleFiles(folder, channel, answerMs);
  }

  get hasRoomForStill(): boolean {
    return this.#files.hasRoom;
  }

  /** @throws SampleSkippedError, Error with the reason why ffmpeg could not decode it */
  async still(flv: Uint8Array): Promise<Uint8Array> {
    const answer = await this.#files.ask(flv, (name) => name);
    if (answer.result === 'decoded') return Buffer.from(answer.jpegBase64, 'base64');
    throw notReadError(answer);
  }
}

/** In the media process. */
export function answerStills(link: RoleLink, folder: string, decoder: StillDecoding): void {
  answerQuestions<string, StillAnswer>(link, STILLS_SUBJECT, (name) => decodeStill(folder, name, decoder));
}

/** Never rejects. */
export function decodeStill(folder: string, name: string, decoder: StillDecoding): Promise<StillAnswer> {
  return answerFile(folder, name, decoder.hasRoomForStill, async (flv) => {
    const jpeg = await decoder.still(flv);
    return { result: 'decoded' as const, jpegBase64: Buffer.from(jpeg).toString('base64') };
  });
}

export type TakeStill = (liveVideoId: string) => Promise<Uint8Array | undefined>;

/** In an ingest process. */
export function answerTakes(link: RoleLink, take: TakeStill): void {
  answerQuestions<string, Taken>(link, TAKE_SUBJECT, async (liveVideoId) => {
    const jpeg = await take(liveVideoId);
    return jpeg === undefined ? null : { jpegBase64: Buffer.from(jpeg).toString('base64') };
  });
}

/** In the web process. */
export function takeFromIngest(link: RoleLink): TakeStill {
  const ask = askWorkers<string, Taken>(workerChannel(link, TAKE_SUBJECT), TAKE_MS);
  return async (liveVideoId) => {
    const taken = (await ask(liveVideoId)).find((each) => each !== null);
    return taken ? Buffer.from(taken.jpegBase64, 'base64') : undefined;
  };
}
