/**
 * Key frames of live streams: sent by an ingest process, decoded in the media process to small gray pictures for the rules, and to
 * stills for the pages.
 */
import type { PictureDecoding, StillDecoding } from '../../ports/index.js';
import { type AskChannel, answerQuestions } from './ask-workers.js';
import type { RoleLink } from './link.js';
import { answerFile, type NotRead, notReadError, SampleFiles } from './sample-files.js';

/** Also the subject of the question, which is the name of a sample. */
export type ImageKind = 'picture' | 'still';

export type ImageAnswer = { readonly result: 'decoded'; readonly base64: string } | NotRead;

export type ImagesChannel = AskChannel<string, ImageAnswer>;

/** For an ingest process. */
export class MediaImages implements PictureDecoding, StillDecoding {
  readonly #files: Readonly<Record<ImageKind, SampleFiles<ImageAnswer>>>;

  constructor(folder: string, channels: Readonly<Record<ImageKind, ImagesChannel>>) {
    this.#files = {
      picture: new SampleFiles(folder, channels.picture),
      still: new SampleFiles(folder, channels.still),
    };
  }

  get hasRoomForPicture(): boolean {
    return this.#files.picture.hasRoom;
  }

  get hasRoomForStill(): boolean {
    return this.#files.still.hasRoom;
  }

  /** @throws SampleSkippedError, Error with the reason why ffmpeg could not decode it */
  picture(flv: Uint8Array): Promise<Uint8Array> {
    return this.#decoded('picture', flv);
  }

  /** @throws SampleSkippedError, Error with the reason why ffmpeg could not decode it */
  still(flv: Uint8Array): Promise<Uint8Array> {
    return this.#decoded('still', flv);
  }

  async #decoded(kind: ImageKind, flv: Uint8Array): Promise<Uint8Array> {
    const answer = await this.#files[kind].ask(flv, (name) => name);
    if (answer.result === 'decoded') return Buffer.from(answer.base64, 'base64');
    throw notReadError(answer);
  }
}

/** In the media process. */
export function answerImages(link: RoleLink, folder: string, decoder: PictureDecoding & StillDecoding): void {
  for (const kind of ['picture', 'still'] as const) {
    answerQuestions<string, ImageAnswer>(link, kind, (name) => decodeImage(kind, folder, name, decoder));
  }
}

/** Never rejects. */
export function decodeImage(
  kind: ImageKind,
  folder: string,
  name: string,
  decoder: PictureDecoding & StillDecoding,
): Promise<ImageAnswer> {
  const hasRoom = kind === 'still' ? decoder.hasRoomForStill : decoder.hasRoomForPicture;
  return answerFile(folder, name, hasRoom, async (flv) => {
    const image = await (kind === 'still' ? decoder.still(flv) : decoder.picture(flv));
    return { result: 'decoded' as const, base64: Buffer.from(image).toString('base64') };
  });
}
