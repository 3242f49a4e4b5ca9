/** Key frames of live streams: sent by an ingest process, decoded to small gray pictures in the media process. */
import type { PictureDecoding } from '../../ports/index.js';
import { SampleSkippedError } from '../../probe/deep-probe.js';
import { type AskChannel, answerQuestions } from './ask-workers.js';
import type { RoleLink } from './link.js';
import { readSampleFile, SampleFiles } from './sample-files.js';

export const PICTURES_SUBJECT = 'picture';

export type PictureAnswer =
  | { readonly result: 'decoded'; readonly grayBase64: string }
  | { readonly result: 'unreadable'; readonly reason: string }
  | { readonly result: 'skipped'; readonly reason: string };

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
    if (answer.result === 'unreadable') throw new Error(answer.reason);
    throw new SampleSkippedError(answer.reason);
  }
}

/** In the media process. */
export function answerPictures(link: RoleLink, folder: string, decoder: PictureDecoding): void {
  answerQuestions<string, PictureAnswer>(link, PICTURES_SUBJECT, (name) => decodePicture(folder, name, decoder));
}

/** Never rejects. */
export async function decodePicture(folder: string, name: string, decoder: PictureDecoding): Promise<PictureAnswer> {
  if (!decoder.hasRoomForPicture) return { result: 'skipped', reason: 'the media process is busy' };
  let flv: Uint8Array;
  try {
    flv = await readSampleFile(folder, name);
  } catch (error) {
    return { result: 'skipped', reason: String(error) };
  }
  try {
    const gray = await decoder.picture(flv);
    return { result: 'decoded', grayBase64: Buffer.from(gray).toString('base64') };
  } catch (error) {
    return { result: 'unreadable', reason: String(error) };
  }
}
