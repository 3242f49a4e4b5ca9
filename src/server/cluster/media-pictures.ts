/** Key frames of live streams: sent by an ingest process, decoded to small gray pictures in the media process. */
import type { PictureDecoding } from '../../ports/index.js';
import { type AskChannel, answerQuestions } from './ask-workers.js';
import type { RoleLink } from './link.js';
import { answerFile, type NotRead, notReadError, SampleFiles } from './sample-files.js';

export const PICTURES_SUBJECT = 'picture';

export type PictureAnswer = { readonly result: 'decoded'; readonly grayBase64: string } | NotRead;

export type PicturesChannel = AskChannel<string, PictureAnswer>;

/** For an ingest process. */
export class MediaPictures implements PictureDecoding {
  readonly #files: SampleFiles<PictureAnswer>;

  constructor(folder: string, channel: PicturesChannel, answerMs?: number) {
    this.#files = new SampleFiles(folder, channel, answerMs);
  }

  get hasRoomForPicture(): boolean {
    return this.#files.hasRoom;
  }

  /** @throws SampleSkippedError, Error with the reason why ffmpeg could not decode it */
  async picture(flv: Uint8Array): Promise<Uint8Array> {
    const answer = await this.#files.ask(flv, (name) => name);
    if (answer.result === 'decoded') return Buffer.from(answer.grayBase64, 'base64');
    throw notReadError(answer);
  }
}

/** In the media process. */
export function answerPictures(link: RoleLink, folder: string, decoder: PictureDecoding): void {
  answerQuestions<string, PictureAnswer>(link, PICTURES_SUBJECT, (name) => decodePicture(folder, name, decoder));
}

/** Never rejects. */
export function decodePicture(folder: string, name: string, decoder: PictureDecoding): Promise<PictureAnswer> {
  return answerFile(folder, name, decoder.hasRoomForPicture, async (flv) => {
    const gray = await decoder.picture(flv);
    return { result: 'decoded' as const, grayBase64: Buffer.from(gray).toString('base64') };
  });
}
