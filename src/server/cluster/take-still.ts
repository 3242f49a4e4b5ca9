/** The web process asks the ingest processes for a still of a live stream; the one that receives it answers. */
import { answerQuestions, askWorkers } from './ask-workers.js';
import type { RoleLink } from './link.js';
import { workerChannel } from './workers.js';

/** To an ingest process: the ID of a live video. */
const TAKE_SUBJECT = 'take-still';

/** The wait for a key frame, and the decoder's time on a busy machine. A page asks again. */
const TAKE_MS = 20_000;

type Taken = { readonly jpegBase64: string } | null;

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
